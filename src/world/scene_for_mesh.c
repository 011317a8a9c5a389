// scene_for_mesh.c: a scene for a mesh that somebody would like to see move: a soft body of `match`, on the ground.
#include "base/alloc.h"
#include "base/error.h"
#include "limber/view.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	LATTICE_VERTICES = 1500 // fine enough for legs, and quick
};

static const double smallest = 0.1, largest = 10; // m: longest sides that are left as they are

typedef struct placing
{
	double size; // longest side of the mesh in the file
	double scale;
	bool lattice;
} placing;

static double nice(double x)
{
	double unit = pow(10, floor(log10(x)) - 2); // three digits
	return rint(x / unit) * unit;
}

static lm_status find_place(const lm_mesh* mesh, const char* path, placing* place, lm_error* error)
{
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	for (int c = 0; c < 3; ++c)
		place->size = fmax(place->size, high[c] - low[c]);
	lm_status status = lm_mesh_check(mesh, path, error);
	if (status != LM_OK)
		return status;
	if (mesh->tet_count == 0 && mesh->triangle_count == 0)
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "has no surface, must have triangles or tetrahedra");
	if (!(place->size > 0 && place->size <= LM_KEY_LIMIT))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "is %g m large, must have some size, up to %g m", place->size,
		                  LM_KEY_LIMIT);
	place->lattice = mesh->tet_count == 0;
	bool usual = place->size >= smallest && place->size <= largest;
	place->scale = usual ? 1 : nice(1 / place->size);
	return status;
}

static json_t* describe(const char* file, const placing* place)
{
	if (place->scale == 1)
		return json_sprintf("%s as a soft body on the ground.", file);
	return json_sprintf("%s as a soft body on the ground. It is %.3g m large in its file, and scaled by %g to be seen.",
	                    file, place->size, place->scale);
}

static json_t* make_object(const char* file, const char* name, size_t length, const placing* place)
{
	json_t* object = json_object();
	json_object_set_new(object, "name", json_stringn(name, length));
	json_object_set_new(object, "engine", json_string("match"));
	json_object_set_new(object, "mesh", json_string(file));
	if (place->scale != 1)
		json_object_set_new(object, "scale", json_real(place->scale));
	if (place->lattice)
		json_object_set_new(object, "lattice", json_pack("{s:i}", "vertices", LATTICE_VERTICES));
	json_object_set_new(object, "place", json_string("ground"));
	json_object_set_new(object, "color", json_string("#d98f4e"));
	json_object_set_new(object, "substeps", json_integer(8));
	json_object_set_new(object, "match",
	                    json_pack("{s:i,s:f,s:f,s:i}", "frequency", 100, "damping", 0.5, "friction", 0.8, "ring", 2));
	return object;
}

static json_t* make_scene(const char* file, const placing* place)
{
	char fallback[32];
	size_t length;
	const char* name = lm_world_stem(file, 0, fallback, &length);
	json_t *scene = json_object(), *objects = json_array(), *colliders = json_array();
	json_array_append_new(colliders, json_pack("{s:s,s:s,s:f,s:s}", "name", "ground", "shape", "plane", "friction", 0.8,
	                                           "color", "#c9d2d9"));
	json_array_append_new(objects, make_object(file, name, length, place));
	json_object_set_new(scene, "limber", json_integer(1));
	json_object_set_new(scene, "name", json_stringn(name, length));
	json_object_set_new(scene, "description", describe(file, place));
	json_object_set_new(scene, "fps", json_integer(30));
	json_object_set_new(scene, "seconds", json_integer(10));
	json_object_set_new(scene, "camera", json_pack("{s:f}", "zoom", 0.7));
	json_object_set_new(scene, "colliders", colliders);
	json_object_set_new(scene, "objects", objects);
	return scene;
}

static const char* last_part(const char* path)
{
	const char* slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

char* lm_scene_text_for_mesh(const char* path, const lm_host* host, lm_error* error)
{
	const char* file = last_part(path);
	json_t* utf8 = json_string(file); // NULL for names that JSON cannot hold
	json_decref(utf8);
	if (utf8 == NULL || file[0] == 0)
	{
		lm_fail_at(error, LM_BAD_INPUT, path, "", "is no name of a file that a scene can hold, must be UTF-8");
		return NULL;
	}
	lm_mesh* mesh;
	placing place = { .size = 0 };
	lm_status status = lm_mesh_read(path, host, &mesh, error);
	if (status != LM_OK)
		return NULL;
	status = find_place(mesh, path, &place, error);
	lm_mesh_destroy(mesh);
	if (status != LM_OK)
		return NULL;
	json_t* scene = make_scene(file, &place);
	char* dumped = json_dumps(scene, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	json_decref(scene);
	char* text = dumped != NULL ? lm_copy_text(host, dumped) : NULL;
	free(dumped);
	if (text == NULL)
		lm_fail_memory(error);
	return text;
}
