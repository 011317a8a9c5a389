// show.c: a picture of one moment of a scene, with what is simulated drawn over it: `limber render --show`.
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const colors_of[] = { "groups", "regions", "weights", "strain" };
static const char* const marks_of[] = { "lattice", "cage", "contacts", "edges" };

typedef struct showing
{
	lm_world* world;
	const lm_host* host;
	const char* colors; // of surfaces; NULL: their own
	bool lattice, cage, contacts, edges;
	lm_camera camera;
	double size;          // of all that moves
	lm_surface* surfaces; // of the picture
	void** owned;         // what they are made of, to be freed
	int32_t count, capacity, owned_count;
} showing;

// ---- words ----

static bool take_word(showing* s, const char* word, size_t length)
{
	bool* flags[] = { &s->lattice, &s->cage, &s->contacts, &s->edges };
	for (int i = 0; i < 4; ++i)
		if (strlen(marks_of[i]) == length && strncmp(word, marks_of[i], length) == 0)
			return *flags[i] = true;
	for (int i = 0; i < 4; ++i)
		if (strlen(colors_of[i]) == length && strncmp(word, colors_of[i], length) == 0)
			return s->colors = colors_of[i], true;
	return false;
}

static bool take_words(showing* s, const char* words)
{
	for (const char* word = words; word != NULL && *word != 0;)
	{
		size_t length = strcspn(word, ",");
		if (!take_word(s, word, length))
			return usage_error("render",
			                   "--show has %.*s, knows lattice, cage, contacts, edges, and one of groups, regions, "
			                   "weights, strain",
			                   (int)length, word),
			       false;
		word += length + (word[length] == ',');
	}
	return true;
}

// ---- surfaces ----

static void* own(showing* s, size_t bytes)
{
	void* memory = malloc(bytes > 0 ? bytes : 1);
	if (memory != NULL)
		s->owned[s->owned_count++] = memory;
	return memory;
}

static float linear(uint8_t srgb)
{
	float c = (float)srgb / 255;
	return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

// What an engine cannot show of a surface is left in its own colour.
static lm_status color_surface(showing* s, int32_t i, lm_surface* surface)
{
	lm_world_colors_view view;
	if (s->colors == NULL || lm_world_colors(s->world, i, s->colors, &view, NULL) != LM_OK)
		return LM_OK;
	float* colors = own(s, 3 * (size_t)view.vertex_count * sizeof *colors);
	if (colors == NULL)
		return LM_NO_MEMORY;
	for (int32_t k = 0; k < 3 * view.vertex_count; ++k)
		colors[k] = linear(view.rgb[k]);
	surface->vertex_colors = colors;
	memcpy(surface->color, (float[]){ 1, 1, 1 }, sizeof surface->color);
	return LM_OK;
}

static lm_status add_surfaces(showing* s)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < lm_world_surface_count(s->world); ++i)
	{
		lm_world_surface_view view = lm_world_surface(s->world, i);
		lm_surface* surface = &s->surfaces[s->count++];
		*surface =
			(lm_surface){ .vertex_count = view.vertex_count,
			              .positions = view.positions,
			              .triangle_count = view.triangle_count,
			              .triangles = view.triangles,
			              .checker = view.fixed && (view.triangle_count == 2 || strcmp(view.name, "ground") == 0),
			              .edges = s->edges && !view.fixed };
		memcpy(surface->color, view.color, sizeof surface->color);
		if (!view.fixed)
			status = color_surface(s, i, surface);
	}
	return status;
}

// ---- lines and points ----

// What lies a little below a surface is drawn over it.
static void lift(const showing* s, const double from[3], double to[3])
{
	lift_point(&s->camera, 0.12 * s->size, from, to);
}

