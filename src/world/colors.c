// colors.c: what an engine makes of an object, as colours of its shown surface. Colours are found at the simulated
// points and carried to the surface as positions are.
#include "base/error.h"
#include "format/color.h"
#include "format/suggest.h"
#include "limber/view.h"
#include "math/vec.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum
{
	MOST_SHARES = 65 // the rest shape and 64 examples
};

static const lm_vec3 grey = { 0.75, 0.75, 0.75 }, white = { 0.95, 0.95, 0.95 };
static const lm_vec3 longer = { 0.85, 0.15, 0.1 }, shorter = { 0.1, 0.3, 0.85 };
static const double full_strain = 0.2; // that is shown in full colour

// What a call works on. Colours are sRGB, 0 .. 1.
typedef struct painting
{
	lm_world* world;
	int32_t object;
	const lm_object* own;
	lm_arena* memory;
	int32_t point_count;
	double* points; // point_count x 3: their colours
	int32_t name_count;
	const char** names;
	lm_vec3* name_colors;
} painting;

// ---- colours ----

// Far from those of its neighbours: steps of the golden angle round the colour circle.
static lm_vec3 color_of(int32_t i)
{
	double hue = 0.55 + 0.381966 * i;
	hue = 6 * (hue - floor(hue));
	double ramp = hue - floor(hue), low = 0.3, high = 0.9;
	double up = low + (high - low) * ramp, down = high - (high - low) * ramp;
	switch ((int)hue)
	{
		case 0: return lm_v3(high, up, low);
		case 1: return lm_v3(down, high, low);
		case 2: return lm_v3(low, high, up);
		case 3: return lm_v3(low, down, high);
		case 4: return lm_v3(up, low, high);
		default: return lm_v3(high, low, down);
	}
}

static lm_vec3 mix(lm_vec3 a, lm_vec3 b, double t)
{
	return lm_add_scaled(lm_scale(1 - t, a), t, b);
}

static lm_vec3 own_color(const float linear[3])
{
	uint8_t srgb[3];
	lm_color_srgb(linear, srgb);
	return lm_v3(srgb[0] / 255.0, srgb[1] / 255.0, srgb[2] / 255.0);
}

static uint8_t byte_of(double x)
{
	return (uint8_t)lrint(255 * fmin(fmax(x, 0), 1));
}

// ---- the legend ----

static bool make_names(painting* p, int32_t count)
{
	p->names = LM_TAKE(p->memory, count, const char*);
	p->name_colors = LM_TAKE(p->memory, count, lm_vec3);
	return p->names != NULL && p->name_colors != NULL;
}

// False when out of memory.
static bool add_name(painting* p, const char* name, size_t length, lm_vec3 color)
{
	char* text = LM_TAKE(p->memory, length + 1, char);
	if (text == NULL)
		return false;
	memcpy(text, name, length);
	text[length] = 0;
	p->names[p->name_count] = text;
	p->name_colors[p->name_count++] = color;
	return true;
}

// ---- what there is to show ----

static lm_status cannot(const painting* p, const char* why, lm_error* error)
{
	return lm_fail(error, LM_BAD_INPUT, "object \"%.60s\" %s", p->own->description->name, why);
}

static lm_status show_regions(painting* p, lm_error* error)
{
	if (p->own->engine->regions == NULL)
		return cannot(p, "has no regions: match and track have them", error);
	int32_t* regions = LM_TAKE(p->memory, p->point_count, int32_t);
	double* shares = LM_TAKE(p->memory, p->point_count, double);
	if (regions == NULL || shares == NULL)
		return lm_fail_memory(error);
	int32_t count = p->own->engine->regions(p->own, regions, shares), named = count < 64 ? count : 0;
	for (int32_t v = 0; v < p->point_count; ++v)
		lm_v3_store(p->points, v, regions[v] >= 0 ? mix(grey, color_of(regions[v]), shares[v]) : grey);
	if (!make_names(p, named))
		return lm_fail_memory(error);
	for (int32_t i = 0; i < named; ++i)
	{
		char name[32];
		int length = snprintf(name, sizeof name, "region %d", i + 1);
		if (!add_name(p, name, (size_t)length, color_of(i)))
			return lm_fail_memory(error);
	}
	return LM_OK;
}

