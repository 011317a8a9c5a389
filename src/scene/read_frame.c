// read_frame.c: how an object's files are turned, scaled and moved before anything else looks at them: up, forward,
// height and place, in an animator's words.
#include "base/error.h"
#include "math/vec.h"
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

void lm_frame_apply(const lm_scene_frame* frame, double* positions, int64_t count)
{
	for (int64_t v = 0; frame->used && v < count; ++v)
	{
		lm_vec3 x = lm_v3_at(positions, v);
		double moved[3];
		for (int c = 0; c < 3; ++c)
			moved[c] = frame->factor * (frame->turn[c][0] * x.x + frame->turn[c][1] * x.y + frame->turn[c][2] * x.z) +
			           frame->shift[c];
		lm_v3_store(positions, v, lm_v3(moved[0], moved[1], moved[2]));
	}
}

void lm_frame_apply_mesh(const lm_scene_frame* frame, lm_mesh* mesh)
{
	if (mesh != NULL)
		lm_frame_apply(frame, mesh->positions, mesh->vertex_count);
}

static void turn_by(lm_scene_frame* frame, double by[3][3])
{
	double product[3][3] = { { 0 } };
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			for (int k = 0; k < 3; ++k)
				product[i][j] += by[i][k] * frame->turn[k][j];
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			frame->turn[i][j] = product[i][j];
	frame->used = true;
}

static void turn_up(lm_scene_frame* frame)
{
	double z_up[3][3] = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } };
	turn_by(frame, z_up);
}

// Takes an axis of the file, up being y, to x.
static void turn_forward(lm_scene_frame* frame, int axis, int sign)
{
	double s = sign;
	double along_x[3][3] = { { s, 0, 0 }, { 0, 1, 0 }, { 0, 0, s } };
	double along_z[3][3] = { { 0, 0, s }, { 0, 1, 0 }, { -s, 0, 0 } };
	if (axis == 2)
		turn_by(frame, along_z);
	else if (sign < 0)
		turn_by(frame, along_x);
}

// Of a character: what can be told of its figure, turned as it is so far. NULL, with a problem noted, where it fails.
static lm_mesh* look_at(lm_reader* reader, const lm_mesh* mesh, const lm_scene_frame* frame, lm_facing* facing)
{
	lm_mesh* turned = lm_mesh_copy(mesh, &reader->host);
	lm_error error;
	if (turned == NULL)
	{
		lm_reader_no_memory(reader);
		return NULL;
	}
	lm_frame_apply_mesh(frame, turned);
	if (lm_figure_facing(turned, &reader->host, facing, &error) == LM_OK)
		return turned;
	lm_mesh_destroy(turned);
	lm_problem_from(reader, "mesh", &error);
	return NULL;
}

// A figure without feet that would topple is laid as it would come to rest.
static void lay_down(lm_reader* reader, const lm_mesh* turned, const lm_facing* facing, lm_scene_frame* frame)
{
	double turn[3][3], angle = lm_figure_rest(turned, facing->center, turn);
	if (angle < 1)
		return;
	turn_by(frame, turn);
	lm_log(&reader->host, LM_LOG_INFO,
	       "%s: %s: the figure cannot stand as it is, its centre of mass is beside what it stands on; it is turned by "
	       "%.0f "
	       "degrees, as it would come to rest (`place` \"origin\" leaves it as it is)",
	       reader->file, reader->path, angle);
}

static void find_forward(lm_reader* reader, const lm_facing* facing, lm_scene_frame* frame)
{
	if (!facing->certain)
		lm_log(
			&reader->host, LM_LOG_INFO,
			"%s: %s: nothing tells where the figure faces; %s%c of its file is taken as forward, unless `forward` says "
			"otherwise",
			reader->file, reader->path, facing->sign > 0 ? "" : "-", "xyz"[facing->axis]);
	turn_forward(frame, facing->axis, facing->sign);
}

static void measure(const lm_scene_frame* frame, const lm_mesh* mesh, double low[3], double high[3])
{
	for (int c = 0; c < 3; ++c)
		low[c] = INFINITY, high[c] = -INFINITY;
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
		for (int c = 0; c < 3; ++c)
		{
			const double *x = mesh->positions + 3 * (int64_t)v, *t = frame->turn[c];
			double y = t[0] * x[0] + t[1] * x[1] + t[2] * x[2];
			low[c] = fmin(low[c], y), high[c] = fmax(high[c], y);
		}
}

void lm_read_frame(lm_reader* reader, const lm_scene_object* object, const lm_mesh* mesh, lm_scene_frame* frame)
{
	bool character = lm_object_is_character(object);
	*frame = (lm_scene_frame){ .factor = 1, .turn = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	bool on_ground = object->place == 1 || (character && !LM_GIVEN(lm_object_table, object, place));
	lm_facing facing = { .axis = 2, .sign = 1 };
	if (object->up == 1)
		turn_up(frame);
	lm_mesh* figure = character && mesh->triangle_count > 0 ? look_at(reader, mesh, frame, &facing) : NULL;
	if (figure != NULL && on_ground && facing.foot_count == 0)
		lay_down(reader, figure, &facing, frame);
	switch (object->forward)
	{
		case FORWARD_MINUS_X: turn_forward(frame, 0, -1); break;
		case FORWARD_Z: turn_forward(frame, 2, 1); break;
		case FORWARD_MINUS_Z: turn_forward(frame, 2, -1); break;
		case FORWARD_AUTO:
			if (figure != NULL)
				find_forward(reader, &facing, frame);
			break;
		default: break;
	}
	lm_mesh_destroy(figure);
	double low[3], high[3];
	measure(frame, mesh, low, high);
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
