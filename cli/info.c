// limber info: what is in a mesh, cache or scene.
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"limber info FILE...\n"
	"\n"
	"Describes a mesh (.obj .ply .stl .node .ele .msh), point cache (.pc2 .mdd), run cache (.lmc)\n"
	"or scene (.json).\n";

static void print_facts(const lm_mesh* mesh, const lm_mesh_facts* facts)
{
	const double *low = facts->low, *high = facts->high;
	printf("  bounds      (%g, %g, %g) to (%g, %g, %g)\n", low[0], low[1], low[2], high[0], high[1], high[2]);
	printf("  edges       %g to %g m\n", facts->min_edge, facts->max_edge);
	printf("  pieces      %d\n", facts->components);
	if (facts->loose_vertices > 0)
		printf("  loose       %d vertices in no element\n", facts->loose_vertices);
	if (mesh->edge_count > 0)
		printf("  length      %g m of curves\n", facts->length);
	if (facts->surface_triangles == 0)
		return;
	printf("  surface     %s, %s, area %g m^2", facts->closed ? "closed" : "open",
	       facts->manifold ? "manifold" : "not manifold", facts->area);
	if (facts->open_edges + facts->crowded_edges + facts->flipped_edges + facts->pinched_vertices > 0)
		printf(" (%d open, %d crowded, %d flipped edges, %d pinched vertices)", facts->open_edges, facts->crowded_edges,
		       facts->flipped_edges, facts->pinched_vertices);
	printf("\n");
	if (facts->volume != 0)
		printf("  volume      %g m^3\n", facts->volume);
	if (mesh->tet_count > 0)
		printf("  angles      at least %.3g degrees between faces\n", facts->min_dihedral);
}

static int info_mesh(const char* path, const lm_host* host)
{
	lm_mesh* mesh;
	lm_error error;
	if (lm_mesh_read(path, host, &mesh, &error) != LM_OK)
		return report_error(&error);
	printf("%s: mesh\n  vertices    %d\n  triangles   %d\n  tetrahedra  %d\n", path, mesh->vertex_count,
	       mesh->triangle_count, mesh->tet_count);
	if (mesh->edge_count > 0)
		printf("  curves      %d edges\n", mesh->edge_count);
	if (mesh->face_count > 0)
		printf("  faces       %d\n", mesh->face_count);
	int code = EXIT_GOOD;
	lm_mesh_facts facts;
	if (lm_mesh_check(mesh, path, &error) != LM_OK || lm_mesh_get_facts(mesh, host, &facts, &error) != LM_OK)
		code = report_error(&error);
	else
		print_facts(mesh, &facts);
	for (int32_t i = 0; i < mesh->group_count; ++i)
		printf("  group       %s: %d vertices\n", mesh->groups[i].name, mesh->groups[i].count);
	lm_mesh_destroy(mesh);
	return code;
}

static int info_points(const char* path, const lm_host* host)
{
	lm_points* points;
	lm_error error;
	if (lm_points_open(path, host, &points, &error) != LM_OK)
		return report_error(&error);
	printf("%s: point cache\n  vertices    %d\n  frames      %d at %g per second\n", path,
	       lm_points_vertex_count(points), lm_points_frame_count(points), lm_points_fps(points));
	lm_points_destroy(points);
	return EXIT_GOOD;
}

static int info_cache(const char* path, const lm_host* host)
{
	lm_cache* cache;
	lm_error error;
	if (lm_cache_open(path, host, &cache, &error) != LM_OK)
		return report_error(&error);
	const lm_cache_info* info = lm_cache_get_info(cache);
	printf("%s: run cache\n  scene       %s\n  frames      %" PRId64 " at %g per second\n", path, info->scene,
	       lm_cache_frame_count(cache), info->fps);
	for (int32_t i = 0; i < info->object_count; ++i)
		printf("  object      %s: %d vertices, %d triangles%s\n", info->objects[i].name, info->objects[i].vertex_count,
		       info->objects[i].triangle_count, info->objects[i].fixed ? ", fixed" : "");
	lm_cache_destroy(cache);
	return EXIT_GOOD;
}

static int info_scene(const char* path, const lm_host* host)
{
	lm_scene* scene;
	int code = read_scene(path, host, &scene);
	if (code != EXIT_GOOD)
		return code;
	printf("%s: scene \"%s\"\n", path, scene->name);
	if (scene->description != NULL && scene->description[0] != 0)
		printf("  %s\n", scene->description);
	printf("  length      %g s at %g frames per second\n", scene->seconds, scene->fps);
	for (int32_t i = 0; i < scene->object_count; ++i)
		printf("  object      %s: %s, %d vertices, %d tetrahedra\n", scene->objects[i].name, scene->objects[i].engine,
		       scene->objects[i].mesh->vertex_count, scene->objects[i].mesh->tet_count);
	for (int32_t i = 0; i < scene->collider_count; ++i)
		printf("  collider    %s\n", scene->colliders[i].name);
	lm_scene_destroy(scene);
	return EXIT_GOOD;
}

int verb_info(int count, char** words)
{
	static const option options[] = { { "--help", NULL, false } };
	arguments a;
	if (!parse_arguments(count, words, "info", options, 1, &a))
		return EXIT_BAD_INPUT;
	if (has_option(&a, "--help"))
		return fputs(help, stdout) < 0 ? EXIT_WORK_FAILED : EXIT_GOOD;
	if (a.plain_count == 0)
		return usage_error("info", "info takes a file");
	catch_interrupts("the file has not been read to its end");
	lm_host host = command_host(false, 0, LM_SIMD_AUTO);
	int worst = EXIT_GOOD;
	for (int i = 0; i < a.plain_count; ++i)
	{
		const char* path = a.plain[i];
		int code;
		if (path_ends(path, ".json"))
			code = info_scene(path, &host);
		else if (path_ends(path, ".lmc"))
			code = info_cache(path, &host);
		else if (is_points(path))
			code = info_points(path, &host);
		else if (lm_mesh_can_read(path) || strcmp(path, "-") == 0)
			code = info_mesh(path, &host);
		else
			code = usage_error("info",
			                   "%s: unknown ending; info knows meshes (.obj .ply .stl .node .ele .msh), point "
			                   "caches (.pc2 .mdd), run caches (.lmc) and scenes (.json)",
			                   path);
		fflush(stdout); // so that what is said of the next file comes after it
		worst = code > worst ? code : worst;
	}
	return worst;
}