static lm_status name_examples(painting* p, lm_error* error)
{
	lm_engine_example example;
	int32_t count = 0;
	while (p->own->engine->example(p->own, count, 0, &example))
		++count;
	if (!make_names(p, count + 1) || !add_name(p, "rest", 4, grey))
		return lm_fail_memory(error);
	for (int32_t k = 0; k < count; ++k)
	{
		p->own->engine->example(p->own, k, 0, &example);
		size_t length;
		char fallback[32];
		const char* name = lm_world_stem(example.file, k, fallback, &length);
		if (!add_name(p, name, length, color_of(k)))
			return lm_fail_memory(error);
	}
	return LM_OK;
}

static lm_status show_weights(painting* p, lm_error* error)
{
	double shares[MOST_SHARES];
	const lm_engine* engine = p->own->engine;
	if (engine->blend == NULL || engine->blend(p->own, 0, shares) < 2)
		return cannot(p, "has no examples whose weights could be shown", error);
	for (int32_t v = 0; v < p->point_count; ++v)
	{
		int32_t count = engine->blend(p->own, v, shares);
		lm_vec3 sum = lm_scale(shares[0], grey);
		for (int32_t k = 1; k < count; ++k)
			sum = lm_add_scaled(sum, shares[k], color_of(k - 1));
		lm_v3_store(p->points, v, sum);
	}
	return name_examples(p, error);
}

static lm_status show_groups(painting* p, lm_error* error)
{
	const lm_mesh* mesh = p->own->description->mesh;
	if (!make_names(p, mesh->group_count))
		return lm_fail_memory(error);
	for (int32_t v = 0; v < p->point_count; ++v)
		lm_v3_store(p->points, v, grey);
	for (int32_t g = 0; g < mesh->group_count; ++g)
	{
		const lm_group* group = &mesh->groups[g];
		for (int32_t k = 0; k < group->count; ++k)
			lm_v3_store(p->points, group->vertices[k], color_of(g));
		if (!add_name(p, group->name, strlen(group->name), color_of(g)))
			return lm_fail_memory(error);
	}
	return LM_OK;
}

static lm_status show_group(painting* p, const char* name, lm_error* error)
{
	const lm_mesh* mesh = p->own->description->mesh;
	double* values = LM_TAKE(p->memory, p->point_count, double);
	if (values == NULL || !make_names(p, 1))
		return lm_fail_memory(error);
	lm_status status = lm_world_group_values(p->world, p->object, name, values, error);
	if (status != LM_OK)
		return status;
	lm_vec3 color = color_of(lm_mesh_find_group(mesh, name));
	for (int32_t v = 0; v < p->point_count; ++v)
		lm_v3_store(p->points, v, mix(grey, color, values[v]));
	return add_name(p, name, strlen(name), color) ? LM_OK : lm_fail_memory(error);
}

static lm_vec3 color_of_strain(double strain)
{
	double t = fmin(fabs(strain) / full_strain, 1);
	return mix(white, strain > 0 ? longer : shorter, t);
}

// The mean over the edges of a point.
static lm_status show_strain(painting* p, lm_error* error)
{
	const lm_edges* edges;
	lm_status status = lm_world_lattice_edges(p->world, p->object, &edges, error);
	double* sums = LM_TAKE(p->memory, p->point_count, double);
	int32_t* counts = LM_TAKE(p->memory, p->point_count, int32_t);
	if (status != LM_OK)
		return status;
	if (sums == NULL || counts == NULL || !make_names(p, 3))
		return lm_fail_memory(error);
	const double *rest = p->own->description->mesh->positions, *now = lm_world_points(p->world, p->object);
	memset(sums, 0, (size_t)p->point_count * sizeof *sums);
	memset(counts, 0, (size_t)p->point_count * sizeof *counts);
	for (int64_t e = 0; e < edges->count; ++e)
	{
		int32_t a = edges->pairs[2 * e], b = edges->pairs[2 * e + 1];
		double length = lm_distance(lm_v3_at(rest, a), lm_v3_at(rest, b));
		double strain = length > 0 ? lm_distance(lm_v3_at(now, a), lm_v3_at(now, b)) / length - 1 : 0;
		sums[a] += strain, sums[b] += strain;
		++counts[a], ++counts[b];
	}
	for (int32_t v = 0; v < p->point_count; ++v)
		lm_v3_store(p->points, v, color_of_strain(counts[v] > 0 ? sums[v] / counts[v] : 0));
	bool named = add_name(p, "20 % shorter", 12, shorter) && add_name(p, "as at rest", 10, white) &&
	             add_name(p, "20 % longer", 11, longer);
	return named ? LM_OK : lm_fail_memory(error);
}

