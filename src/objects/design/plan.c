// plan.c: keys and handles as commands have changed them. The first change copies the keys of the scene; from then on
// the copy counts, until it is forgotten. A change makes a new copy, so that one that fails leaves the old.
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "math/quat.h"
#include "math/svd.h"
#include "objects/design/design.h"
#include "objects/objects.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME_KEY 1e-6 // s: closer ones are one
#define MOST_KEYS 10000

typedef struct lm_design_told
{
	lm_arena memory; // of all below
	int32_t count;
	lm_scene_design_key* keys;
	int32_t* origins; // which of the scene's; -1: none
} lm_design_told;

const lm_scene_design_key* lm_design_keys(const lm_design_object* object, int32_t* count)
{
	const lm_scene_design* design = object->base.description->design;
	*count = object->told != NULL ? object->told->count : design->key_count;
	return object->told != NULL ? object->told->keys : design->keys;
}

const lm_scene_design_key* lm_object_design_keys(const lm_object* base, int32_t* count, const int32_t** origins)
{
	const lm_design_told* told = ((const lm_design_object*)base)->told;
	if (told == NULL)
		return NULL;
	*count = told->count, *origins = told->origins;
	return told->keys;
}

// ---- copies ----

static void destroy_told(const lm_host* host, lm_design_told* told)
{
	if (told == NULL)
		return;
	lm_arena_release(&told->memory);
	lm_free(host, told);
}

void lm_design_plan_forget(lm_design_object* object)
{
	destroy_told(&object->base.host, object->told);
	object->told = NULL;
}

static bool copy_handle(lm_arena* memory, const lm_scene_handle* from, lm_scene_handle* to)
{
	size_t length = strlen(from->group) + 1;
	*to = *from;
	char* group = LM_TAKE(memory, length, char);
	to->vertices = LM_TAKE(memory, from->count, int32_t);
	if (group == NULL || to->vertices == NULL)
		return false;
	memcpy(group, from->group, length);
	if (from->count > 0)
		memcpy(to->vertices, from->vertices, (size_t)from->count * sizeof *to->vertices);
	to->group = group;
	return true;
}

// With room for one more handle. Its pose and vertices of its group stay the scene's.
static bool copy_key(lm_arena* memory, const lm_scene_design_key* from, lm_scene_design_key* to)
{
	*to = *from;
	to->handles = LM_TAKE(memory, from->handle_count + 1, lm_scene_handle);
	bool good = to->handles != NULL;
	for (int32_t i = 0; good && i < from->handle_count; ++i)
		good = copy_handle(memory, &from->handles[i], &to->handles[i]);
	return good;
}

static lm_design_told* create_told(const lm_host* host, int32_t room)
{
	lm_design_told* told = LM_NEW(host, 1, lm_design_told);
	if (told == NULL)
		return NULL;
	lm_arena_init(&told->memory, host);
	told->keys = LM_TAKE(&told->memory, room, lm_scene_design_key);
	told->origins = LM_TAKE(&told->memory, room, int32_t);
	if (told->keys != NULL && told->origins != NULL)
		return told;
	destroy_told(host, told);
	return NULL;
}

// The keys that count, with room for one more.
static lm_design_told* copy_keys(const lm_design_object* object)
{
	int32_t count;
	const lm_scene_design_key* keys = lm_design_keys(object, &count);
	lm_design_told* copy = create_told(&object->base.host, count + 1);
	for (int32_t k = 0; copy != NULL && k < count; ++k)
	{
		copy->origins[k] = object->told != NULL ? object->told->origins[k] : k;
		if (copy_key(&copy->memory, &keys[k], &copy->keys[k]))
			copy->count = k + 1;
		else
			destroy_told(&object->base.host, copy), copy = NULL;
	}
	return copy;
}

// ---- keys ----

static int32_t find_key(const lm_design_told* told, double time)
{
	for (int32_t k = 0; k < told->count; ++k)
		if (told->keys[k].count == 0 && fabs(told->keys[k].time - time) <= SAME_KEY)
			return k;
	return -1;
}

static const char* name_of(const lm_design_object* object)
{
	return object->base.description->name;
}

