// make.h: the parts of limber-gallery-make, the program that makes the meshes of the gallery. Everything is computed:
// the same files on every machine, nothing from elsewhere.
#ifndef LIMBER_GALLERY_MAKE_H
#define LIMBER_GALLERY_MAKE_H

#include <limber/io.h>
#include <limber/mesh.h>

#define MAKE_PI 3.14159265358979323846

// ---- main.c: where the files go ----

typedef struct make_output
{
	const char* directory;
	lm_host host;
	lm_error error; // of the first failure
	int32_t files;  // written so far
} make_output;

// Writes `mesh` with these positions (NULL: its own) as NAME in the directory. False after a failure.
bool lm_make_write(make_output* output, const char* name, const lm_mesh* mesh, const double* positions);
// Notes that memory ran out; returns false.
bool lm_make_no_memory(make_output* output);
// Notes another failure with a sentence; returns false.
bool lm_make_fail(make_output* output, const char* sentence);

// ---- block.c: bodies built of bricks ----

// A grid of cells, of which `filled` (NULL: all) says which are there. Vertex (i, j, k) lies at low + (i, j, k) * cell;
// vertices that no cell uses are left out, the others are numbered x first, then y, then z.
typedef struct make_block
{
	int32_t cells[3];
	double low[3], cell[3];
	bool (*filled)(int32_t i, int32_t j, int32_t k);
} make_block;

// Five tetrahedra per cell, mirrored from cell to cell so that the diagonals of neighbours meet and no turning sense is
// preferred. NULL when out of memory.
lm_mesh* lm_make_block_mesh(const make_block* block, const lm_host* host);
// The surface of a whole block for display: edges rounded by `radius`, quilted by shallow grooves of `depth` along the
// cells, `steps` facets per cell.
lm_mesh* lm_make_block_surface(const make_block* block, double radius, double depth, int32_t steps,
                               const lm_host* host);

// ---- layers.c: bodies built of layers of prisms ----

// Layers of the same triangles, one above (or inside) the other, numbered layer by layer; with a core the last layer is
// closed by a vertex of its own that comes last.
typedef struct make_layers
{
	int32_t vertices, triangle_count; // of a layer
	const int32_t* triangles;
	int32_t count; // layers
	bool core;
} make_layers;
// `positions`: of all vertices. NULL when out of memory.
lm_mesh* lm_make_layers_mesh(const make_layers* layers, const double* positions, const lm_host* host);

// ---- roller.c ----

// A unit sphere: the icosahedron with every triangle cut in four. points: MAKE_SPHERE_POINTS x 3.
#define MAKE_SPHERE_POINTS 42
#define MAKE_SPHERE_TRIANGLES 80
void lm_make_sphere(double* points, int32_t* triangles);

// ---- flat.c: bodies in the plane z = 0 ----

// Cells between columns + 1 upright and rows + 1 level lines, of which `filled` (NULL: all) says which are there; two
// triangles each. Vertices are numbered x first, then y.
typedef struct make_grid
{
	int32_t columns, rows;
	const double *x, *y;
	bool (*filled)(int32_t i, int32_t j);
} make_grid;
lm_mesh* lm_make_grid_mesh(const make_grid* grid, const lm_host* host);
// Lines through `count` points (x, y), back to the first when closed.
lm_mesh* lm_make_polygon(const double* points, int32_t count, bool closed, const lm_host* host);

// ---- pose.c: example poses as maps of space ----

// Moves one point in place.
typedef void (*make_map)(double point[3], const void* context);

// The mesh's positions through a map, in memory of the caller (free); NULL when out of memory.
double* lm_make_posed(const lm_mesh* mesh, make_map map, const void* context);
// Evens out a pose around tetrahedra that it turns inside out or flattens to less than a tenth. False when some remain.
bool lm_make_unfold(const lm_mesh* mesh, double* positions);
// Writes the pose of `mesh` under `map`, unfolded, as NAME.
bool lm_make_write_pose(make_output* output, const char* name, const lm_mesh* mesh, make_map map, const void* context);

