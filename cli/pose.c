// limber pose: a natural pose of a surface from a few handles.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"limber pose MODEL --handles FILE --out MESH [--nodes N] [--threads N] [--simd LEVEL]\n"
	"limber pose SCENE.json --model act [--object NAME] --handles FILE --out MESH\n"
	"\n"
	"Holds and moves parts of a surface; all else follows naturally. The vertices keep their order: the result\n"
	"can be a key of `design` or an example pose of `match` and `act`.\n"
	"\n"
	"  --handles FILE   JSON: {\"handles\": [{\"group\": \"feet\"}, {\"near\": [0, 1, 0], \"by\": [1, 0, 0]}]};\n"
	"                   a handle takes a group, vertices or the vertex near a place, and by, to, rotation and weight\n"
	"  --out MESH       .obj, .ply or .stl\n"
	"  --model act      of a character of a scene, at the equilibrium of its own material: for its example poses\n"
	"  --object NAME    which, where there are several\n"
	"  --nodes N        how many nodes move it; default 60\n"
	"  --threads N      default: all cores. The result does not depend on it\n" SIMD_HELP;

int report_problems(const lm_problems* problems)
{
	int code = EXIT_BAD_INPUT;
	for (int32_t i = 0; i < problems->count; ++i)
		code = report_error(&problems->items[i]);
	return code;
}

// Poses the model and writes it.
static lm_status pose(const lm_mesh* mesh, const lm_scene_handle* handles, int32_t count,
                      const lm_design_pose_settings* settings, long nodes, const char* out, const lm_host* host,
                      lm_error* error)
{
	lm_design_model_def def = lm_design_model_def_default();
	lm_design_model* model = NULL;
	lm_design_pose* posed = NULL;
	double* positions = malloc(sizeof *positions * 3 * (size_t)mesh->vertex_count);
	def.surface = mesh, def.nodes = (int32_t)nodes;
	lm_status status = positions != NULL ? LM_OK : LM_NO_MEMORY;
	if (status == LM_OK)
		status = lm_design_model_create(&def, host, &model, error);
	if (status == LM_OK)
		status = lm_design_pose_create(model, settings, host, &posed, error);
	if (status == LM_OK)
		status = lm_handles_apply(handles, count, mesh, host, posed, error);
	if (status == LM_OK)
	{
		lm_design_pose_report report = lm_design_pose_solve(posed);
		lm_design_surface(model, lm_design_pose_nodes(posed), host->threads, positions, NULL);
		status = lm_mesh_write(out, mesh, positions, error);
		end_progress();
		if (status == LM_OK)
			printf("%s: %d vertices, %d nodes; handles are met to %.3g m%s\n", out, mesh->vertex_count,
			       lm_design_model_node_count(model), report.handle_error,
			       report.least_volume > 0 ? "" : "; parts of it are inside out: the handles ask for too much");
	}
	lm_design_pose_destroy(posed);
	lm_design_model_destroy(model);
	free(positions);
	return status;
}

int verb_pose(int count, char** words)
{
	static const option options[] = {
		{ "--out", "FILE", false },
		{ "--handles", "FILE", false },
		{ "--nodes", "N", false },
		{ "--model", "ENGINE", false },
		{ "--object", "NAME", false },
		{ "--threads", "N", false },
		SIMD_OPTION,
		{ "--help", NULL, false },
	};
	arguments a;
	if (!parse_arguments(count, words, "pose", options, sizeof options / sizeof options[0], &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	const char *out = option_value(&a, "--out", 0), *file = option_value(&a, "--handles", 0);
	if (a.plain_count != 1 || out == NULL || file == NULL)
		return wrong_files(&a, "one model, --handles FILE and --out FILE");
	if (!path_ends(out, ".obj") && !path_ends(out, ".ply") && !path_ends(out, ".stl"))
		return usage_error("pose", "%s: unknown ending; poses go into .obj, .ply or .stl", out);
	long nodes = 60, threads = 0;
	lm_simd simd;
	if (!option_simd(&a, &simd) || !option_integer(&a, "--nodes", 4, 1000, &nodes) ||
	    !option_integer(&a, "--threads", 1, 256, &threads))
		return EXIT_BAD_INPUT;
	if (is_same_file(out, a.plain[0]) || is_same_file(out, file))
		return usage_error("pose", "%s: would be written over while it is needed; choose another name", out);
	int code = check_writable(out);
	if (code != EXIT_GOOD)
		return code;
	const char *model = option_value(&a, "--model", 0), *object = option_value(&a, "--object", 0);
	if (model != NULL && strcmp(model, "act") != 0 && strcmp(model, "design") != 0)
		return usage_error("pose", "--model is %s, must be act or design, which is the default", model);
	bool character = model != NULL && strcmp(model, "act") == 0;
	if (character != path_ends(a.plain[0], ".json") || (object != NULL && !character))
		return usage_error(
			"pose", "%s: --model act takes a scene (.json) and, if need be, --object; without it a model", a.plain[0]);
	catch_interrupts(NOTHING_WRITTEN);
	lm_host host = command_host(false, threads, simd);
	if (character)
		return pose_character(a.plain[0], object, file, out, &host);
	lm_error error = { 0 };
	lm_mesh* mesh = NULL;
	lm_scene_handle* handles = NULL;
	int32_t handle_count = 0;
	lm_design_pose_settings settings;
	lm_problems problems = { .host = host };
	if (lm_mesh_read(a.plain[0], &host, &mesh, &error) != LM_OK || lm_mesh_extract_surface(mesh, &error) != LM_OK)
		code = report_error(&error);
	else if (lm_handles_read(file, mesh, &host, &handles, &handle_count, &settings, &problems) != LM_OK)
		code = report_problems(&problems);
	else if (pose(mesh, handles, handle_count, &settings, nodes, out, &host, &error) != LM_OK)
	{
		if (error.file[0] == 0)
			snprintf(error.file, sizeof error.file, "%s", a.plain[0]);
		code = report_error(&error);
	}
	lm_problems_release(&problems);
	lm_handles_free(&host, handles, handle_count);
	lm_mesh_destroy(mesh);
	return code;
}
