// pose.c: a posing session: handles on patches of a surface, posing steps, and what was done before, to go back to.
//
// A session keeps every handle that was ever put; a state lists those that count, with where they shall be, and the
// nodes of the pose. Undoing puts an earlier state back.
#include "world/pose.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

static const double hard_weight = 1000;

lm_pose_grip lm_pose_grip_default(void)
{
	return (lm_pose_grip){ .weight = 1 };
}

// ---- coordinates ----

static lm_vec3 to_shown(const lm_pose_surface* s, lm_vec3 x)
{
	return lm_add(s->to, lm_quat_rotate(s->rotation, lm_sub(x, s->from)));
}

static lm_vec3 to_own(const lm_pose_surface* s, lm_vec3 x)
{
	return lm_add(s->from, lm_quat_rotate(lm_quat_conjugate(s->rotation), lm_sub(x, s->to)));
}

static void read_surface(lm_pose_session* session)
{
	lm_design_surface(session->model, lm_design_pose_nodes(session->pose), session->host.threads, session->own, NULL);
	for (int32_t v = 0; v < session->surface.mesh->vertex_count; ++v)
		lm_v3_store(session->shown, v, to_shown(&session->surface, lm_v3_at(session->own, v)));
}

// ---- states ----

static size_t node_numbers(const lm_pose_session* session)
{
	return 3 * (size_t)lm_design_model_node_count(session->model);
}

static void release_state(const lm_host* host, lm_pose_state* s)
{
	lm_free(host, s->handles);
	lm_free(host, s->nodes);
	*s = (lm_pose_state){ 0 };
}

// What is now, to come back to. The oldest makes room. moving: -1, or the handle whose move this is.
static lm_status remember(lm_pose_session* session, int32_t moving, lm_error* error)
{
	const lm_host* host = &session->host;
	if (moving >= 0 && moving == session->moving)
		return LM_OK;
	lm_pose_state copy = session->now;
	copy.handles = lm_copy(host, session->now.handles, (size_t)session->now.count, sizeof *copy.handles);
	copy.nodes = lm_copy(host, lm_design_pose_nodes(session->pose), node_numbers(session), sizeof *copy.nodes);
	if (copy.nodes == NULL || (copy.count > 0 && copy.handles == NULL))
	{
		release_state(host, &copy);
		return lm_fail_memory(error);
	}
	if (session->past_count == LM_POSE_STATES)
	{
		release_state(host, &session->past[0]);
		memmove(session->past, session->past + 1, sizeof session->past - sizeof session->past[0]);
		--session->past_count;
	}
	session->past[session->past_count++] = copy;
	session->moving = moving;
	return LM_OK;
}

static void targets_of(const lm_pose_session* session, const lm_pose_active* a, double* targets)
{
	const lm_pose_grip_put* g = session->grips[a->grip];
	for (int32_t k = 0; k < g->count; ++k)
		lm_v3_store(targets, k, lm_add(a->to, lm_quat_rotate(a->rotation, lm_v3_at(g->offsets, k))));
}

// The handles of the state, given to the pose.
static lm_status hold(lm_pose_session* session, lm_error* error)
{
	const lm_pose_state* now = &session->now;
	lm_design_pose_handle* handles = LM_NEW(&session->host, now->count, lm_design_pose_handle);
	double* targets = LM_NEW(&session->host, 3 * (size_t)LM_POSE_POINTS * (size_t)now->count, double);
	lm_status status = handles != NULL && targets != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < now->count; ++i)
	{
		const lm_pose_grip_put* g = session->grips[now->handles[i].grip];
		double* own = targets + 3 * (size_t)LM_POSE_POINTS * (size_t)i;
		targets_of(session, &now->handles[i], own);
		handles[i] = lm_design_pose_handle_default();
		handles[i].count = g->count, handles[i].vertices = g->vertices, handles[i].targets = own;
		handles[i].weight = g->given.weight * (g->given.hard ? hard_weight : 1);
	}
	if (status == LM_OK)
		status = lm_design_pose_set_handles(session->pose, handles, now->count, error);
	lm_free(&session->host, handles);
	lm_free(&session->host, targets);
	return status;
}

static lm_status use_volume(lm_pose_session* session, lm_error* error)
{
	lm_design_pose_settings settings = session->settings;
	settings.volume = session->now.volume ? settings.volume : 0;
	return lm_design_pose_set_settings(session->pose, &settings, error);
}

