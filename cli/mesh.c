// limber mesh: a simulation mesh around any surface.
#include "cli.h"

#include <stdio.h>

static const char help[] =
	"limber mesh SURFACE --out FILE [--size S | --vertices N]\n"
	"\n"
	"Fills a surface with tetrahedra for the simulation. The surface may be open, overlapping or in pieces; it is "
	"bound\n"
	"to the tetrahedra later and moves with them, so the mesh can be much coarser than the surface.\n"
	"\n"
	"  --out FILE     .msh (Gmsh), or .node (TetGen; the .ele is written beside it)\n"
	"  --size S       edge length of the lattice, metres\n"
	"  --vertices N   or about how many vertices; default 500\n";

int verb_mesh(int count, char** words)
{
	static const option options[] = {
		{ "--out", "FILE", false },  { "--size", "S", false },  { "--vertices", "N", false },
		{ "--threads", "N", false }, { "--help", NULL, false },
	};
	arguments a;
	if (!parse_arguments(count, words, "mesh", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	const char* out = option_value(&a, "--out", 0);
	if (a.plain_count != 1 || out == NULL)
		return wrong_files(&a, "one surface, and --out FILE");
	if (!path_ends(out, ".msh") && !path_ends(out, ".node") && !path_ends(out, ".ele"))
		return usage_error("mesh", "%s: unknown ending; tetrahedra go into .msh or .node", out);
	if (has_option(&a, "--size") && has_option(&a, "--vertices"))
		return usage_error("mesh", "--size and --vertices exclude each other");
	lm_lattice_settings settings = lm_lattice_settings_default();
	long vertices = settings.vertices, threads = 0;
	if (!option_number(&a, "--size", 1e-9, 1e9, &settings.size) ||
	    !option_integer(&a, "--vertices", 8, 10000000, &vertices) || !option_integer(&a, "--threads", 1, 256, &threads))
		return EXIT_BAD_INPUT;
	settings.vertices = (int32_t)vertices;
	if (is_same_file(out, a.plain[0]))
		return usage_error("mesh", "%s: is the surface itself and would be written over; choose another name", out);
	int code = check_writable(out);
	if (code != EXIT_GOOD)
		return code;
	catch_interrupts(NOTHING_WRITTEN);
	lm_host host = command_host(false, threads, LM_SIMD_AUTO);
	lm_error error;
	lm_mesh *surface = NULL, *lattice = NULL;
	if (lm_mesh_read(a.plain[0], &host, &surface, &error) != LM_OK ||
	    lm_lattice_create(surface, &settings, &host, &lattice, &error) != LM_OK ||
	    lm_mesh_write(out, lattice, NULL, &error) != LM_OK)
	{
		if (error.file[0] == 0)
			snprintf(error.file, sizeof error.file, "%s", a.plain[0]);
		code = report_error(&error);
	}
	else
	{
		end_progress();
		printf("%s: %d vertices, %d tetrahedra around %d triangles\n", out, lattice->vertex_count, lattice->tet_count,
		       surface->triangle_count);
	}
	lm_mesh_destroy(surface);
	lm_mesh_destroy(lattice);
	return code;
}