static lm_status show_nothing(painting* p, lm_error* error)
{
	lm_vec3 color = own_color(p->own->description->color);
	for (int32_t v = 0; v < p->point_count; ++v)
		lm_v3_store(p->points, v, color);
	return make_names(p, 0) ? LM_OK : lm_fail_memory(error);
}

typedef lm_status shower(painting* p, lm_error* error);

static const struct
{
	const char* name;
	shower* show;
} showers[] = { { "none", show_nothing },
	            { "regions", show_regions },
	            { "weights", show_weights },
	            { "groups", show_groups },
	            { "strain", show_strain } };

static lm_status unknown(const char* what, lm_error* error)
{
	char hint[100];
	lm_suggestion suggestion = lm_suggest(what);
	for (size_t i = 0; i < sizeof showers / sizeof showers[0]; ++i)
		lm_suggest_try(&suggestion, showers[i].name);
	lm_suggest_text(&suggestion, hint, sizeof hint);
	return lm_fail(error, LM_BAD_INPUT, "\"%.60s\" cannot be shown as colours%s", what,
	               suggestion.best != NULL ? hint
	                                       : "; there are none, regions, weights, groups, groups:NAME and strain");
}

static lm_status show(painting* p, const char* what, lm_error* error)
{
	static const char prefix[] = "groups:";
	if (strncmp(what, prefix, sizeof prefix - 1) == 0)
		return show_group(p, what + sizeof prefix - 1, error);
	for (size_t i = 0; i < sizeof showers / sizeof showers[0]; ++i)
		if (strcmp(what, showers[i].name) == 0)
			return showers[i].show(p, error);
	return unknown(what, error);
}

// ---- all of it ----

static lm_status finish(painting* p, const lm_world_display* display, lm_world_colors_view* colors, lm_error* error)
{
	int32_t count = display->mesh->vertex_count;
	double* shown = LM_TAKE(p->memory, 3 * (size_t)count, double);
	uint8_t* rgb = LM_TAKE(p->memory, 3 * (size_t)count, uint8_t);
	uint8_t* name_rgb = LM_TAKE(p->memory, 3 * (size_t)p->name_count, uint8_t);
	if (shown == NULL || rgb == NULL || name_rgb == NULL)
		return lm_fail_memory(error);
	lm_world_carry(p->world, display, p->points, shown);
	for (int64_t k = 0; k < 3 * (int64_t)count; ++k)
		rgb[k] = byte_of(shown[k]);
	for (int64_t k = 0; k < 3 * (int64_t)p->name_count; ++k)
		name_rgb[k] = byte_of(lm_v3_get(p->name_colors[k / 3], (int)(k % 3)));
	*colors = (lm_world_colors_view){ count, rgb, p->name_count, p->names, name_rgb };
	return LM_OK;
}

static lm_status color_collider(lm_world* world, const lm_world_display* display, const char* what,
                                lm_world_colors_view* colors, lm_error* error)
{
	if (strcmp(what, "none") != 0)
		return lm_fail(error, LM_BAD_INPUT, "\"%.60s\" is a collider: it has no colours but its own", display->name);
	int32_t count = display->mesh->vertex_count;
	uint8_t* rgb = LM_TAKE(&world->colors_memory, 3 * (size_t)count, uint8_t);
	if (rgb == NULL)
		return lm_fail_memory(error);
	for (int32_t v = 0; v < count; ++v)
		lm_color_srgb(display->color, rgb + 3 * (int64_t)v);
	*colors = (lm_world_colors_view){ .vertex_count = count, .rgb = rgb };
	return LM_OK;
}

lm_status lm_world_colors(lm_world* world, int32_t surface, const char* what, lm_world_colors_view* colors,
                          lm_error* error)
{
	if (surface < 0 || surface >= world->display_count)
		return lm_fail(error, LM_BAD_INPUT, "there is no surface %d: the world has %d, counted from 0", surface,
		               world->display_count);
	const lm_world_display* display = &world->displays[surface];
	lm_arena_reset(&world->colors_memory);
	if (display->collider >= 0)
		return color_collider(world, display, what, colors, error);
	painting p = {
		.world = world, .object = surface, .own = world->objects[surface].object, .memory = &world->colors_memory
	};
	p.point_count = p.own->engine->facts(p.own).point_count;
	p.points = LM_TAKE(p.memory, 3 * (size_t)p.point_count, double);
	if (p.points == NULL)
		return lm_fail_memory(error);
	lm_status status = show(&p, what, error);
	return status == LM_OK ? finish(&p, display, colors, error) : status;
}