// "its keys are at 0, 0.5 and 1 s"
static lm_status fail_no_key(const lm_design_object* object, const lm_design_told* told, double time, lm_error* error)
{
	char list[200];
	size_t used = 0, most = sizeof list - 40;
	list[0] = 0;
	for (int32_t k = 0; k < told->count && used < most; ++k)
		if (told->keys[k].count == 0)
			used +=
				(size_t)snprintf(list + used, sizeof list - used, "%s%.6g", used > 0 ? ", " : "", told->keys[k].time);
	return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has no key at %g s; %s%s%s", name_of(object), time,
	               used > 0 ? "those of the whole object are at " : "it has none", list,
	               used >= most ? " ..."
	               : used > 0   ? " s"
	                            : "");
}

static lm_status check_time(const lm_design_object* object, double time, lm_error* error)
{
	const lm_scene_design* design = object->base.description->design;
	double seconds = object->base.scene->seconds;
	if (!(time >= 0 && time <= seconds))
		return lm_fail(error, LM_BAD_INPUT,
		               "object \"%.60s\": a key at %g s, must be between 0 and %g s, where it ends", name_of(object),
		               time, seconds);
	for (int32_t i = 0; i < design->simulated_count; ++i)
	{
		const lm_design_simulated* s = &design->simulated[i];
		if (time > s->from + SAME_KEY && time < s->until + SAME_KEY)
			return lm_fail(
				error, LM_BAD_INPUT,
				"object \"%.60s\": a key at %g s, but from %g s until %g s it is simulated; put it before or "
				"after",
				name_of(object), time, s->from, fmin(s->until, seconds));
	}
	return LM_OK;
}

// Unit, so that the reader of scenes leaves every bit of it.
static void store_rotation(lm_quat turn, double rotation[4])
{
	double q[4] = { turn.w, turn.x, turn.y, turn.z }, before[4] = { 0 };
	for (int round = 0; round < 8 && memcmp(q, before, sizeof q) != 0; ++round)
	{
		memcpy(before, q, sizeof q);
		double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
		for (int i = 0; i < 4; ++i)
			q[i] /= length;
	}
	memcpy(rotation, q, sizeof q);
}

static void add_outer(lm_mat3* A, lm_vec3 x, lm_vec3 y)
{
	const double a[3] = { x.x, x.y, x.z }, b[3] = { y.x, y.y, y.z };
	for (int i = 0; i < 3; ++i)
		for (int k = 0; k < 3; ++k)
			A->m[i][k] += a[i] * b[k];
}

// Where the motion has the mesh at a time, as well as a rigid placement can say it: nodes = rotation rest + position.
static lm_status place_by_motion(lm_design_object* object, double time, lm_scene_design_key* key, lm_error* error)
{
	lm_status status = lm_design_make_model(object, error);
	if (status != LM_OK)
		return status;
	const lm_design_model* model = object->model;
	int32_t count = model->node_count;
	double *now = object->other, *rest = object->other + 3 * (size_t)count;
	lm_design_course_nodes(lm_design_course_of(object), time, now, NULL);
	lm_design_model_nodes(model, rest);
	lm_vec3 from = { 0 }, to = { 0 };
	for (int32_t i = 0; i < count; ++i)
		from = lm_add_scaled(from, 1.0 / count, lm_v3_at(rest, i)),
		to = lm_add_scaled(to, 1.0 / count, lm_v3_at(now, i));
	lm_mat3 A = { 0 };
	for (int32_t i = 0; i < count; ++i)
		add_outer(&A, lm_sub(lm_v3_at(now, i), to), lm_sub(lm_v3_at(rest, i), from));
	lm_quat turn = lm_quat_from_matrix(lm_polar3(A).R);
	store_rotation(turn, key->rotation);
	lm_v3_store(key->position, 0, lm_sub(to, lm_quat_rotate(turn, from)));
	return LM_OK;
}

static bool is_given(const double rotation[4])
{
	return rotation[0] != 0 || rotation[1] != 0 || rotation[2] != 0 || rotation[3] != 0;
}

static void take_out_key(lm_design_told* told, int32_t at)
{
	--told->count;
	memmove(told->keys + at, told->keys + at + 1, (size_t)(told->count - at) * sizeof *told->keys);
	memmove(told->origins + at, told->origins + at + 1, (size_t)(told->count - at) * sizeof *told->origins);
}

