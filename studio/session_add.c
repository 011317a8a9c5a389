// session_add.c: objects and colliders are added, copied and removed. A mesh that is brought along comes in a size that goes
// with what is there, and to a place that is free.
#include "session_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- names ----

static bool has_name(const json_t* list, const char* name)
{
	bool found = false;
	for (size_t i = 0; i < json_array_size(list); ++i)
		found |= strcmp(session_text(json_array_get(list, i), "name"), name) == 0;
	return found;
}

// "bear", "bear-2", ...: a name that no item of the list has.
static void choose_name(const json_t* list, const char* wanted, char* name, size_t capacity)
{
	snprintf(name, capacity, "%.60s", wanted);
	for (int i = 2; has_name(list, name) && i < 10000; ++i)
		snprintf(name, capacity, "%.60s-%d", wanted, i);
}

static bool append(session* s, const char* list_name, json_t* item, const char* usual_name, char* error,
                   size_t capacity)
{
	json_t* list = json_object_get(s->scene_document->json, list_name);
	char name[96];
	const char* given = session_text(item, "name");
	choose_name(list, given[0] != 0 ? given : usual_name, name, sizeof name);
	json_object_set_new(item, "name", json_string(name));
	json_t* edits = json_pack("[{s:[s,I],s:O}]", "path", list_name, (json_int_t)json_array_size(list), "value", item);
	char label[128];
	snprintf(label, sizeof label, "add %s", name);
	bool good = session_edit(s, edits, label, error, capacity);
	json_decref(edits);
	return good;
}

// ---- a size and a place for a mesh ----

typedef struct span
{
	double low[3], high[3];
	bool fixed;
} span;

static const double least_share = 0.2, most_share = 3; // of the largest body there, which a mesh may have as it is

static double longest(const span* x)
{
	return fmax(x->high[0] - x->low[0], fmax(x->high[1] - x->low[1], x->high[2] - x->low[2]));
}

// Boxes around everything but grounds; free. How many: in `count`.
static span* find_spans(session* s, int32_t* count)
{
	int32_t all = lm_world_surface_count(s->world);
	span* spans = calloc((size_t)all + 1, sizeof *spans);
	*count = 0;
	for (int32_t i = 0; spans != NULL && i < all; ++i)
	{
		lm_world_surface_view view = lm_world_surface(s->world, i);
		span* x = &spans[*count];
		lm_mesh_bounds(view.positions, view.vertex_count, x->low, x->high);
		x->fixed = view.fixed;
		bool is_ground = view.fixed && view.triangle_count == 2;
		*count += view.vertex_count > 0 && !is_ground;
	}
	return spans;
}

// Of the largest body that moves; 0: there is none.
static double largest_body(const span* spans, int32_t count)
{
	double largest = 0;
	for (int32_t i = 0; i < count; ++i)
		if (!spans[i].fixed)
			largest = fmax(largest, longest(&spans[i]));
	return largest;
}

static bool is_free(const span* spans, int32_t count, double x, double z, double half)
{
	bool good = true;
	for (int32_t i = 0; i < count; ++i)
		good &= x + half < spans[i].low[0] || x - half > spans[i].high[0] || z + half < spans[i].low[2] ||
		        z - half > spans[i].high[2];
	return good;
}

// The free place that is nearest to x, z, on rings around it; x, z as they are where all is full.
static void find_free_place(const span* spans, int32_t count, double half, double* x, double* z)
{
	static const double diagonal = 0.70710678118654752;
	const double ways[8][2] = { { 1, 0 },
		                        { -1, 0 },
		                        { 0, 1 },
		                        { 0, -1 },
		                        { diagonal, diagonal },
		                        { diagonal, -diagonal },
		                        { -diagonal, diagonal },
		                        { -diagonal, -diagonal } };
	for (int ring = 0; ring < 40; ++ring)
		for (int w = 0; w < 8; ++w)
		{
			double a = *x + 0.5 * ring * half * ways[w][0], b = *z + 0.5 * ring * half * ways[w][1];
			if (!is_free(spans, count, a, b, half))
				continue;
			*x = a, *z = b;
			return;
		}
}

// The height of the first plane that lies level.
static double ground_height(const json_t* scene)
{
	const json_t* list = json_object_get(scene, "colliders");
	for (size_t i = 0; i < json_array_size(list); ++i)
	{
		const json_t* c = json_array_get(list, i);
		if (strcmp(session_text(c, "shape"), "plane") == 0 && json_object_get(c, "rotation") == NULL)
			return json_number_value(json_array_get(json_object_get(c, "position"), 1));
	}
	return 0;
}

static double rounded(double x)
{
	return x != 0 ? rint(x * 1000) / 1000 : 0;
}

static double three_digits(double x)
{
	double unit = pow(10, floor(log10(x)) - 2);
	return rint(x / unit) * unit;
}