static lm_surface* add_mesh(showing* s, int32_t vertices, int32_t triangles, const float color[3], double** positions,
                            int32_t** corners)
{
	*positions = own(s, 3 * (size_t)vertices * sizeof **positions);
	*corners = own(s, 3 * (size_t)triangles * sizeof **corners);
	if (*positions == NULL || *corners == NULL)
		return NULL;
	lm_surface* surface = &s->surfaces[s->count++];
	*surface = (lm_surface){ .vertex_count = vertices,
		                     .positions = *positions,
		                     .triangle_count = triangles,
		                     .triangles = *corners,
		                     .flat = true };
	memcpy(surface->color, color, sizeof surface->color);
	return surface;
}

static lm_status add_lines(showing* s, int32_t object, lm_world_line_kind kind, const float color[3], double radius)
{
	lm_world_lines_view lines;
	lm_status status = lm_world_lines(s->world, object, kind, &lines, NULL);
	if (status != LM_OK || lines.count == 0)
		return status;
	if (lines.count > 10000000)
		return LM_OK; // nobody could see them
	double* positions;
	int32_t* corners;
	if (add_mesh(s, 6 * lines.count, 6 * lines.count, color, &positions, &corners) == NULL)
		return LM_NO_MEMORY;
	for (int32_t i = 0; i < lines.count; ++i)
	{
		double a[3], b[3];
		lift(s, lines.ends + 6 * (int64_t)i, a);
		lift(s, lines.ends + 6 * (int64_t)i + 3, b);
		put_tube(a, b, radius, i, positions, corners);
	}
	return LM_OK;
}

// Contacts as octahedra.
static lm_status add_contacts(showing* s, int32_t object, double radius)
{
	static const float red[3] = { 0.8f, 0.02f, 0.02f };
	lm_world_marks_view marks;
	lm_status status = lm_world_marks(s->world, object, &marks, NULL);
	if (status != LM_OK || marks.contact_count == 0)
		return status;
	double* positions;
	int32_t* corners;
	if (add_mesh(s, 6 * marks.contact_count, 8 * marks.contact_count, red, &positions, &corners) == NULL)
		return LM_NO_MEMORY;
	for (int32_t i = 0; i < marks.contact_count; ++i)
	{
		double middle[3];
		lift(s, marks.contacts + 3 * (int64_t)i, middle);
		put_mark(middle, radius, i, positions, corners);
	}
	return LM_OK;
}

static lm_status add_marks(showing* s)
{
	static const float dark[3] = { 0.02f, 0.03f, 0.06f }, orange[3] = { 0.8f, 0.25f, 0.02f };
	lm_status status = LM_OK;
	for (int32_t i = 0; status == LM_OK && i < lm_world_object_count(s->world); ++i)
	{
		if (s->lattice)
			status = add_lines(s, i, LM_LINES_LATTICE, dark, 0.0016 * s->size);
		if (status == LM_OK && s->cage)
			status = add_lines(s, i, LM_LINES_CAGE, orange, 0.004 * s->size);
		if (status == LM_OK && s->contacts)
			status = add_contacts(s, i, 0.012 * s->size);
	}
	return status;
}

// ---- the picture ----

static double size_of(lm_world* world)
{
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (int32_t i = 0; i < lm_world_surface_count(world); ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		double a[3], b[3];
		if (view.fixed || view.vertex_count == 0)
			continue;
		lm_mesh_bounds(view.positions, view.vertex_count, a, b);
		for (int c = 0; c < 3; ++c)
			low[c] = fmin(low[c], a[c]), high[c] = fmax(high[c], b[c]);
	}
	double size = fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
	return size > 0 && isfinite(size) ? size : 1;
}

static lm_status make_surfaces(showing* s)
{
	int32_t surfaces = lm_world_surface_count(s->world), objects = lm_world_object_count(s->world);
	s->capacity = surfaces + 3 * objects;
	s->surfaces = calloc((size_t)s->capacity + 1, sizeof *s->surfaces);
	s->owned = calloc(2 * (size_t)s->capacity + 1, sizeof *s->owned);
	if (s->surfaces == NULL || s->owned == NULL)
		return LM_NO_MEMORY;
	lm_status status = add_surfaces(s);
	return status == LM_OK ? add_marks(s) : status;
}

