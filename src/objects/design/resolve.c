// resolve.c: what is particular to objects of the engine `design`: keys with their poses and handles.
#include "base/error.h"
#include "math/vec.h"
#include "objects/design/design.h"

#include <math.h>

lm_element_kind lm_design_elements(const lm_scene_object* object, const lm_mesh* mesh)
{
	(void)object, (void)mesh;
	return LM_TRIANGLES;
}

static void resolve_key(lm_reader* reader, const lm_scene_body* body, lm_scene_design_key* key)
{
	key->has_position = LM_GIVEN(lm_design_key_table, key, position);
	key->has_rotation = LM_GIVEN(lm_design_key_table, key, rotation);
	if (LM_GIVEN(lm_design_key_table, key, end) && key->end < key->time)
		lm_problem_key(reader, "until", "is %g s, before its time, %g s", key->end, key->time);
	if (key->time > body->scene->seconds)
		lm_problem_key(reader, "time", "is %g s, but the scene ends at %g s", key->time, body->scene->seconds);
	if (key->pose_file[0] != 0)
		key->pose = lm_read_pose(reader, body, "pose", key->pose_file, "a pose");
	if (key->group[0] != 0)
		lm_read_vertices(reader, body, key->group, false, &key->vertices, &key->count);
	if (key->via && LM_GIVEN(lm_design_key_table, key, group))
		lm_problem_key(reader, "via", "is true, but only keys of the whole object can show the way");
	lm_design_resolve_handles(reader, body, key->handles, key->handle_count);
}

