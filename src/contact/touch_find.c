#include "contact/touch_find.h"

#include "contact/body_contact.h"
#include "contact/corners.h"

// What moves fast is looked for a little farther away than springs reach: it may be stopped on the way.
#define REACH_IN_SMOOTHINGS 2.0
#define REACH_IN_MOTIONS 0.5
#define ROUNDING_IN_SMOOTHINGS 0.5
// A corner that is nearly as near to a vertex as to its face is left to the vertex.
#define NEAR_IN_SMOOTHINGS 0.1

static double pair_smoothing(const lm_touch_search* search, int32_t a, int32_t b)
{
	const lm_touch_body* bodies = search->step->bodies;
	return b < 0 ? bodies[a].smoothing : fmax(bodies[a].smoothing, bodies[b].smoothing);
}

static double pair_thickness(const lm_touch_search* search, int32_t a, int32_t b)
{
	const lm_touch_body* bodies = search->step->bodies;
	return bodies[a].thickness + (b < 0 ? 0 : bodies[b].thickness);
}

double lm_touch_reach(const lm_touch_search* search, int32_t a, int32_t b)
{
	double motion = search->motions[a] + (b < 0 ? 0 : search->motions[b]);
	return REACH_IN_SMOOTHINGS * pair_smoothing(search, a, b) + pair_thickness(search, a, b) +
	       REACH_IN_MOTIONS * motion;
}

// ---- memory