static int draw_world(showing* s, const lm_scene* scene, const show_request* request)
{
	lm_error error = { .status = LM_NO_MEMORY, .message = "out of memory" };
	for (long frame = 0; frame < request->frame; ++frame)
	{
		if (s->host->progress != NULL &&
		    !s->host->progress("simulating", (double)frame / (double)request->frame, s->host->progress_context))
			return EXIT_INTERRUPTED;
		if (lm_world_step(s->world, &error) != LM_OK)
			return report_error(&error);
	}
	end_progress();
	s->camera = lm_world_camera(s->world);
	s->size = size_of(s->world);
	int code = EXIT_GOOD;
	if (make_surfaces(s) != LM_OK)
		code = report_error(&error);
	lm_render_settings settings = lm_film_settings_of(scene).render;
	settings.samples = 9;
	if (request->width > 0)
		settings.width = request->width, settings.height = request->height;
	if (code == EXIT_GOOD)
		code = draw_surfaces(s->surfaces, s->count, &s->camera, &settings, request->out, s->host);
	for (int32_t i = 0; i < s->owned_count; ++i)
		free(s->owned[i]);
	free(s->owned);
	free(s->surfaces);
	return code;
}

int show_scene(const lm_scene* scene, const show_request* request, const lm_host* host)
{
	showing s = { .host = host };
	lm_error error;
	if (!take_words(&s, request->words))
		return EXIT_BAD_INPUT;
	if (lm_world_create(scene, host, &s.world, &error) != LM_OK)
		return report_error(&error);
	int code = draw_world(&s, scene, request);
	lm_world_destroy(s.world);
	return code;
}

int check_show_words(const char* words)
{
	showing s = { 0 };
	return take_words(&s, words) ? EXIT_GOOD : EXIT_BAD_INPUT;
}

// ---- a mesh by itself ----

// As it lies in its file.
static int draw_mesh(const char* path, const show_request* request, const lm_host* host)
{
	lm_error error;
	lm_mesh* mesh;
	if (lm_mesh_read(path, host, &mesh, &error) != LM_OK)
		return report_error(&error);
	if (mesh->tet_count > 0 && lm_mesh_extract_surface(mesh, &error) != LM_OK)
	{
		lm_mesh_destroy(mesh);
		return report_error(&error);
	}
	lm_film_settings film = lm_film_settings_default();
	film.render.samples = 9;
	if (request->width > 0)
		film.render.width = request->width, film.render.height = request->height;
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	lm_camera camera = lm_camera_fit(low, high, film.camera.direction, film.camera.fov,
	                                 (double)film.render.width / film.render.height);
	lm_surface surface = { .vertex_count = mesh->vertex_count,
		                   .positions = mesh->positions,
		                   .triangle_count = mesh->triangle_count,
		                   .triangles = mesh->triangles,
		                   .color = { 0.55f, 0.5f, 0.42f },
		                   .edges = request->words != NULL };
	int code = EXIT_GOOD;
	if (mesh->triangle_count == 0)
		code = usage_error("render", "%s: has no triangles to draw", path);
	else
		code = draw_surfaces(&surface, 1, &camera, &film.render, request->out, host);
	lm_mesh_destroy(mesh);
	return code;
}

int show_mesh(const char* path, const show_request* request, const lm_host* host)
{
	if (request->words == NULL || strcmp(request->words, "edges") == 0)
		return draw_mesh(path, request, host);
	lm_error error;
	char* text = lm_scene_text_for_mesh(path, host, &error);
	if (text == NULL)
		return report_error(&error);
	lm_scene* scene;
	int code = read_scene_text(text, path, host, &scene);
	lm_text_free(host, text);
	if (code != EXIT_GOOD)
		return code;
	code = show_scene(scene, request, host);
	lm_scene_destroy(scene);
	return code;
}