// They are in their order.
static void insert_key(lm_design_told* told, lm_scene_design_key key, int32_t origin)
{
	int32_t at = told->count++;
	for (; at > 0 && told->keys[at - 1].time > key.time; --at)
		told->keys[at] = told->keys[at - 1], told->origins[at] = told->origins[at - 1];
	told->keys[at] = key, told->origins[at] = origin;
}

static lm_status put_key(lm_design_object* object, const lm_plan_change* change, lm_design_told* told, lm_error* error)
{
	int32_t at = find_key(told, change->time);
	lm_scene_design_key key = {
		.time = change->time, .end = -1, .pose_file = "", .group = "", .via = change->via, .rotation = { 1, 0, 0, 0 }
	};
	key.has_position = key.has_rotation = true;
	lm_status status = check_time(object, change->time, error);
	if (status == LM_OK && told->count >= MOST_KEYS)
		status = lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has %d keys, and may not have more", name_of(object),
		                 told->count);
	if (status == LM_OK && is_given(change->rotation))
	{
		memcpy(key.position, change->to, sizeof key.position);
		const double* q = change->rotation;
		store_rotation((lm_quat){ q[0], q[1], q[2], q[3] }, key.rotation);
	}
	else if (status == LM_OK)
		status = place_by_motion(object, change->time, &key, error);
	key.handles = LM_TAKE(&told->memory, 1, lm_scene_handle);
	if (status == LM_OK && key.handles == NULL)
		status = lm_fail_memory(error);
	if (status != LM_OK)
		return status;
	if (at < 0)
		insert_key(told, key, -1);
	else
		told->keys[at] = key, told->origins[at] = -1;
	return LM_OK;
}

static lm_status remove_key(lm_design_object* object, const lm_plan_change* change, lm_design_told* told,
                            lm_error* error)
{
	int32_t at = find_key(told, change->time);
	if (at < 0)
		return fail_no_key(object, told, change->time, error);
	take_out_key(told, at);
	return LM_OK;
}

// With its pose, its handles and how long it lasts.
static lm_status move_key(lm_design_object* object, const lm_plan_change* change, lm_design_told* told, lm_error* error)
{
	int32_t at = find_key(told, change->time), there = find_key(told, change->to_time);
	if (at < 0)
		return fail_no_key(object, told, change->time, error);
	if (there >= 0 && there != at)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" has another key at %g s", name_of(object),
		               change->to_time);
	lm_scene_design_key key = told->keys[at];
	int32_t origin = told->origins[at];
	double lasts = fmax(key.end - key.time, 0);
	lm_status status = check_time(object, change->to_time, error);
	if (status == LM_OK && lasts > 0)
		status = check_time(object, change->to_time + lasts, error);
	if (status != LM_OK)
		return status;
	key.time = change->to_time;
	if (lasts > 0)
		key.end = key.time + lasts;
	take_out_key(told, at);
	insert_key(told, key, origin);
	return LM_OK;
}

// Whether there is something to go to; that simulated parts have it too, the solver finds.
static lm_status check_whole(const lm_design_object* object, const lm_design_told* told, lm_error* error)
{
	bool whole = told->count == 0 || object->base.description->design->simulated_count > 0;
	for (int32_t k = 0; k < told->count; ++k)
		whole |= told->keys[k].count == 0 && !told->keys[k].via;
	return whole ? LM_OK
	             : lm_fail(error, LM_BAD_INPUT,
	                       "object \"%.60s\" would have only keys of groups or via, must keep one of the whole object",
	                       name_of(object));
}

// ---- handles ----

static bool is_handle(const lm_scene_handle* handle, const lm_plan_change* change)
{
	if (change->group[0] != 0 || handle->group[0] != 0)
		return strcmp(handle->group, change->group) == 0;
	return handle->count > 0 && handle->vertices[0] == change->vertices[0];
}