// The first record of a sample, or of those that follow.
static int32_t first_record(const lm_touch_memory* memory, int32_t sample)
{
	int32_t low = 0, high = memory->count;
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;
		if (memory->records[middle].sample < sample)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// The stored touch of the sample with this feature, or else with another of the same collider or body; NULL: none.
static const lm_touch_record* recall(const lm_touch_memory* memory, int32_t sample, int32_t collider, int32_t other,
                                     int32_t feature)
{
	const lm_touch_record* best = NULL;
	for (int32_t i = first_record(memory, sample); i < memory->count && memory->records[i].sample == sample; ++i)
	{
		const lm_touch_record* r = &memory->records[i];
		if (r->collider != collider || r->other != other)
			continue;
		if (r->feature == feature)
			return r;
		best = best ? best : r;
	}
	return best;
}

// ---- colliders

static void own_vertices(const lm_contact_sample* sample, lm_spring_touch* touch)
{
	touch->own = touch->count = sample->weight[1] == 0 ? 1 : 2;
	for (int32_t i = 0; i < touch->own; ++i)
		touch->vertex[i] = sample->vertex[i], touch->weight[i] = sample->weight[i];
}

static void carrying_vertices(const lm_contact_carried* point, lm_spring_touch* touch)
{
	touch->own = touch->count = 4;
	for (int32_t i = 0; i < 4; ++i)
		touch->vertex[i] = point->vertex[i], touch->weight[i] = point->weight[i];
}

static void keep_away(lm_feature* feature, double thickness)
{
	if (feature->kind == LM_FEATURE_PLANE)
		feature->origin = lm_add_scaled(feature->origin, thickness, feature->axis);
	else
		feature->radius += thickness;
}

// The anchor of a touch of a collider, where the collider takes it to by the end of the step.
static lm_vec3 collider_anchor(const lm_touch_search* search, const lm_touch_candidate* c, int32_t feature,
                               lm_vec3 start)
{
	const lm_placement* now = &search->step->colliders->items[c->collider].now;
	const lm_touch_record* r = recall(search->step->bodies[c->a].memory, c->sample, c->collider, -1, feature);
	lm_vec3 local = r ? lm_v3_at(r->anchor, 0) : lm_placement_to_local(&search->before[c->collider], start);
	const lm_solid* solid = &search->step->colliders->items[c->collider].solid;
	local = lm_add_scaled(local, search->step->h, lm_solid_speed(solid, local));
	lm_vec3 anchor = lm_placement_to_world(now, local);
	return search->step->bodies[c->a].shape->dimension == 2 ? lm_v3(anchor.x, anchor.y, 0) : anchor;
}

static bool collider_touch(const lm_touch_search* search, const lm_touch_candidate* c, const lm_feature* found,
                           lm_vec3 p, lm_vec3 start, lm_spring_touch* touch)
{
	const lm_touch_body* body = &search->step->bodies[c->a];
	lm_feature feature = *found;
	if (body->shape->dimension == 2 && !lm_feature_flatten(found, p, &feature))
		return false;
	keep_away(&feature, body->thickness);
	*touch =
		(lm_spring_touch){ .a = c->a, .b = -1, .sample = c->sample, .face = -1, .dimension = body->shape->dimension };
	if (c->sample < body->shape->sample_count)
		own_vertices(&body->shape->samples[c->sample], touch);
	else
		carrying_vertices(&body->shape->carried[c->sample - body->shape->sample_count], touch);
	double other = search->step->colliders->items[c->collider].friction;
	touch->spring = (lm_spring){ .feature = feature,
		                         .normal = lm_feature_normal(&feature, p),
		                         .anchor = collider_anchor(search, c, feature.id, start),
		                         .stiffness = body->stiffness,
		                         .smoothing = body->smoothing,
		                         .friction = sqrt(body->friction * other),
		                         .slack = body->slack };
	return true;
}

// Where a sample or a carried point is now, and was.
static void points_of(const lm_contact_body* shape, int32_t sample, lm_vec3* now, lm_vec3* before)
{
	if (sample < shape->sample_count)
	{
		*now = lm_contact_sample_position(shape, &shape->samples[sample]);
		*before = lm_contact_sample_position_before(shape, &shape->samples[sample]);
		return;
	}
	const lm_contact_carried* point = &shape->carried[sample - shape->sample_count];
	*now = lm_contact_carried_position(point, shape->now);
	*before = lm_contact_carried_position(point, shape->before);
}

static int32_t find_on_collider(const lm_touch_search* search, const lm_touch_candidate* c, lm_spring_touch* touches)
{
	const lm_touch_body* body = &search->step->bodies[c->a];
	lm_vec3 p, start;
	points_of(body->shape, c->sample, &p, &start);
	lm_feature_side side = { c->collider, 0, 0 };
	const lm_touch_record* r = recall(body->memory, c->sample, c->collider, -1, 0);
	if (r)
		side.side = r->side, side.depth = fmax(0, -r->gap);
	lm_feature_query query = { .point = p,
		                       .start = &start,
		                       .before = search->before,
		                       .reach = lm_touch_reach(search, c->a, -1),
		                       .rounding = ROUNDING_IN_SMOOTHINGS * body->smoothing,
		                       .side_count = 1,
		                       .sides = &side };
	lm_feature features[LM_FEATURES_PER_COLLIDER];
	int32_t near = lm_collider_features(search->step->colliders, c->collider, &query, features), count = 0;
	for (int32_t i = 0; i < near; ++i)
		count += collider_touch(search, c, &features[i], p, start, &touches[count]);
	return count;
}

// ---- bodies

static void other_vertices(const lm_body_contact* contact, lm_spring_touch* touch)
{
	for (int k = 0; k < 4; ++k)
	{
		if (contact->weight_b[k] == 0)
			continue;
		int32_t i = touch->own;
		while (i < touch->count && touch->vertex[i] != contact->on_b[k])
			++i;
		if (i == touch->count)
			touch->vertex[touch->count] = contact->on_b[k], touch->weight[touch->count++] = 0;
		touch->weight[i] -= contact->weight_b[k];
	}
}

// Axes of a face: along its first edge, out of it, across both.
static bool face_axes(const lm_contact_body* body, const double* positions, int32_t face, lm_mat3* axes)
{
	const int32_t* corner = body->triangles + 3 * (int64_t)face;
	lm_vec3 a = lm_v3_at(positions, corner[0]), zero = { 0, 0, 0 };
	lm_vec3 along = lm_normalize_or(lm_sub(lm_v3_at(positions, corner[1]), a), zero);
	lm_vec3 out = lm_normalize_or(lm_cross(along, lm_sub(lm_v3_at(positions, corner[2]), a)), zero);
	if (body->dimension == 2)
		out = lm_v3(along.y, -along.x, 0);
	*axes = lm_columns(along, out, lm_cross(along, out));
	return lm_dot(along, along) > 0 && lm_dot(out, out) > 0;
}

// How the face has turned in the step.
static lm_vec3 turn_with_face(const lm_contact_body* body, int32_t face, lm_vec3 v)
{
	lm_mat3 before, now;
	if (!face_axes(body, body->before, face, &before) || !face_axes(body, body->now, face, &now))
		return v;
	return lm_mul_v(now, lm_tmul_v(before, v));
}

static lm_vec3 point_before(const lm_spring_touch* touch, const lm_contact_body* a, const lm_contact_body* b)
{
	lm_vec3 q = { 0, 0, 0 };
	for (int32_t i = 0; i < touch->count; ++i)
		q = lm_add_scaled(q, touch->weight[i], lm_v3_at(i < touch->own ? a->before : b->before, touch->vertex[i]));
	return q;
}

static void make_body_touch(const lm_touch_search* search, const lm_touch_candidate* c, const lm_body_contact* contact,
                            const lm_touch_record* last, lm_spring_touch* touch)
{
	const lm_touch_body *a = &search->step->bodies[c->a], *b = &search->step->bodies[c->b];
	*touch = (lm_spring_touch){
		.a = c->a, .b = c->b, .sample = c->sample, .face = contact->face, .dimension = a->shape->dimension
	};
	own_vertices(&a->shape->samples[c->sample], touch);
	other_vertices(contact, touch);
	lm_vec3 q = point_before(touch, a->shape, b->shape);
	if (last)
		q = lm_sub(q, lm_v3_at(last->anchor, 0));
	lm_feature feature = {
		.kind = LM_FEATURE_PLANE, .collider = -1, .id = contact->face, .side = contact->side, .axis = contact->normal
	};
	feature.origin = lm_scale(contact->touching + pair_thickness(search, c->a, c->b), contact->normal);
	touch->spring = (lm_spring){ .feature = feature,
		                         .normal = contact->normal,
		                         .anchor = turn_with_face(b->shape, contact->face, q),
		                         .stiffness = 2 / (1 / a->stiffness + 1 / b->stiffness),
		                         .smoothing = pair_smoothing(search, c->a, c->b),
		                         .friction = sqrt(a->friction * b->friction),
		                         .slack = fmax(a->slack, b->slack) };
}

static int32_t find_on_body(const lm_touch_search* search, const lm_touch_candidate* c, lm_spring_touch* touch)
{
	const lm_touch_body *a = &search->step->bodies[c->a], *b = &search->step->bodies[c->b];
	const lm_touch_record* last = recall(a->memory, c->sample, -1, b->id, -1);
	bool known = last && last->feature >= 0 && last->feature < b->shape->triangle_count;
	lm_body_contact_query query = { .a = a->shape,
		                            .b = b->shape,
		                            .sample = c->sample,
		                            .thickness = lm_touch_reach(search, c->a, c->b),
		                            .reach = search->motions[c->a] + search->motions[c->b],
		                            .last_face = known ? last->feature : -1,
		                            .last_side = known ? last->side : 0,
		                            .steady = true };
	if (known && last->gap < 0) // it is behind the sheet already
		query.reach -= last->gap;
	lm_body_contact contact;
	if (!lm_body_contact_find(&query, &contact))
		return 0;
	make_body_touch(search, c, &contact, last, touch);
	return 1;
}

// ---- corners of colliders in bodies

// Whether a vertex of the face is about as near as the face itself; then it is met by its own touch.
static bool vertex_is_nearest(const lm_contact_body* body, int32_t face, lm_vec3 p, double limit)
{
	for (int i = 0; i < 3; ++i)
		if (lm_distance(p, lm_v3_at(body->now, body->triangles[3 * (int64_t)face + i])) < limit)
			return true;
	return false;
}

static lm_vec3 corner_anchor(const lm_touch_search* search, const lm_touch_candidate* c, const lm_touch_record* last,
                             const lm_spring_touch* touch)
{
	const lm_contact_body* body = search->step->bodies[c->a].shape;
	const lm_placement* now = &search->step->colliders->items[c->collider].now;
	lm_vec3 local = lm_placement_to_local(&search->before[c->collider], point_before(touch, body, NULL));
	if (last)
		local = lm_sub(local, lm_v3_at(last->anchor, 0));
	lm_vec3 anchor = lm_placement_to_world(now, local);
	return body->dimension == 2 ? lm_v3(anchor.x, anchor.y, 0) : anchor;
}

static void make_corner_touch(const lm_touch_search* search, const lm_touch_candidate* c,
                              const lm_body_contact* contact, const lm_touch_record* last, lm_vec3 p, double away,
                              lm_spring_touch* touch)
{
	const lm_touch_body* body = &search->step->bodies[c->a];
	*touch = (lm_spring_touch){
		.a = c->a, .b = -1, .sample = c->sample, .face = contact->face, .dimension = body->shape->dimension
	};
	other_vertices(contact, touch);
	for (int32_t i = 0; i < touch->count; ++i) // it is the body's point that counts
		touch->weight[i] = -touch->weight[i];
	touch->own = touch->count;
	lm_feature feature = { .kind = LM_FEATURE_PLANE, .collider = c->collider, .id = c->corner, .side = contact->side };
	feature.axis = lm_scale(-1, contact->normal);
	feature.origin = lm_add_scaled(p, contact->touching + away + body->thickness, feature.axis);
	touch->spring = (lm_spring){ .feature = feature,
		                         .normal = feature.axis,
		                         .stiffness = body->stiffness,
		                         .smoothing = body->smoothing,
		                         .slack = body->slack };
	touch->spring.friction = sqrt(body->friction * search->step->colliders->items[c->collider].friction);
	touch->spring.anchor = corner_anchor(search, c, last, touch);
}

static int32_t find_corner(const lm_touch_search* search, const lm_touch_candidate* c, lm_spring_touch* touch)
{
	const lm_touch_body* body = &search->step->bodies[c->a];
	const lm_contact_body* shape = body->shape;
	const lm_collider* item = &search->step->colliders->items[c->collider];
	lm_corner corner;
	if (!lm_collider_corner(item, shape->dimension, c->corner, &corner))
		return 0;
	lm_body_contact_point point = { .now = lm_placement_to_world(&item->now, corner.at),
		                            .before = lm_placement_to_world(&search->before[c->collider], corner.at),
		                            .facing = lm_mul_v(item->now.R, corner.facing) };
	if (shape->dimension == 2)
		point.now.z = point.before.z = point.facing.z = 0;
	const lm_touch_record* last = recall(body->memory, c->sample, c->collider, -1, -1);
	bool known = last && last->feature >= 0 && last->feature < shape->triangle_count;
	lm_body_contact_query query = { .b = shape,
		                            .thickness = lm_touch_reach(search, c->a, -1) + corner.radius,
		                            .reach = search->motions[c->a] + lm_distance(point.now, point.before),
		                            .last_face = known ? last->feature : -1,
		                            .last_side = known ? last->side : 0,
		                            .steady = true };
	query.reach += known ? fmax(0, -last->gap) : 0;
	lm_body_contact contact;
	if (!lm_body_contact_find_point(&query, &point, &contact))
		return 0;
	make_corner_touch(search, c, &contact, last, point.now, corner.radius, touch);
	lm_vec3 q = { 0, 0, 0 };
	for (int32_t i = 0; i < touch->count; ++i)
		q = lm_add_scaled(q, touch->weight[i], lm_v3_at(shape->now, touch->vertex[i]));
	double gap = lm_feature_distance(&touch->spring.feature, q, NULL, NULL) + corner.radius + body->thickness;
	return vertex_is_nearest(shape, contact.face, point.now, gap + NEAR_IN_SMOOTHINGS * body->smoothing) ? 0 : 1;
}

int32_t lm_touch_find(const lm_touch_search* search, const lm_touch_candidate* candidate, lm_spring_touch* touches)
{
	if (candidate->corner >= 0)
		return find_corner(search, candidate, touches);
	return candidate->b < 0 ? find_on_collider(search, candidate, touches) : find_on_body(search, candidate, touches);
}