bool lm_pose_session_can_undo(const lm_pose_session* session)
{
	return session->past_count > 0;
}

lm_status lm_pose_session_undo(lm_pose_session* session, lm_error* error)
{
	if (session->past_count == 0)
		return lm_fail(error, LM_BAD_INPUT, "there is nothing to take back");
	release_state(&session->host, &session->now);
	session->now = session->past[--session->past_count];
	session->past[session->past_count] = (lm_pose_state){ 0 };
	session->moving = -1;
	lm_design_pose_set_nodes(session->pose, session->now.nodes);
	read_surface(session);
	lm_status status = use_volume(session, error);
	return status == LM_OK ? hold(session, error) : status;
}

// ---- making ----

static lm_status create(lm_pose_session* session, lm_error* error)
{
	const lm_mesh* mesh = session->surface.mesh;
	lm_mesh surface = *mesh; // the triangles alone: a body may have tetrahedra that are inside out at the moment
	surface.tet_count = 0;
	lm_design_model_def def = lm_design_model_def_default();
	def.surface = &surface;
	session->settings = lm_design_pose_settings_default();
	if (session->design != NULL) // as its keys are posed
	{
		const lm_scene_design* design = session->design;
		bool own = session->surface.body == NULL;
		def.nodes = design->nodes, def.radius = design->radius, def.voxels = design->voxels;
		def.density = own ? design->node_density : NULL;
		session->settings = design->pose;
	}
	session->now.volume = true;
	session->moving = -1;
	session->own = LM_NEW(&session->host, 3 * (size_t)mesh->vertex_count, double);
	session->shown = LM_NEW(&session->host, 3 * (size_t)mesh->vertex_count, double);
	if (session->own == NULL || session->shown == NULL)
		return lm_fail_memory(error);
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	session->size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
	lm_status status = lm_topology_neighbours(&surface, &session->host, &session->neighbours, error);
	if (status == LM_OK)
		status = lm_design_model_create(&def, &session->host, &session->model, error);
	if (status == LM_OK)
		status = lm_design_pose_create(session->model, &session->settings, &session->host, &session->pose, error);
	if (status == LM_OK)
		read_surface(session);
	return status;
}

static lm_status begin(const lm_host* host, lm_pose_surface* surface, const lm_scene_design* design, int32_t object,
                       lm_pose_start start, lm_pose_session** result, lm_error* error)
{
	lm_pose_session* session = LM_NEW(host, 1, lm_pose_session);
	if (session == NULL)
	{
		lm_mesh_destroy(surface->mesh), lm_mesh_destroy(surface->body);
		return lm_fail_memory(error);
	}
	session->host = *host;
	session->surface = *surface;
	session->design = design, session->object = object, session->start = start;
	lm_status status = create(session, error);
	if (status == LM_OK)
		*result = session;
	else
		lm_pose_session_destroy(session);
	return status;
}

lm_status lm_pose_session_create(lm_world* world, int32_t object, lm_pose_start start, lm_pose_session** session,
                                 lm_error* error)
{
	lm_pose_surface surface = { .rotation = lm_quat_identity(), .scale = 1 };
	lm_status status = lm_pose_surface_of(world, object, start, &surface, error);
	if (status == LM_OK)
		return begin(&world->host, &surface, world->scene->objects[object].design, object, start, session, error);
	lm_mesh_destroy(surface.mesh), lm_mesh_destroy(surface.body);
	return status;
}

lm_status lm_pose_session_create_mesh(const lm_mesh* mesh, const lm_host* host, lm_pose_session** session,
                                      lm_error* error)
{
	lm_pose_surface surface = { .rotation = lm_quat_identity(), .scale = 1, .mesh = lm_mesh_copy(mesh, host) };
	if (surface.mesh == NULL)
		return lm_fail_memory(error);
	lm_status status = surface.mesh->triangle_count > 0 ? LM_OK : lm_mesh_extract_surface(surface.mesh, error);
	if (status == LM_OK)
		return begin(host, &surface, NULL, -1, LM_POSE_REST, session, error);
	lm_mesh_destroy(surface.mesh);
	return status;
}

