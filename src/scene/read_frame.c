// read_frame.c: how an object's files are turned, scaled and moved before anything else looks at them: up, forward,
// height and place, in an animator's words.
#include "base/error.h"
#include "scene/engine.h"

#include <math.h>

// In the order of the key's choices.
enum
{
	FORWARD_AUTO,
	FORWARD_X,
	FORWARD_MINUS_X,
	FORWARD_Z,
	FORWARD_MINUS_Z
};

bool lm_object_is_character(const lm_scene_object* object)
{
	return object->act != NULL && object->act->character;
}

// Of a character: what can be told of its figure, turned as it is so far. NULL, with a problem noted, where it fails.
static lm_mesh* look_at(lm_reader* reader, const lm_mesh* mesh, const lm_transform* frame, lm_facing* facing)
{
	lm_mesh* turned = lm_mesh_copy(mesh, &reader->host);
	lm_error error;
	if (turned == NULL)
	{
		lm_reader_no_memory(reader);
		return NULL;
	}
	lm_transform_apply_mesh(frame, turned);
	if (lm_figure_facing(turned, &reader->host, facing, &error) == LM_OK)
		return turned;
	lm_mesh_destroy(turned);
	lm_problem_from(reader, "mesh", &error);
	return NULL;
}

// A figure without feet that would topple is laid as it would come to rest.
static void lay_down(lm_reader* reader, const lm_mesh* turned, const lm_facing* facing, lm_transform* frame)
{
	double turn[3][3], angle = lm_figure_rest(turned, facing->center, turn);
	if (angle < 1)
		return;
	lm_transform_turn(frame, turn);
	lm_log(&reader->host, LM_LOG_INFO,
	       "%s: %s: the figure cannot stand as it is, its centre of mass is beside what it stands on; it is turned by "
	       "%.0f "
	       "degrees, as it would come to rest (`place` \"origin\" leaves it as it is)",
	       reader->file, reader->path, angle);
}

static void find_forward(lm_reader* reader, const lm_facing* facing, lm_transform* frame)
{
	if (!facing->certain)
		lm_log(
			&reader->host, LM_LOG_INFO,
			"%s: %s: nothing tells where the figure faces; %s%c of its file is taken as forward, unless `forward` says "
			"otherwise",
			reader->file, reader->path, facing->sign > 0 ? "" : "-", "xyz"[facing->axis]);
	lm_transform_turn_forward(frame, facing->axis, facing->sign);
}

void lm_read_frame(lm_reader* reader, const lm_scene_object* object, const lm_mesh* mesh, lm_transform* frame)
{
	bool character = lm_object_is_character(object);
	*frame = (lm_transform){ .factor = 1, .turn = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	bool on_ground = object->place == 1 || (character && !LM_GIVEN(lm_object_table, object, place));
	lm_facing facing = { .axis = 2, .sign = 1 };
	if (object->up == 1)
		lm_transform_turn_up(frame);
	lm_mesh* figure = character && mesh->triangle_count > 0 ? look_at(reader, mesh, frame, &facing) : NULL;
	if (figure != NULL && on_ground && facing.foot_count == 0)
		lay_down(reader, figure, &facing, frame);
	switch (object->forward)
	{
		case FORWARD_MINUS_X: lm_transform_turn_forward(frame, 0, -1); break;
		case FORWARD_Z: lm_transform_turn_forward(frame, 2, 1); break;
		case FORWARD_MINUS_Z: lm_transform_turn_forward(frame, 2, -1); break;
		case FORWARD_AUTO:
			if (figure != NULL)
				find_forward(reader, &facing, frame);
			break;
		default: break;
	}
	lm_mesh_destroy(figure);
	double low[3], high[3];
	lm_transform_bounds(frame, mesh, low, high);
	if (LM_GIVEN(lm_object_table, object, height))
	{
		if (LM_GIVEN(lm_object_table, object, scale))
			lm_problem_key(reader, "height", "is given together with scale; only one of them can be met");
		if (!(high[1] > low[1]))
			lm_problem_key(reader, "height", "is given, but the mesh is flat and has none");
		else
			frame->factor = object->height / (high[1] - low[1]);
		frame->used = true;
	}
	if (on_ground)
	{
		for (int c = 0; c < 3; ++c)
			frame->shift[c] = -frame->factor * (c == 1 ? low[1] : (low[c] + high[c]) / 2);
		frame->used = true;
	}
}