// Turns point by `angle` about the line through `centre` along the unit vector `axis`.
void lm_make_turn(double point[3], const double centre[3], const double axis[3], double angle);
// 0 below low, 1 above high, smooth in between; low > high runs the other way.
double lm_make_step(double low, double high, double value);

// ---- animate.c: guide animations ----

// A motion as a map of space that changes over time.
typedef struct make_film
{
	int32_t frames;
	double fps;
	void (*move)(double point[3], double time, const void* context);
	const void* context;
} make_film;

// Writes the mesh through the motion as NAME, a point cache.
bool lm_make_write_film(make_output* output, const char* name, const lm_mesh* mesh, const make_film* film);
// Value at a time of keys (time, value), eased in and out between them, constant outside.
double lm_make_curve(const double (*keys)[2], int32_t count, double time);

// A grid of quads with alternating diagonals; closed in u: a tube.
typedef struct make_sheet
{
	int32_t cells[2];
	bool closed;
	void (*place)(double u, double v, double point[3]); // u, v: 0 .. 1
} make_sheet;
lm_mesh* lm_make_sheet(const make_sheet* sheet, const lm_host* host);

// Bodies that move: bag.c, xavier.c.
bool lm_make_bags(make_output* output);
bool lm_make_xavier(make_output* output);

// ---- field.c: solids as signed fields (negative inside), put together from soft primitives ----

typedef double (*make_field)(const double point[3], const void* context);

double lm_field_ellipsoid(const double p[3], const double centre[3], const double radii[3]);
// A capsule whose radius goes from ra at a to rb at b.
double lm_field_limb(const double p[3], const double a[3], const double b[3], double ra, double rb);
double lm_field_box(const double p[3], const double centre[3], const double half[3], double rounding);
// A wheel: cylinder along z with rounded rims.
double lm_field_wheel(const double p[3], const double centre[3], double radius, double half_width, double rounding);
// A ring about the y axis through centre.
double lm_field_ring(const double p[3], const double centre[3], double radius, double thickness);
// Union and difference that blend over a width k (0: sharp).
double lm_field_join(double a, double b, double k);
double lm_field_cut(double a, double b, double k);

// ---- polygonise.c ----

// The zero surface of a field between two corners, by marching tetrahedra on cells of edge `size`, then evened out: a
// closed surface with triangles of nearly equal size. The field must be positive on the border of the box.
lm_mesh* lm_make_polygonise(make_field field, const void* context, const double low[3], const double high[3],
                            double size, const lm_host* host);

// In the plane (flat.c): triangles of about `size` that fill the inside of a field between two corners.
lm_mesh* lm_make_outline(make_field field, const void* context, const double low[2], const double high[2], double size,
                         const lm_host* host);

// ---- one file per kind of body ----

// Characters of `act` in space; troupe.c makes all of them.
bool lm_make_troupe(make_output* output);
bool lm_make_roller(make_output* output);
bool lm_make_cups(make_output* output);
bool lm_make_jack(make_output* output);
bool lm_make_card(make_output* output);
bool lm_make_crusty(make_output* output);
bool lm_make_cheesy(make_output* output);

bool lm_make_blends(make_output* output);
bool lm_make_cuboids(make_output* output);
bool lm_make_cylinders(make_output* output);
bool lm_make_teddy(make_output* output);
bool lm_make_cars(make_output* output);
bool lm_make_actors(make_output* output);
bool lm_make_walkers(make_output* output);
bool lm_make_letters(make_output* output);
bool lm_make_strokes(make_output* output); // part of the letters
bool lm_make_pirate(make_output* output);
bool lm_make_crates(make_output* output);
bool lm_make_sheets(make_output* output);
bool lm_make_dancer(make_output* output);
bool lm_make_figures(make_output* output);
bool lm_make_large(
	make_output* output); // the dinosaur with 100,000 and 500,000 vertices; nothing of the gallery needs it

// ---- parade.c: figures without a rig, parade-NAME.obj ----
bool lm_make_parade(make_output* output);

#endif
