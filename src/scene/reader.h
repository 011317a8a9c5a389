// reader.h: reading a scene file.
//
// Stage 1 (format/fill.c) checks the JSON against the tables of keys.h and fills the structs of the scene. Stage 2
// (read*.c, objects/) loads the files that are named, resolves groups and checks what only makes sense together. Both
// report as many problems as they can find.
#ifndef LM_SCENE_READER_H
#define LM_SCENE_READER_H

#include "format/reader.h"
#include "io/point_frames.h"
#include "mesh/transform.h"
#include "scene/keys.h"

// How files are read. Reading a scene from a buffer in a test or under a fuzzer replaces it, so that no file is
// touched.
typedef struct lm_scene_files
{
	lm_status (*read_mesh)(void* context, const char* path, const lm_host* host, lm_mesh** mesh, lm_error* error);
	lm_status (*read_text)(void* context, const char* path, const lm_host* host, unsigned char** data, size_t* size,
	                       lm_error* error);
	lm_status (*read_points)(void* context, const char* path, const lm_host* host, lm_point_frames* frames,
	                         lm_error* error);
	bool (*exists)(void* context, const char* path); // may be NULL: then names of frames have four digits
	lm_status (*hash)(void* context, const char* path, uint64_t* hash, lm_error* error); // goes on from *hash
	// Not a file, but as expensive: a fuzzer replaces lm_lattice_create by something that stays small.
	lm_status (*make_fitted)(const lm_mesh* surface, const lm_lattice_settings* settings, const lm_host* host,
	                         lm_fitted** result, lm_error* error);
	lm_status (*make_lattice)(const lm_mesh* surface, const lm_lattice_settings* settings, const lm_host* host,
	                          lm_mesh** result, lm_error* error);
	void* context;
} lm_scene_files;

// A file that the scene names.
typedef struct lm_reader_file
{
	const char* path;
	struct lm_reader_file* before; // the one that was named before it, or NULL
} lm_reader_file;

// The files that a scene names, as the reader has met them.
typedef struct lm_scene_sources
{
	const lm_scene_files* files;
	uint64_t fingerprint; // of the scene file and of all that were read so far
	int32_t named_count;
	lm_reader_file* named; // the last
} lm_scene_sources;

// ---- stage 2 ----

// Path of a file that the scene names, in the reader's memory, which also notes it; NULL when out of memory.
const char* lm_reader_beside(lm_reader* reader, const char* name);
// What lm_reader_beside has noted, into the scene.
void lm_read_file_names(lm_reader* reader, lm_scene* scene);
// A JSON file that lies there; the caller drops the reference. NULL, and a problem of key, when it cannot be had.
json_t* lm_read_json(lm_reader* reader, const char* key, const char* name);

// start.c: moves objects out of colliders that they begin in, and warns of that and of sizes that are hardly meant.
void lm_read_starts(lm_reader* reader, lm_scene* scene);

// The mesh in a file, scaled, checked for finite and sane positions, its bytes added to the fingerprint. NULL, and a
// problem at the key, when there is none to be had.
lm_mesh* lm_read_mesh(lm_reader* reader, const char* key, const char* name, double scale);

// The same, checked whole, and of triangles, if need be those around its tetrahedra; without them the message is
// `need`.
lm_mesh* lm_read_triangles(lm_reader* reader, const char* key, const char* name, double scale, bool around_tets,
                           const char* need);

// read_animation.c: frames of the vertices of a mesh.
typedef struct lm_animation
{
	int32_t frame_count, vertex_count; // 0: there was a problem
	double* times;                     // [frame_count] ascending, from 0
	double* frames;                    // frame_count x vertex_count x 3
} lm_animation;

// A point cache, or a row of meshes whose names have {frame} in place of the number.
typedef struct lm_animation_file
{
	const char* name;
	int32_t first, last; // of a row
	bool last_given;
	double fps;
	bool fps_given; // else a file's own times count
	double scale;
} lm_animation_file;

// Problems are those of the keys "file" and "last".
void lm_read_animation(lm_reader* reader, const lm_animation_file* file, lm_animation* animation);
// Whether all positions are sane.
void lm_read_check_animation(lm_reader* reader, const lm_animation* animation);

// What is simulated of a mesh.
typedef enum lm_element_kind
{
	LM_EDGES,
	LM_TRIANGLES,
	LM_TETRAHEDRA // those of the mesh, or of a lattice around its triangles
} lm_element_kind;

// read_frame.c: how an object's files are placed.
void lm_read_frame(lm_reader* reader, const lm_scene_object* object, const lm_mesh* mesh, lm_transform* frame);
bool lm_object_is_character(const lm_scene_object* object);