void lm_pose_session_destroy(lm_pose_session* session)
{
	if (session == NULL)
		return;
	const lm_host host = session->host;
	for (int32_t i = 0; i < session->past_count; ++i)
		release_state(&host, &session->past[i]);
	release_state(&host, &session->now);
	for (size_t i = 0; i < session->grip_count; ++i)
		lm_free(&host, session->grips[i]);
	lm_free(&host, session->grips);
	lm_design_pose_destroy(session->pose);
	lm_design_model_destroy(session->model);
	lm_adjacency_release(&session->neighbours, &host);
	lm_free(&host, session->own);
	lm_free(&host, session->shown);
	lm_mesh_destroy(session->surface.mesh), lm_mesh_destroy(session->surface.body);
	lm_free(&host, session);
}

// ---- handles ----

static int32_t find(const lm_pose_session* session, int32_t id)
{
	for (int32_t i = 0; i < session->now.count; ++i)
		if (session->grips[session->now.handles[i].grip]->given.id == id)
			return i;
	return -1;
}

static lm_status check_grip(const lm_pose_session* session, const lm_pose_grip* g, lm_error* error)
{
	const double* b = g->place;
	if (find(session, g->id) >= 0)
		return lm_fail(error, LM_BAD_INPUT, "there is a handle %d already", g->id);
	if (g->triangle < 0 || g->triangle >= session->surface.mesh->triangle_count)
		return lm_fail(error, LM_BAD_INPUT, "triangle %d is not on the surface, which has %d, counted from 0",
		               g->triangle, session->surface.mesh->triangle_count);
	bool inside = fabs(b[0] + b[1] + b[2] - 1) < 1e-4;
	for (int c = 0; c < 3; ++c)
		inside &= b[c] >= -1e-6 && b[c] <= 1 + 1e-6;
	if (!inside)
		return lm_fail(error, LM_BAD_INPUT, "the place is (%g, %g, %g), must be barycentric: in 0 .. 1, with the sum 1",
		               b[0], b[1], b[2]);
	if (!(g->radius >= 0 && g->radius <= 1e9))
		return lm_fail(error, LM_BAD_INPUT, "the radius is %g m, must be at least 0", g->radius);
	if (!(g->weight >= 0 && g->weight <= 1e6))
		return lm_fail(error, LM_BAD_INPUT, "the weight is %g, must be between 0 and 1e6", g->weight);
	return LM_OK;
}

// The corners of the triangle, and what is reached from them along edges within the radius; of many, every so manyth.
static lm_status find_patch(const lm_pose_session* session, lm_pose_grip_put* g, lm_error* error)
{
	const lm_mesh* mesh = session->surface.mesh;
	const lm_adjacency* neighbours = &session->neighbours;
	const int32_t* corners = mesh->triangles + 3 * (int64_t)g->given.triangle;
	double radius = g->given.radius > 0 ? g->given.radius : LM_POSE_RADIUS * session->size;
	lm_vec3 at = { 0 };
	for (int c = 0; c < 3; ++c)
		at = lm_add_scaled(at, g->given.place[c], lm_v3_at(mesh->positions, corners[c]));
	int32_t* queue = LM_NEW(&session->host, mesh->vertex_count, int32_t);
	bool* reached = LM_NEW(&session->host, mesh->vertex_count, bool);
	int32_t count = 0;
	if (queue == NULL || reached == NULL)
	{
		lm_free(&session->host, queue);
		lm_free(&session->host, reached);
		return lm_fail_memory(error);
	}
	for (int c = 0; c < 3; ++c)
		if (!reached[corners[c]])
			reached[corners[c]] = true, queue[count++] = corners[c];
	for (int32_t next = 0; next < count; ++next)
		for (int64_t k = neighbours->starts[queue[next]]; k < neighbours->starts[queue[next] + 1]; ++k)
		{
			int32_t v = neighbours->items[k];
			if (!reached[v] && lm_distance(lm_v3_at(mesh->positions, v), at) < radius)
				reached[v] = true, queue[count++] = v;
		}
	g->count = count < LM_POSE_POINTS ? count : LM_POSE_POINTS;
	for (int32_t k = 0; k < g->count; ++k)
		g->vertices[k] = queue[(int64_t)k * count / g->count];
	lm_free(&session->host, queue);
	lm_free(&session->host, reached);
	return LM_OK;
}

static lm_vec3 middle_of(const lm_pose_session* session, const lm_pose_grip_put* g)
{
	lm_vec3 sum = { 0 };
	for (int32_t k = 0; k < g->count; ++k)
		sum = lm_add_scaled(sum, 1.0 / g->count, lm_v3_at(session->own, g->vertices[k]));
	return sum;
}