// Writes scale and position into the item. The world shows its first frame: there the new object will be.
static bool settle_in(session* s, json_t* item, const char* path, const json_t* near, char* error, size_t capacity)
{
	lm_mesh* mesh;
	lm_error found;
	span own;
	int32_t count;
	if (lm_mesh_read(path, &s->host, &mesh, &found) != LM_OK)
		return session_fail(&found, error, capacity);
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, own.low, own.high);
	lm_mesh_destroy(mesh);
	session_go_to(s, 0, error, capacity);
	span* spans = find_spans(s, &count);
	if (spans == NULL)
		return session_refuse(error, capacity, "out of memory");
	double size = longest(&own), largest = largest_body(spans, count), share = largest > 0 ? size / largest : 1;
	double scale = size > 0 && (share < least_share || share > most_share) ? three_digits(largest / size) : 1;
	double x = json_number_value(json_array_get(near, 0)), z = json_number_value(json_array_get(near, 1));
	find_free_place(spans, count, 0.55 * scale * size, &x, &z);
	free(spans);
	if (scale != 1)
		json_object_set_new(item, "scale", json_real(scale));
	json_object_set_new(item, "place", json_string("ground"));
	json_object_set_new(item, "position",
	                    json_pack("[f,f,f]", rounded(x), ground_height(s->scene_document->json), rounded(z)));
	return true;
}

// ---- what pages ask for ----

// As `limber live MESH` has them: a character that stands, or a soft body.
static json_t* usual_object(session* s, const char* engine, const char* path)
{
	if (strcmp(engine, "act") == 0)
		return json_pack("{s:{s:b,s:[{s:s}]}}", "act", "character", true, "commands", "do", "stand");
	lm_error ignored;
	char* text = strcmp(engine, "match") == 0 ? lm_scene_text_for_mesh(path, &s->host, &ignored) : NULL;
	json_t* scene = text != NULL ? json_loads(text, 0, NULL) : NULL;
	json_t* item = json_deep_copy(json_array_get(json_object_get(scene, "objects"), 0));
	json_decref(scene);
	lm_text_free(&s->host, text);
	for (const char* const* key = (const char* const[]){ "name", "mesh", "color", "scale", "place", NULL };
	     *key != NULL; ++key)
		json_object_del(item, *key);
	return item != NULL ? item : json_object();
}

// An object in a page's words: {"mesh": file in the folder, "engine": "act", "near": [x, z]}, and any key of the scene's,
// which counts as it is. Without a position it gets a size and a place of its own.
static json_t* object_of(session* s, const json_t* given, const char* path, char* error, size_t capacity)
{
	const char* engine = session_text(given, "engine");
	engine = engine[0] != 0 ? engine : "match";
	json_t *item = usual_object(s, engine, path), *own = json_deep_copy(given);
	json_object_set_new(item, "engine", json_string(engine));
	json_object_del(own, "near");
	bool good = json_object_get(own, "position") != NULL ||
	            settle_in(s, item, path, json_object_get(given, "near"), error, capacity);
	json_object_update(item, own);
	json_decref(own);
	if (good)
		return item;
	json_decref(item);
	return NULL;
}

bool session_do_add(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	json_t *object = json_object_get(json, "object"), *collider = json_object_get(json, "collider");
	if (json_is_object(collider))
		return append(s, "colliders", collider, session_text(collider, "shape"), error, capacity);
	const char* mesh = session_text(object, "mesh");
	char path[PATH_CAPACITY], stem[256];
	if (!name_is_safe(mesh) || !path_join(s->folder, mesh, path, sizeof path) || !file_exists(path))
		return session_refuse(error, capacity, "there is no mesh \"%.80s\" in %s", mesh, s->folder);
	if (!session_bring_home(s, error, capacity))
		return false;
	path_stem(mesh, stem, sizeof stem);
	json_t* item = object_of(s, object, path, error, capacity);
	bool good = item != NULL && append(s, "objects", item, stem, error, capacity);
	json_decref(item);
	return good;
}

// A little more than its own width; of what is not seen, or a ground, a little.
static double aside(session* s, const char* name)
{
	for (int32_t i = 0; i < lm_world_surface_count(s->world); ++i)
	{
		span x;
		lm_world_surface_view view = lm_world_surface(s->world, i);
		bool is_ground = view.fixed && view.triangle_count == 2;
		if (is_ground || view.vertex_count == 0 || strcmp(view.name, name) != 0)
			continue;
		lm_mesh_bounds(view.positions, view.vertex_count, x.low, x.high);
		return rounded(1.1 * (x.high[0] - x.low[0])) + 0.001;
	}
	return 0.1;
}

bool session_do_copy(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	json_t* path = json_object_get(json, "path");
	const json_t* found = document_get(s->scene_document, path);
	const char* list = json_string_value(json_array_get(path, 0));
	if (!json_is_object(found) || list == NULL || json_array_size(path) != 2)
		return session_refuse(error, capacity, "the scene has no such place");
	json_t* item = json_deep_copy(found);
	json_t* position = json_object_get(item, "position");
	double x = json_number_value(json_array_get(position, 0));
	double step = aside(s, session_text(found, "name"));
	if (json_array_size(position) == 3)
		json_array_set_new(position, 0, json_real(rounded(x + step)));
	else
		json_object_set_new(item, "position", json_pack("[f,f,f]", step, 0.0, 0.0));
	bool good = append(s, list, item, session_text(item, "name"), error, capacity);
	json_decref(item);
	return good;
}

bool session_do_remove(session* s, int client, json_t* json, char* error, size_t capacity)
{
	(void)client;
	json_t* edits = json_pack("[{s:O}]", "path", json_object_get(json, "path"));
	bool good = edits != NULL ? session_edit(s, edits, "remove", error, capacity)
	                          : session_refuse(error, capacity, "what is to be removed has no path");
	json_decref(edits);
	return good;
}
