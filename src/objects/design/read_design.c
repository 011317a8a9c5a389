// read_design.c: what is particular to objects of the engine `design`: keys with their poses and handles.
#include "base/alloc.h"
#include "math/vec.h"
#include "objects/design/handles.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

void lm_scene_design_defaults(lm_scene_design* design)
{
	lm_design_model_def def = lm_design_model_def_default();
	design->nodes = def.nodes, design->voxels = def.voxels, design->radius = def.radius;
	design->frames = lm_motion_object_default().frames;
	design->pose = lm_pose_settings_default();
	design->motion = lm_motion_settings_default();
	design->dynamics = lm_dynamics_default();
	design->rate = lm_performance_settings_default().rate;
}

void lm_scene_design_release(const lm_host* host, lm_scene_design* design)
{
	if (design == NULL)
		return;
	for (int32_t k = 0; k < design->key_count; ++k)
	{
		lm_mesh_destroy(design->keys[k].pose);
		lm_handles_free(host, design->keys[k].handles, design->keys[k].handle_count);
		lm_free(host, design->keys[k].vertices);
	}
	lm_free(host, design->keys);
	lm_free(host, design->velocities);
	lm_free(host, design->simulated);
	lm_free(host, design);
}

static void read_key(lm_reader* reader, const lm_read_body* body, const lm_read_design_key* read,
                     lm_scene_design_key* key)
{
	*key = read->key;
	key->handles = NULL, key->handle_count = 0, key->vertices = NULL, key->count = 0, key->pose = NULL;
	if (!read->until_given)
		key->end = -1;
	else if (key->end < key->time)
		lm_problem_key(reader, "until", "is %g s, before its time, %g s", key->end, key->time);
	if (key->time > body->scene->seconds)
		lm_problem_key(reader, "time", "is %g s, but the scene ends at %g s", key->time, body->scene->seconds);
	if (read->mesh != NULL)
		key->pose = lm_read_pose(reader, body, "pose", read->mesh, "a pose");
	if (read->group_given)
	{
		lm_read_selection selection = { .group = read->group, .group_given = true };
		key->vertices = lm_read_vertices(reader, body, &selection, &key->count);
		if (key->vertices == NULL)
			key->count = 0;
	}
	if (read->group_given && key->via)
		lm_problem_key(reader, "via", "is true, but only keys of the whole object can show the way");
	if (read->handle_count == 0)
		return;
	key->handles = lm_read_list(reader, body->scene, read->handle_count, sizeof *key->handles, &key->handle_count);
	size_t mark = lm_reader_enter(reader, "handles");
	for (int32_t i = 0; i < key->handle_count && reader->status == LM_OK; ++i)
	{
		size_t item = lm_reader_enter_item(reader, i);
		lm_read_handle_into(reader, body, &read->handles[i], &key->handles[i]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, mark);
}

// Simulated times are in order, apart, within the scene.
static void check_simulated(lm_reader* reader, const lm_scene* scene, const lm_scene_design* design)
{
	size_t mark = lm_reader_enter(reader, "simulate");
	for (int32_t k = 0; k < design->simulated_count; ++k)
	{
		const lm_simulated *s = &design->simulated[k], *before = k > 0 ? s - 1 : NULL;
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

// Nobody can say where it is while it is simulated.
static void check_apart(lm_reader* reader, const lm_scene_design* design, const char* list, int32_t index, double from,
                        double until)
{
	for (int32_t k = 0; k < design->simulated_count; ++k)
	{
		const lm_simulated* s = &design->simulated[k];
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
			if (other->count > 0 || other->via || other->time != key->time)
				continue;
			size_t item = lm_reader_enter_item(reader, k);
			lm_problem_key(reader, "time", "is %g s, as that of keys[%d]: an object can be in one place at a time",
			               key->time, l);
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
static void refuse(lm_reader* reader, const lm_read_object* read)
{
	const struct
	{
		const char *key, *instead;
		bool given;
	} keys[] = {
		{ "pins", "keys with a group", read->pin_count > 0 },
		{ "drags", "keys with handles", read->drag_count > 0 },
		{ "pushes", "velocities", read->push_count > 0 },
		{ "start", "keys with a pose", read->start != NULL },
		{ "velocity", "velocities", lm_length(lm_v3_at(read->object.velocity, 0)) > 0 },
		{ "angular_velocity", "velocities", lm_length(lm_v3_at(read->object.angular_velocity, 0)) > 0 },
	};
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
		if (keys[i].given)
			lm_problem_key(reader, keys[i].key, "is given, but design does not know it; use its %s", keys[i].instead);
}

void lm_read_design_into(lm_reader* reader, const lm_read_body* body, const lm_read_object* read_object,
                         lm_scene_object* object)
{
	const lm_read_design* read = &read_object->design;
	refuse(reader, read_object);
	lm_scene_design* design = object->design;
	*design = read->design;
	design->keys = NULL, design->velocities = NULL, design->key_count = design->velocity_count = 0;
	design->simulated = NULL, design->simulated_count = 0;
	size_t mark = lm_reader_enter(reader, "design");
	if (read->key_count > 0)
		design->keys = lm_read_list(reader, body->scene, read->key_count, sizeof *design->keys, &design->key_count);
	if (read->velocity_count > 0)
		design->velocities = lm_read_list(reader, body->scene, read->velocity_count, sizeof *design->velocities,
		                                  &design->velocity_count);
	if (design->velocities != NULL)
		memcpy(design->velocities, read->velocities, (size_t)read->velocity_count * sizeof *design->velocities);
	if (read->simulated_count > 0)
		design->simulated = lm_read_list(reader, body->scene, read->simulated_count, sizeof *design->simulated,
		                                 &design->simulated_count);
	if (design->simulated != NULL)
		memcpy(design->simulated, read->simulated, (size_t)read->simulated_count * sizeof *design->simulated);
	size_t keys = lm_reader_enter(reader, "keys");
	for (int32_t k = 0; k < design->key_count && reader->status == LM_OK; ++k)
	{
		size_t item = lm_reader_enter_item(reader, k);
		read_key(reader, body, &read->keys[k], &design->keys[k]);
		lm_reader_leave(reader, item);
	}
	lm_reader_leave(reader, keys);
	check_keys(reader, design);
	check_simulated(reader, body->scene, design);
	if (reader->status == LM_OK)
		check_parts(reader, body->scene, design);
	lm_reader_leave(reader, mark);
}