// Into the list of those that were ever put, and of those that count.
static lm_status add(lm_pose_session* session, lm_pose_grip_put* g, lm_error* error)
{
	const lm_host* host = &session->host;
	lm_pose_state* now = &session->now;
	lm_pose_active* handles = LM_NEW(host, now->count + 1, lm_pose_active);
	void* grips = session->grips;
	if (handles == NULL || !lm_grow(host, &grips, &session->grip_capacity, session->grip_count + 1, sizeof g))
	{
		lm_free(host, handles);
		return lm_fail_memory(error);
	}
	session->grips = grips;
	if (now->count > 0)
		memcpy(handles, now->handles, (size_t)now->count * sizeof *handles);
	handles[now->count++] = (lm_pose_active){ (int32_t)session->grip_count, middle_of(session, g), lm_quat_identity() };
	session->grips[session->grip_count++] = g;
	lm_free(host, now->handles);
	now->handles = handles;
	return LM_OK;
}

lm_status lm_pose_session_put(lm_pose_session* session, const lm_pose_grip* given, lm_error* error)
{
	lm_status status = check_grip(session, given, error);
	if (status != LM_OK)
		return status;
	lm_pose_grip_put* g = LM_NEW(&session->host, 1, lm_pose_grip_put);
	if (g == NULL)
		return lm_fail_memory(error);
	g->given = *given;
	status = find_patch(session, g, error);
	lm_vec3 middle = middle_of(session, g);
	for (int32_t k = 0; k < g->count; ++k)
		lm_v3_store(g->offsets, k, lm_sub(lm_v3_at(session->own, g->vertices[k]), middle));
	if (status == LM_OK)
		status = remember(session, -1, error);
	if (status == LM_OK)
		status = add(session, g, error);
	if (status == LM_OK)
		return hold(session, error);
	lm_free(&session->host, g);
	return status;
}

// The part of a rotation that is about z.
static lm_quat stay_in_plane(lm_quat q)
{
	lm_quat turn = { q.w, 0, 0, q.z };
	return lm_quat_dot(turn, turn) > 1e-12 ? lm_quat_normalize(turn) : lm_quat_identity();
}

lm_status lm_pose_session_move(lm_pose_session* session, int32_t id, const double to[3], const double rotation[4],
                               lm_error* error)
{
	int32_t i = find(session, id);
	if (i < 0)
		return lm_fail(error, LM_BAD_INPUT, "there is no handle %d", id);
	for (int c = 0; c < 3; ++c)
		if (!(fabs(to[c]) <= 1e9))
			return lm_fail(error, LM_BAD_INPUT, "the target has %c = %g, must be a number within 1e9", "xyz"[c], to[c]);
	lm_quat turn = session->now.handles[i].rotation;
	if (rotation != NULL)
	{
		lm_quat q = { rotation[0], rotation[1], rotation[2], rotation[3] };
		double length = sqrt(lm_quat_dot(q, q));
		if (!(length > 1e-9 && length < 1e9))
			return lm_fail(error, LM_BAD_INPUT, "the rotation must be a unit quaternion [w, x, y, z]");
		// as it is shown, about axes of the scene
		const lm_quat shown = session->surface.rotation;
		turn = lm_quat_mul(lm_quat_conjugate(shown), lm_quat_mul(lm_quat_normalize(q), shown));
	}
	lm_status status = remember(session, id, error);
	if (status != LM_OK)
		return status;
	double targets[3 * LM_POSE_POINTS];
	lm_pose_active* a = &session->now.handles[i];
	lm_vec3 target = to_own(&session->surface, lm_v3_at(to, 0));
	if (session->surface.flat)
		target.z = a->to.z, turn = stay_in_plane(turn);
	a->to = target, a->rotation = turn;
	targets_of(session, a, targets);
	return lm_design_pose_move_handle(session->pose, i, targets, error);
}

lm_status lm_pose_session_remove(lm_pose_session* session, int32_t id, lm_error* error)
{
	int32_t i = find(session, id);
	if (i < 0)
		return lm_fail(error, LM_BAD_INPUT, "there is no handle %d", id);
	lm_status status = remember(session, -1, error);
	if (status != LM_OK)
		return status;
	lm_pose_state* now = &session->now;
	memmove(now->handles + i, now->handles + i + 1, (size_t)(now->count - i - 1) * sizeof *now->handles);
	--now->count;
	return hold(session, error);
}

