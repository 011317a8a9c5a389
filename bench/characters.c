// limber-bench characters --models DIR [--starts N] [--json FILE] [--only BEHAVIOUR,...] [--figure NAME]
// [--step SECONDS]: makes a character of every mesh of a folder with default settings, and prints what it can do.
#include "characters.h"

#include "limber/io.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options
{
	const char *models, *json, *only, *figure;
	int starts, trace;
	double step;
} options;

static bool read_options(int count, char** arguments, options* o)
{
	o->starts = 1;
	o->step = 0.02;
	for (int i = 2; i + 1 < count; i += 2)
	{
		const char *name = arguments[i], *value = arguments[i + 1];
		if (strcmp(name, "--models") == 0)
			o->models = value;
		else if (strcmp(name, "--json") == 0)
			o->json = value;
		else if (strcmp(name, "--only") == 0)
			o->only = value;
		else if (strcmp(name, "--figure") == 0)
			o->figure = value;
		else if (strcmp(name, "--starts") == 0)
			o->starts = atoi(value);
		else if (strcmp(name, "--step") == 0)
			o->step = atof(value);
		else if (strcmp(name, "--trace") == 0)
			o->trace = atoi(value);
		else
			return false;
	}
	return count % 2 == 0 && o->models != NULL && o->starts >= 1 && o->step > 0 && o->step <= 0.1;
}

// ---- figures

// As `character` does it: what cannot stand is laid down; turned to face along x, scaled to 1 m, its lowest point at
// y = 0.
static void make_upright(lm_mesh* mesh, lm_facing facing)
{
	double low[3], high[3], turn[3][3];
	bool lies = facing.foot_count == 0 && lm_figure_rest(mesh, facing.center, turn) >= 1;
	for (int32_t v = 0; lies && v < mesh->vertex_count; ++v)
	{
		double *p = mesh->positions + 3 * v, x[3] = { p[0], p[1], p[2] };
		for (int c = 0; c < 3; ++c)
			p[c] = turn[c][0] * x[0] + turn[c][1] * x[1] + turn[c][2] * x[2];
	}
	for (int32_t v = 0; v < mesh->vertex_count; ++v)
	{
		double *p = mesh->positions + 3 * v, x = p[0], z = p[2];
		p[0] = facing.sign * (facing.axis == 2 ? z : x);
		p[2] = facing.sign * (facing.axis == 2 ? -x : z);
	}
	lm_mesh_bounds(mesh->positions, mesh->vertex_count, low, high);
	double height = high[1] - low[1];
	for (int64_t k = 0; k < 3 * (int64_t)mesh->vertex_count; ++k)
	{
		int c = (int)(k % 3);
		mesh->positions[k] = (mesh->positions[k] - (c == 1 ? low[1] : (low[c] + high[c]) / 2)) / height;
	}
}

static bool read_figure(const char* path, const char* name, figure* f, lm_error* error)
{
	lm_host host = lm_host_default();
	host.threads = 1;
	lm_facing facing;
	lm_lattice_settings lattice = lm_lattice_settings_default();
	lattice.vertices = LM_CHARACTER_VERTICES, lattice.legs = true;
	*f = (figure){ 0 };
	snprintf(f->name, sizeof f->name, "%.*s", (int)strcspn(name, "."), name);
	if (lm_mesh_read(path, &host, &f->surface, error) != LM_OK)
		return false;
	if (f->surface->tet_count > 0 && lm_mesh_extract_surface(f->surface, error) != LM_OK)
		return false;
	if (lm_figure_facing(f->surface, &host, &facing, error) != LM_OK)
		return false;
	make_upright(f->surface, facing);
	return lm_fitted_create(f->surface, &lattice, &host, &f->fit, error) == LM_OK;
}

static void release_figure(figure* f)
{
	lm_mesh_destroy(f->surface);
	lm_fitted_destroy(f->fit);
}

// ---- rows

static json_t* row_of(const char* figure_name, const char* behaviour, double value, const char* size,
                      const trial_result* r)
{
	char name[160];
	snprintf(name, sizeof name, "characters/%s/%s", figure_name, behaviour);
	json_t* row = json_pack("{s:s, s:f, s:s, s:s}", "name", name, "value", value, "unit", "pass", "size", size);
	if (r != NULL)
		json_object_set_new(row, "split",
		                    json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "way",
		                              r->way, "wanted", r->wanted, "aside", r->aside, "drift", r->drift, "tilt",
		                              r->tilt, "slip", r->slip, "slide", r->slide, "gap", r->gap, "steps", r->steps,
		                              "hops", r->hops, "fell_at", r->fell_at, "s_per_s", r->s_per_s, "late_frames",
		                              r->late_frames));
	return row;
}

static void print_result(const figure* f, trial_kind kind, int variant, int start, const trial_result* r)
{
	printf(
		"%-14s %-5s %d.%d %s way %.2f/%.2f aside %.2f drift %.3f tilt %.2f fell %.1f up %.1f steps %.0f hops %.0f slip "
		"%.3f slide %.3f gap %.4f late %.2f %.2f s/s\n",
		f->name, trial_names[kind], variant, start, r->pass ? "PASS" : "fail", r->way, r->wanted, r->aside, r->drift,
		r->tilt, r->fell_at, r->up_for, r->steps, r->hops, r->slip, r->slide, r->gap, r->late_frames, r->s_per_s);
	fflush(stdout);
}