// From the coordinates of the scene into those of the mesh, as the key places it.
static void place_handle(const lm_design_object* object, const lm_scene_design_key* key, const lm_plan_change* change,
                         lm_scene_handle* handle)
{
	const lm_scene_object* description = object->base.description;
	const double *q = key->has_rotation ? key->rotation : description->rotation, *r = change->rotation;
	lm_quat turn = lm_quat_normalize((lm_quat){ q[0], q[1], q[2], q[3] }), back = lm_quat_conjugate(turn);
	lm_vec3 position = lm_v3_at(key->has_position ? key->position : description->position, 0);
	if (!change->stays)
	{
		handle->has_to = true;
		lm_v3_store(handle->to, 0, lm_quat_rotate(back, lm_sub(lm_v3_at(change->to, 0), position)));
	}
	if (!is_given(r))
		return;
	lm_quat own = lm_quat_mul(back, lm_quat_mul(lm_quat_normalize((lm_quat){ r[0], r[1], r[2], r[3] }), turn));
	store_rotation(own, handle->rotation);
}

static lm_status change_handle(lm_design_object* object, const lm_plan_change* change, lm_design_told* told,
                               lm_error* error)
{
	bool remove = change->kind == LM_PLAN_REMOVE_HANDLE;
	int32_t at = find_key(told, change->time), i = 0;
	if (at < 0)
		return fail_no_key(object, told, change->time, error);
	lm_scene_design_key* key = &told->keys[at];
	while (i < key->handle_count && !is_handle(&key->handles[i], change))
		++i;
	if (remove && i == key->handle_count)
		return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\": the key at %g s has no such handle", name_of(object),
		               key->time);
	if (remove)
	{
		--key->handle_count;
		memmove(key->handles + i, key->handles + i + 1, (size_t)(key->handle_count - i) * sizeof *key->handles);
		return LM_OK;
	}
	lm_scene_handle* handle = &key->handles[i];
	if (i == key->handle_count)
	{
		const lm_scene_handle made = {
			.group = change->group, .count = change->count, .vertices = change->vertices, .rotation = { 1, 0, 0, 0 }
		};
		if (!copy_handle(&told->memory, &made, handle))
			return lm_fail_memory(error);
		++key->handle_count;
	}
	handle->weight = change->weight;
	place_handle(object, key, change, handle);
	return LM_OK;
}

lm_status lm_design_plan(lm_object* base, const lm_plan_change* change, lm_error* error)
{
	lm_design_object* object = (lm_design_object*)base;
	if (change->kind == LM_PLAN_FREE)
	{
		lm_design_plan_forget(object);
		return LM_OK;
	}
	lm_design_told* told = copy_keys(object);
	if (told == NULL)
		return lm_fail_memory(error);
	lm_status status = change->kind == LM_PLAN_KEY          ? put_key(object, change, told, error)
	                   : change->kind == LM_PLAN_REMOVE_KEY ? remove_key(object, change, told, error)
	                   : change->kind == LM_PLAN_MOVE_KEY   ? move_key(object, change, told, error)
	                                                        : change_handle(object, change, told, error);
	if (status == LM_OK)
		status = check_whole(object, told, error);
	if (status == LM_OK)
	{
		lm_design_plan_forget(object);
		object->told = told;
	}
	else
		destroy_told(&base->host, told);
	return status;
}

// ---- state ----

static int list_handle(lm_scene_handle* handle, lm_bytes parts[5])
{
	parts[0] = lm_bools(&handle->has_to, 1);
	parts[1] = lm_doubles(handle->by, 3);
	parts[2] = lm_doubles(handle->to, 3);
	parts[3] = lm_doubles(handle->rotation, 4);
	parts[4] = lm_doubles_in(&handle->weight, 1, 0, 1e12);
	return 5;
}

static int list_key(lm_scene_design_key* key, lm_bytes parts[7])
{
	parts[0] = lm_doubles_in(&key->time, 1, 0, LM_STATE_LARGEST);
	parts[1] = lm_doubles(&key->end, 1);
	parts[2] = lm_bools(&key->has_position, 1);
	parts[3] = lm_bools(&key->has_rotation, 1);
	parts[4] = lm_doubles(key->position, 3);
	parts[5] = lm_doubles(key->rotation, 4);
	parts[6] = lm_bools(&key->via, 1);
	return 7;
}

static void put_handle(lm_scene_handle handle, lm_blob* blob)
{
	lm_bytes parts[5];
	int32_t head[2] = { handle.count, (int32_t)strlen(handle.group) };
	lm_blob_put(blob, head, sizeof head);
	lm_blob_put(blob, handle.group, (size_t)head[1]);
	lm_blob_put(blob, handle.vertices, (size_t)handle.count * sizeof *handle.vertices);
	lm_bytes_put(parts, list_handle(&handle, parts), blob);
}