// What the parts of an object need to know about its mesh while it is being read.
typedef struct lm_scene_body
{
	lm_scene* scene;
	double scale;
	lm_transform frame;
	lm_mesh* mesh; // the simulation mesh; NULL when it could not be read: then nothing about vertices is checked
	lm_mesh* skin; // the surface that was wrapped, or NULL
	const lm_binding* map;  // of a mesh that was subdivided: from the vertices before it; else NULL
	lm_fitted* fitted;      // that the simulation mesh was taken from, or NULL
	lm_repair* repair;      // what was wrong with the mesh of the file, whose rest the simulation mesh is; else NULL
	lm_mesh* found;         // that mesh, or NULL
	const int32_t* nearest; // for wrapped ones: the surface's vertex nearest to each vertex of the simulation mesh
	// Another surface that is shown, where something is painted on it, and likewise its nearest vertices; else NULL.
	const lm_mesh* surface;
	const int32_t* surface_nearest;
} lm_scene_body;

void lm_read_collider(lm_reader* reader, const lm_scene* scene, lm_scene_collider* collider, int32_t index);
void lm_read_object(lm_reader* reader, lm_scene* scene, int32_t index);
void lm_read_groups(lm_reader* reader, lm_scene_body* body, lm_scene_object* object);
void lm_read_actions(lm_reader* reader, const lm_scene_body* body, lm_scene_object* object);

// A pose of the body. `what` begins the sentence about vertex counts: "an example pose".
lm_mesh* lm_read_pose(lm_reader* reader, const lm_scene_body* body, const char* key, const char* name,
                      const char* what);

// read_repair.c: repairs a mesh of triangles and says so; *mesh is what is left, body->found what it was. False: a
// problem.
bool lm_read_repair(lm_reader* reader, lm_scene_body* body, lm_mesh** mesh);
// Vertices that a scene can name: those of the file, or after subdivision those of the simulation mesh; and the one
// that is simulated, -1 when none is (a loose one).
int32_t lm_read_vertex_count(const lm_scene_body* body);
int32_t lm_read_vertex(const lm_scene_body* body, int32_t vertex);
// What has the vertices of the file, for those that are left: a pose, which is replaced; frames and values, in place.
lm_mesh* lm_read_repair_pose(lm_reader* reader, const lm_scene_body* body, lm_mesh* pose);
bool lm_read_repair_frames(const lm_scene_body* body, double* frames, int32_t count, int32_t* vertex_count);
bool lm_read_repair_values(const lm_scene_body* body, double* values, size_t* count);

// read_paint.c: makes `surface` that of the body, so that what is painted on it can be carried.
void lm_read_bind_surface(lm_reader* reader, lm_scene_body* body, const lm_mesh* surface);
// Weights 0 .. 1 at the vertices of a mesh, carried to those of the simulation mesh.
void lm_read_carry(const lm_scene_body* body, const lm_mesh* painted, const int32_t* nearest, const double* weights,
                   double* carried);
// Weights in a JSON file {"name": [one number 0 .. high per vertex], ...}, of the mesh that is shown, of the simulation
// mesh, or of that before it was subdivided, at the vertices of the simulation mesh. NULL, and a problem at the key,
// when there are none. *painted: the mesh that they are of, and *original as they are there; NULL when it is none that
// is shown.
double* lm_read_weights(lm_reader* reader, const lm_scene_body* body, const char* key, const char* file,
                        const char* name, double high, const lm_mesh** painted, const double** original);

// Vertices that a file names by a group or a list; neither: all. *vertices is the list that was given, and becomes
// what is meant; NULL, and a problem unless it was reported before, when that cannot be had. False then.
bool lm_read_vertices(lm_reader* reader, const lm_scene_body* body, const char* group, bool listed, int32_t** vertices,
                      int32_t* count);

void lm_read_check_end(lm_reader* reader, bool given, double start, double end);

// True when the simulation mesh has this group; otherwise a problem where we are. True as well without a mesh.
bool lm_read_has_group(lm_reader* reader, const lm_scene_body* body, const char* name);

// The density of each vertex, 1 but in the groups of `denser`; NULL when there are none, or after a problem.
double* lm_read_density(lm_reader* reader, const lm_scene_body* body, const lm_scene_denser* denser, int32_t count);

// Reads a scene that is already in memory. `files` NULL: the real ones.
lm_status lm_scene_parse(const char* path, const void* data, size_t size, const lm_scene_files* files,
                         const lm_host* host, lm_scene** scene, lm_problems* problems);

#endif