lm_status lm_pose_session_set_volume(lm_pose_session* session, bool on, lm_error* error)
{
	if (on == session->now.volume)
		return LM_OK;
	lm_status status = remember(session, -1, error);
	if (status != LM_OK)
		return status;
	session->now.volume = on;
	return use_volume(session, error);
}

lm_status lm_pose_session_reset(lm_pose_session* session, lm_error* error)
{
	lm_status status = remember(session, -1, error);
	if (status != LM_OK)
		return status;
	session->now.count = 0;
	lm_design_pose_set_nodes(session->pose, NULL);
	read_surface(session);
	return hold(session, error);
}

// ---- posing ----

static lm_pose_report report_of(lm_pose_session* session, const lm_design_pose_report* r, double begin)
{
	read_surface(session);
	return (lm_pose_report){ .energy = r->energy,
		                     .handle_error = r->handle_error,
		                     .least_volume = r->least_volume,
		                     .converged = r->converged,
		                     .seconds = lm_clock_seconds() - begin };
}

lm_pose_report lm_pose_session_step(lm_pose_session* session)
{
	double begin = lm_clock_seconds();
	lm_design_pose_report report = lm_design_pose_step(session->pose);
	return report_of(session, &report, begin);
}

lm_pose_report lm_pose_session_settle(lm_pose_session* session)
{
	double begin = lm_clock_seconds();
	lm_design_pose_report report = lm_design_pose_solve(session->pose);
	return report_of(session, &report, begin);
}

// ---- reading ----

int32_t lm_pose_session_vertex_count(const lm_pose_session* session)
{
	return session->surface.mesh->vertex_count;
}

int32_t lm_pose_session_triangle_count(const lm_pose_session* session)
{
	return session->surface.mesh->triangle_count;
}

const int32_t* lm_pose_session_triangles(const lm_pose_session* session)
{
	return session->surface.mesh->triangles;
}

const double* lm_pose_session_positions(const lm_pose_session* session)
{
	return session->shown;
}

int32_t lm_pose_session_handle_count(const lm_pose_session* session)
{
	return session->now.count;
}

lm_pose_handle lm_pose_session_handle(const lm_pose_session* session, int32_t i)
{
	const lm_pose_active* a = &session->now.handles[i];
	const lm_pose_grip_put* g = session->grips[a->grip];
	lm_pose_handle handle = { .id = g->given.id, .hard = g->given.hard };
	lm_v3_store(handle.at, 0, to_shown(&session->surface, middle_of(session, g)));
	lm_v3_store(handle.to, 0, to_shown(&session->surface, a->to));
	return handle;
}

// A body whose poses have other vertices than its surface: they follow the nodes as the surface does.
static lm_status carry_body(const lm_pose_session* session, lm_mesh* mesh, lm_error* error)
{
	int32_t nodes = lm_design_model_node_count(session->model);
	const double* now = lm_design_pose_nodes(session->pose);
	int32_t* list = LM_NEW(&session->host, nodes, int32_t);
	double* weights = LM_NEW(&session->host, nodes, double);
	bool good = list != NULL && weights != NULL;
	for (int32_t v = 0; good && v < mesh->vertex_count; ++v)
	{
		int32_t count =
			lm_design_model_weights(session->model, session->surface.body->positions + 3 * (size_t)v, list, weights);
		lm_vec3 x = { 0 };
		for (int32_t k = 0; k < count; ++k)
			x = lm_add_scaled(x, weights[k], lm_v3_at(now, list[k]));
		if (session->surface.flat)
			x.z = 0;
		lm_v3_store(mesh->positions, v, x);
	}
	lm_free(&session->host, list);
	lm_free(&session->host, weights);
	return good ? LM_OK : lm_fail_memory(error);
}

lm_status lm_pose_session_mesh(const lm_pose_session* session, lm_mesh** result, lm_error* error)
{
	const lm_pose_surface* s = &session->surface;
	lm_mesh* mesh = lm_mesh_copy(s->body != NULL ? s->body : s->mesh, &session->host);
	lm_status status = mesh != NULL ? LM_OK : lm_fail_memory(error);
	if (status == LM_OK && s->body != NULL)
		status = carry_body(session, mesh, error);
	else if (status == LM_OK)
		memcpy(mesh->positions, session->own, 3 * (size_t)mesh->vertex_count * sizeof(double));
	if (status != LM_OK)
	{
		lm_mesh_destroy(mesh);
		return status;
	}
	for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i)
		mesh->positions[i] /= s->scale;
	*result = mesh;
	return LM_OK;
}