void lm_design_plan_save(const lm_design_object* object, lm_blob* blob)
{
	const lm_design_told* told = object->told;
	int32_t count = told != NULL ? told->count : -1;
	lm_blob_put(blob, &count, sizeof count);
	for (int32_t k = 0; k < count; ++k)
	{
		lm_scene_design_key key = told->keys[k];
		int32_t head[2] = { told->origins[k], key.handle_count };
		lm_bytes parts[7];
		lm_blob_put(blob, head, sizeof head);
		lm_bytes_put(parts, list_key(&key, parts), blob);
		for (int32_t i = 0; i < key.handle_count; ++i)
			put_handle(key.handles[i], blob);
	}
}

uint64_t lm_design_plan_hash(const lm_object* base, uint64_t hash)
{
	const lm_design_object* object = (const lm_design_object*)base;
	if (object->told == NULL)
		return hash;
	lm_blob blob;
	lm_blob_init(&blob, &base->host);
	lm_design_plan_save(object, &blob);
	hash = lm_hash(hash, blob.data, blob.size);
	lm_blob_release(&blob);
	return hash;
}

static bool get_handle(lm_arena* memory, int32_t vertices, lm_blob* blob, lm_scene_handle* handle)
{
	int32_t head[2];
	lm_bytes parts[6];
	lm_blob_get(blob, head, sizeof head);
	if (blob->failed || head[0] < 1 || head[0] > vertices || head[1] < 0 || head[1] > 1000)
		return false;
	*handle = (lm_scene_handle){ .count = head[0], .vertices = LM_TAKE(memory, head[0], int32_t) };
	char* group = LM_TAKE(memory, head[1] + 1, char);
	if (group == NULL || handle->vertices == NULL)
		return false;
	lm_blob_get(blob, group, (size_t)head[1]);
	group[head[1]] = 0;
	handle->group = group;
	lm_bytes_get((lm_bytes[]){ lm_ints_in(handle->vertices, (size_t)head[0], 0, vertices - 1) }, 1, blob);
	lm_bytes_get(parts, list_handle(handle, parts), blob);
	return !blob->failed;
}

static bool get_key(const lm_design_object* object, lm_design_told* told, int32_t k, lm_blob* blob)
{
	const lm_scene_object* description = object->base.description;
	int32_t head[2];
	lm_bytes parts[7];
	lm_blob_get(blob, head, sizeof head);
	if (blob->failed || head[0] < -1 || head[0] >= description->design->key_count || head[1] < 0 || head[1] > MOST_KEYS)
		return false;
	lm_scene_design_key* key = &told->keys[k];
	*key = (lm_scene_design_key){ .pose_file = "", .group = "" };
	if (head[0] >= 0)
		*key = description->design->keys[head[0]];
	lm_bytes_get(parts, list_key(key, parts), blob);
	key->handle_count = head[1];
	key->handles = LM_TAKE(&told->memory, head[1] + 1, lm_scene_handle);
	told->origins[k] = head[0];
	bool good = !blob->failed && key->handles != NULL;
	for (int32_t i = 0; good && i < key->handle_count; ++i)
		good = get_handle(&told->memory, description->mesh->vertex_count, blob, &key->handles[i]);
	return good;
}

lm_status lm_design_plan_load(lm_design_object* object, lm_blob* blob, lm_error* error)
{
	int32_t count = -1;
	lm_blob_get(blob, &count, sizeof count);
	lm_design_plan_forget(object);
	if (blob->failed || count < -1 || count > MOST_KEYS)
		return lm_fail(error, LM_BAD_INPUT, "the saved keys are damaged");
	if (count < 0)
		return LM_OK;
	lm_design_told* told = create_told(&object->base.host, count + 1);
	bool good = told != NULL;
	for (int32_t k = 0; good && k < count; ++k)
	{
		good = get_key(object, told, k, blob);
		told->count = k + 1;
	}
	object->told = told;
	if (good)
		return LM_OK;
	lm_design_plan_forget(object);
	return told == NULL ? lm_fail_memory(error) : lm_fail(error, LM_BAD_INPUT, "the saved keys are damaged");
}