// Simulated times are in order, apart, within the scene.
static void check_simulated(lm_reader* reader, const lm_scene* scene, const lm_scene_design* design)
{
	size_t mark = lm_reader_enter(reader, "simulate");
	for (int32_t k = 0; k < design->simulated_count; ++k)
	{
		const lm_design_simulated *s = &design->simulated[k], *before = k > 0 ? s - 1 : NULL;
		size_t item = lm_reader_enter_item(reader, k);
		if (s->from > scene->seconds - 1e-6)
			lm_problem_key(reader, "from", "is %g s, but the scene ends at %g s", s->from, scene->seconds);
		else if (!(s->until > s->from + 1e-6))
			lm_problem_key(reader, "until", "is %g s, must be after from, %g s", s->until, s->from);
		if (before != NULL && s->from <= before->until)
			lm_problem_key(reader, "from", "is %g s, but the simulated time before lasts until %g s; make it one",
			               s->from, fmin(before->until, scene->seconds));
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

// Keys are not allowed while it is simulated.
static void check_apart(lm_reader* reader, const lm_scene_design* design, const char* list, int32_t index, double from,
                        double until)
{
	for (int32_t k = 0; k < design->simulated_count; ++k)
	{
		const lm_design_simulated* s = &design->simulated[k];
		if (from >= s->until + 1e-9 || until <= s->from + 1e-9)
			continue;
		size_t mark = lm_reader_enter(reader, list), item = lm_reader_enter_item(reader, index);
		lm_problem_key(reader, "time",
		               "is %g s, but from %g s it is simulated (simulate[%d]); a key may be where that begins, or some "
		               "time after it ends, for the way there starts from where it is then",
		               from, s->from, k);
		lm_reader_leave(reader, item);
		lm_reader_leave(reader, mark);
	}
}

// What is led after a simulated time needs somewhere to go.
static void check_parts(lm_reader* reader, const lm_scene* scene, const lm_scene_design* design)
{
	for (int32_t k = 0; k <= design->simulated_count && design->simulated_count > 0; ++k)
	{
		double begin = k > 0 ? design->simulated[k - 1].until : 0;
		double end = k < design->simulated_count ? design->simulated[k].from : scene->seconds;
		bool found = end < begin + 1e-9 || (k == 0 && design->key_count == 0); // then it rests where it starts
		for (int32_t j = 0; j < design->key_count && !found; ++j)
			found = design->keys[j].count == 0 && !design->keys[j].via && design->keys[j].time > begin - 1e-9 &&
			        design->keys[j].time < end + 1e-9;
		if (!found)
			lm_problem_key(reader, "keys",
			               "has none of the whole object between %g and %g s; give it one, or let it be simulated",
			               begin, end);
	}
}

// Two keys of the whole object, the second of which is keys[l]: not at one time, nor while the other is held.
static void check_held(lm_reader* reader, const lm_scene_design_key* key, const lm_scene_design_key* other, int32_t l)
{
	if (other->time == key->time)
		lm_problem_key(reader, "time", "is %g s, as that of keys[%d]: an object can be in one place at a time",
		               key->time, l);
	else if (other->time < key->time && key->time <= other->end + 1e-9)
		lm_problem_key(reader, "time", "is %g s, but keys[%d] is held until %g s", key->time, l, other->end);
	else if (key->time < other->time && other->time <= key->end + 1e-9)
		lm_problem_key(reader, "until", "is %g s, but keys[%d] is at %g s", key->end, l, other->time);
}

// Problems that the motion would find, with the place in the file.
static void check_keys(lm_reader* reader, const lm_scene_design* design)
{
	bool whole = design->key_count == 0;
	size_t mark = lm_reader_enter(reader, "keys");
	for (int32_t k = 0; k < design->key_count; ++k)
	{
		const lm_scene_design_key* key = &design->keys[k];
		bool counts = key->count == 0 && !key->via;
		whole |= counts;
		for (int32_t l = 0; l < k && counts; ++l)
		{
			const lm_scene_design_key* other = &design->keys[l];
			if (other->count > 0 || other->via)
				continue;
			size_t item = lm_reader_enter_item(reader, k);
			check_held(reader, key, other, l);
			lm_reader_leave(reader, item);
		}
	}
	lm_reader_leave(reader, mark);
	for (int32_t k = 0; k < design->key_count; ++k)
		check_apart(reader, design, "keys", k, design->keys[k].time, fmax(design->keys[k].time, design->keys[k].end));
	for (int32_t k = 0; k < design->velocity_count; ++k)
		check_apart(reader, design, "velocities", k, design->velocities[k].time, design->velocities[k].time);
	if (!whole && design->simulated_count == 0)
		lm_problem_key(reader, "keys", "has only keys of groups or via, must have one of the whole object");
}

// What would be ignored: keys, handles and velocities of `design` say all of this.
static void refuse(lm_reader* reader, const lm_scene_object* object)
{
	const struct
	{
		const char *key, *instead;
		bool given;
	} keys[] = {
		{ "pins", "keys with a group", object->pin_count > 0 },
		{ "drags", "keys with handles", object->drag_count > 0 },
		{ "pushes", "velocities", object->push_count > 0 },
		{ "start", "keys with a pose", object->start_file[0] != 0 },
		{ "velocity", "velocities", lm_length(lm_v3_at(object->velocity, 0)) > 0 },
		{ "angular_velocity", "velocities", lm_length(lm_v3_at(object->angular_velocity, 0)) > 0 },
	};
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
		if (keys[i].given)
			lm_problem_key(reader, keys[i].key, "is given, but design does not know it; use its %s", keys[i].instead);
}

void lm_design_resolve(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object)
{
	lm_scene_design* design = object->design;
	refuse(reader, object);
	size_t mark = lm_reader_enter(reader, "design"), keys = lm_reader_enter(reader, "keys");
	for (int32_t k = 0; k < design->key_count && reader->status == LM_OK; ++k)
	{
		size_t item = lm_reader_enter_item(reader, k);
		resolve_key(reader, body, &design->keys[k]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, keys);
	size_t velocities = lm_reader_enter(reader, "velocities");
	for (int32_t k = 0; k < design->velocity_count && reader->status == LM_OK; ++k)
	{
		lm_scene_design_velocity* velocity = &design->velocities[k];
		size_t item = lm_reader_enter_item(reader, k);
		if (velocity->group[0] != 0)
			lm_read_vertices(reader, body, velocity->group, false, &velocity->vertices, &velocity->count);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, velocities);
	design->node_density = lm_read_density(reader, body, design->denser, design->denser_count);
	check_keys(reader, design);
	check_simulated(reader, body->scene, design);
	if (reader->status == LM_OK)
		check_parts(reader, body->scene, design);
	lm_reader_leave(reader, mark);
}

void lm_design_release(lm_scene_object* object)
{
	for (int32_t k = 0; k < object->design->key_count; ++k)
		lm_mesh_destroy(object->design->keys[k].pose);
}

lm_status lm_design_check_object(const lm_scene* scene, const lm_scene_object* object, lm_error* error)
{
	(void)scene;
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < object->design->velocity_count; ++i)
		status = lm_scene_check_vertices(object, "a velocity", object->design->velocities[i].vertices,
		                                 object->design->velocities[i].count, error);
	for (int32_t i = 0; status == LM_OK && i < object->design->key_count; ++i)
	{
		const lm_scene_design_key* key = &object->design->keys[i];
		status = lm_scene_check_vertices(object, "a key", key->vertices, key->count, error);
		if (status == LM_OK && key->pose != NULL)
			status = lm_scene_check_pose(object, "the pose of a key", key->pose, error);
		for (int32_t k = 0; status == LM_OK && k < key->handle_count; ++k)
			status =
				lm_scene_check_vertices(object, "a handle", key->handles[k].vertices, key->handles[k].count, error);
	}
	return status;
}