// All variants of a behaviour from one start; the worst of them in *result.
static bool try_start(figure* f, const options* o, trial_kind kind, int start, trial_result* result, lm_error* error)
{
	bool all = true;
	for (int variant = 0; variant < trial_variants(kind); ++variant)
	{
		trial_result r;
		if (!run_trial(f, kind, variant, start, o->step, o->trace, &r, error))
			return false;
		print_result(f, kind, variant, start, &r);
		if (variant == 0 || (all && !r.pass))
			*result = r;
		all = all && r.pass;
	}
	result->pass = all;
	return true;
}

// Whether a behaviour is one of those named, or, if none are, one of the usual ones.
static bool is_wanted(const options* o, trial_kind kind)
{
	size_t length = strlen(trial_names[kind]);
	if (o->only == NULL)
		return kind < TRIAL_USUAL;
	for (const char* name = o->only; name[0] != 0; name += name[0] == ',')
	{
		size_t size = strcspn(name, ",");
		if (size == length && memcmp(name, trial_names[kind], size) == 0)
			return true;
		name += size;
	}
	return false;
}

static bool try_figure(const options* o, figure* f, json_t* rows, char* line, size_t size, lm_error* error)
{
	int used = snprintf(line, size, "%-16s", f->name);
	for (int kind = 0; kind < TRIAL_KINDS; ++kind)
	{
		int passed = 0;
		trial_result shown = { 0 };
		int feet = f->fit->foot_count;
		bool able = !trial_needs_feet((trial_kind)kind) || (kind == TRIAL_TROT ? feet == 4 : feet > 0);
		if (!able || !is_wanted(o, (trial_kind)kind))
			continue;
		for (int s = 0; s < o->starts; ++s)
		{
			trial_result r;
			if (!try_start(f, o, (trial_kind)kind, o->starts > 1 ? s + 1 : 0, &r, error))
				return false;
			passed += r.pass;
			if (s == 0 || !r.pass)
				shown = r;
		}
		char what[80];
		snprintf(what, sizeof what, "%d feet, %d vertices", f->fit->foot_count, f->fit->mesh->vertex_count);
		double share = (double)passed / o->starts;
		json_array_append_new(rows, row_of(f->name, trial_names[kind], share, what, &shown));
		used += snprintf(line + used, size - (size_t)used, " %s %.*f", trial_names[kind], o->starts > 1 ? 1 : 0, share);
	}
	return true;
}

static int by_name(const struct dirent** a, const struct dirent** b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_mesh(const char* name)
{
	static const char* const endings[] = { ".obj", ".ply", ".stl", ".msh", ".off" };
	size_t length = strlen(name);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
		if (length > 4 && strcmp(name + length - 4, endings[i]) == 0)
			return true;
	return false;
}

int bench_characters(int count, char** arguments)
{
	options o = { 0 };
	struct dirent** files;
	if (!read_options(count, arguments, &o))
	{
		fprintf(stderr, "usage: limber-bench characters --models DIR [--starts N] [--json FILE] [--only BEHAVIOUR,...] "
		                "[--figure NAME] [--step SECONDS]\n");
		return 2;
	}
	int found = scandir(o.models, &files, NULL, by_name);
	if (found < 0)
	{
		fprintf(stderr, "limber-bench: %s: cannot be read; give a folder with meshes\n", o.models);
		return 2;
	}
	json_t* rows = json_array();
	json_t* all = json_pack("{s:o}", "rows", rows);
	char matrix[65536] = "";
	for (int i = 0; i < found; ++i)
	{
		char path[2048], line[256];
		const char* name = files[i]->d_name;
		if (is_mesh(name) && (!o.figure || strncmp(name, o.figure, strlen(o.figure)) == 0))
		{
			figure f;
			lm_error error = { 0 };
			snprintf(path, sizeof path, "%s/%s", o.models, name);
			bool good = read_figure(path, name, &f, &error);
			good = good && try_figure(&o, &f, rows, line, sizeof line, &error);
			for (int kind = 0; !good && kind < TRIAL_KINDS; ++kind)
				json_array_append_new(rows, row_of(f.name, trial_names[kind], 0, error.message, NULL));
			if (!good)
				snprintf(line, sizeof line, "%-16s %.120s", f.name, error.message);
			if (strlen(matrix) + strlen(line) + 2 < sizeof matrix)
				strcat(strcat(matrix, line), "\n");
			release_figure(&f);
		}
		free(files[i]);
	}
	free(files);
	printf("\n%s", matrix);
	int code = o.json && json_dump_file(all, o.json, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) != 0 ? 1 : 0;
	if (code != 0)
		fprintf(stderr, "limber-bench: %s: cannot be written\n", o.json);
	json_decref(all);
	return code;
}
