// check_json.c: what `limber check` finds, for programs: one JSON object for each scene.
//
//   {"scene": "a.json", "good": false, "problems": [{"file", "where", "element", "message"}], "warnings": ["..."],
//    "pairs": [{"objects": ["a", "b"], "inside": true, "depth": 0.1, "reason": null}],
//    "repaired": [{"object": "a", "doubled": [vertices], "flat": [triangles], "repeated": [triangles],
//                  "loose": [vertices]}],
//    "crossing": [{"object": "a", "triangles": [[1, 2]]}]}
//
// `where` is a line or a JSON path, or ""; `element` the vertex, triangle or frame meant, or null.
// `pairs`: objects that begin inside each other (depth in m, 0 where only their surfaces cross), or cannot touch, with
// the reason; the first 1000. `repaired`: what was wrong with meshes, counted from 0 as the file has them. `crossing`:
// triangles of cloth that cross at the start and may come free, as the mesh is after its repair; the first 1000.
#include "cli.h"

#include <string.h>

#define MOST_WARNINGS 64
#define MOST_PAIRS 1000

#define MOST_CLOTHS 1000

typedef struct crossings
{
	int32_t objects;
	int64_t first[MOST_CLOTHS + 1]; // pair of each object
	int32_t triangles[2 * MOST_PAIRS];
} crossings;

typedef struct listener
{
	int count;
	char texts[MOST_WARNINGS][512];
} listener;

static void listen(lm_log_level level, const char* message, void* context)
{
	listener* heard = context;
	if (level == LM_LOG_WARNING && heard->count < MOST_WARNINGS)
		snprintf(heard->texts[heard->count++], sizeof heard->texts[0], "%s", message);
}

static void print_problem(const lm_error* error, bool first)
{
	printf("%s{\"file\": ", first ? "" : ", ");
	print_text(stdout, error->file);
	printf(", \"where\": ");
	print_text(stdout, error->where);
	if (error->element >= 0)
		printf(", \"element\": %lld, \"message\": ", (long long)error->element);
	else
		printf(", \"element\": null, \"message\": ");
	print_text(stdout, error->message);
	printf("}");
}

static void print_pairs(const lm_scene* scene, const lm_world_pair* pairs, int64_t count)
{
	printf("], \"pairs\": [");
	for (int64_t i = 0; i < count && i < MOST_PAIRS; ++i)
	{
		printf("%s{\"objects\": [", i == 0 ? "" : ", ");
		print_text(stdout, scene->objects[pairs[i].a].name);
		printf(", ");
		print_text(stdout, scene->objects[pairs[i].b].name);
		printf("], \"inside\": %s, \"depth\": %.6g, \"reason\": ", pairs[i].inside ? "true" : "false", pairs[i].depth);
		if (pairs[i].reason != NULL)
			print_text(stdout, pairs[i].reason);
		else
			printf("null");
		printf("}");
	}
}

static void print_list(const char* name, const lm_repair_list* list)
{
	printf(", \"%s\": [", name);
	for (int32_t i = 0; i < list->count; ++i)
		printf("%s%d", i == 0 ? "" : ", ", list->items[i]);
	printf("]");
}

static void print_repairs(const lm_scene* scene)
{
	printf("], \"repaired\": [");
	bool first = true;
	for (int32_t i = 0; scene != NULL && i < scene->object_count; ++i)
	{
		const lm_repair* r = scene->objects[i].repair;
		if (r == NULL)
			continue;
		printf("%s{\"object\": ", first ? "" : ", ");
		print_text(stdout, scene->objects[i].name);
		print_list("doubled", &r->doubled), print_list("flat", &r->flat);
		print_list("repeated", &r->repeated), print_list("loose", &r->loose);
		printf("}");
		first = false;
	}
}

// Of the cloths of a world.
static void find_crossings(const lm_scene* scene, lm_world* world, crossings* found)
{
	found->first[0] = 0;
	for (int32_t i = 0; i < scene->object_count && i < MOST_CLOTHS; ++i)
	{
		const lm_track* cloth = lm_world_track(world, i);
		int64_t at = found->first[i], room = MOST_PAIRS - at;
		int64_t count = cloth != NULL ? lm_track_tangled(cloth, found->triangles + 2 * at, room) : 0;
		found->first[i + 1] = at + (count < room ? count : room);
		found->objects = i + 1;
	}
}

static void print_crossings(const lm_scene* scene, const crossings* found)
{
	printf("], \"crossing\": [");
	bool first = true;
	for (int32_t i = 0; i < found->objects; ++i)
	{
		if (found->first[i] == found->first[i + 1])
			continue;
		printf("%s{\"object\": ", first ? "" : ", ");
		print_text(stdout, scene->objects[i].name);
		printf(", \"triangles\": [");
		for (int64_t k = found->first[i]; k < found->first[i + 1]; ++k)
			printf("%s[%d, %d]", k == found->first[i] ? "" : ", ", found->triangles[2 * k],
			       found->triangles[2 * k + 1]);
		printf("]}");
		first = false;
	}
}

static lm_status check_world(const lm_scene* scene, const lm_host* host, lm_world_pair* pairs, int64_t* count,
                             crossings* found, lm_error* error)
{
	lm_world* world = NULL;
	lm_status status = lm_world_create(scene, host, &world, error);
	if (status == LM_OK)
		status = lm_world_check(world, error);
	if (status == LM_OK)
		status = lm_world_pairs(world, pairs, MOST_PAIRS, count, error);
	if (status == LM_OK)
		find_crossings(scene, world, found);
	lm_world_destroy(world);
	return status;
}

int check_as_json(const char* path, const lm_host* usual)
{
	static listener heard;
	static lm_world_pair pairs[MOST_PAIRS];
	static crossings found;
	found.objects = 0;
	int64_t pair_count = 0;
	heard.count = 0;
	lm_host host = *usual;
	host.log = listen, host.log_context = &heard;
	lm_problems problems = { 0 };
	lm_error error = { .element = -1 };
	lm_scene* scene = NULL;
	lm_status status = lm_scene_read(path, &host, &scene, &problems);
	bool read = status == LM_OK;
	if (read)
		status = check_world(scene, &host, pairs, &pair_count, &found, &error);
	end_progress();
	if (status == LM_CANCELLED)
	{
		lm_scene_destroy(scene);
		return EXIT_INTERRUPTED;
	}
	printf("{\"scene\": ");
	print_text(stdout, path);
	printf(", \"good\": %s, \"problems\": [", status == LM_OK ? "true" : "false");
	for (int32_t i = 0; i < problems.count; ++i)
		print_problem(&problems.items[i], i == 0);
	if (read && status != LM_OK)
		print_problem(&error, true);
	printf("], \"warnings\": [");
	for (int i = 0; i < heard.count; ++i)
	{
		printf("%s", i == 0 ? "" : ", ");
		print_text(stdout, heard.texts[i]);
	}
	print_pairs(scene, pairs, status == LM_OK ? pair_count : 0);
	print_repairs(read ? scene : NULL);
	print_crossings(scene, &found);
	printf("]}\n");
	lm_scene_destroy(scene);
	lm_problems_release(&problems);
	return exit_code(status);
}
