// Objects of `track` in scenes: every key arrives, every mistake gets one sentence at its place, and worlds follow
// their guides, whatever they are.
#include "base/warnings.h"
#include "test.h"

#include "everything.h"
#include "limber/limber.h"

#include <unistd.h>

static lm_status parse(const char* text, const lm_host* host, lm_scene** scene, lm_problems* problems)
{
	lm_scene_files files = fake_files();
	return lm_scene_parse("scene.json", text, strlen(text), &files, host, scene, problems);
}

static void every_key_arrives(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene = everything_scene(&host);
	const lm_scene_object* object = &scene->objects[7];
	const lm_scene_track* track = object->track;
	const lm_track_settings* s = &track->settings;
	const double got[] = { s->stretch,
		                   s->strain_limit,
		                   s->poisson,
		                   s->bend,
		                   s->damping,
		                   s->yield,
		                   s->hardening,
		                   s->thickness,
		                   s->friction,
		                   s->self_contact,
		                   s->gravity[1],
		                   s->air_drag,
		                   track->levels,
		                   track->scheme,
		                   track->hats,
		                   track->regions,
		                   track->compact,
		                   track->aware,
		                   track->pointwise,
		                   s->strength,
		                   track->preroll,
		                   s->tolerance,
		                   s->most_iterations,
		                   s->solver,
		                   object->density,
		                   track->guide.start,
		                   track->guide.speed,
		                   track->region_density[2],
		                   track->region_density[0] };
	const double want[] = {
		500,  0.07, 0.3, 0.001, 0.01, 20,   0.01, 0.01,           0.4, 0,   -2, 0.5, 2, LM_SUBDIVIDE_LOOP, 0, 4,
		0.75, 0,    1,   12,    0.5,  1e-5, 50,   LM_TRACK_EXACT, 0.3, 0.5, 2,  3,   1
	};
	for (size_t i = 0; i < sizeof want / sizeof want[0]; ++i)
		assert_near(got[i], want[i], 0);
	assert_int_equal(object->mesh->vertex_count, 25);
	assert_int_equal(track->coarse_count, 4);
	assert_int_equal(track->guide.frame_count, 3);
	assert_near(track->guide.times[2], 1, 0); // two frames per second
	assert_near(track->guide.frames[12 + 1], 1, 0);
	assert_int_equal(track->paint_count, 3);
	assert_int_equal(track->paint[0].count, 5); // the top edge, subdivided
	assert_int_equal(track->paint[2].count, 5);
	assert_near(track->paint[2].values[1], 0.5, 0);
	double value[3];
	assert_int_equal(track->keyed.count, 2);
	assert_string_equal(track->keyed.items[0].key, "wind");
	lm_keyed_at(&track->keyed.items[0].keys, 3, 0.5, value);
	assert_near(value[0], 2, 1e-12);
	lm_keyed_at(&track->paint[1].strength, 1, 0.5, value);
	assert_near(value[0], 0.5, 1e-12);
	lm_keyed_at(&track->undeformed.blend, 1, 0.25, value);
	assert_near(value[0], 0.25, 1e-12);
	assert_int_equal(track->undeformed.mesh->vertex_count, 25);
	assert_int_equal(scene->objects[8].track->paint[0].guide_count, 2);
	assert_int_equal(scene->objects[8].track->guide.frame_count, 2);
	assert_string_equal(scene->objects[9].track->guide.object, "cloth");
	assert_near(scene->objects[9].track->guide.offset[2], 2, 0);
	lm_scene_destroy(scene);
}

typedef struct mistake
{
	const char* track; // what is in "track"
	const char* where;
	const char* part; // of the sentence
} mistake;

// Colliders that deform read the same files as guides.
static void caches_of_colliders(void** state)
{
	(void)state;
	static const mistake mistakes[] = {
		{ "\"cache\": \"square.pc2\"", "colliders[0].cache.file", "has 4 vertices, the collider's mesh has 8" },
		{ "\"cache\": \"empty.pc2\"", "colliders[0].cache.file", "has no frames" },
		{ "\"cache\": \"gone.pc2\"", "colliders[0].cache.file", "cannot be opened" },
		{ "\"cache\": \"cube.obj\"", "colliders[0].cache.file", "must be a point cache" },
		{ "\"cache\": \"cube-{frame}.obj\"", "colliders[0].cache.file", "cube-0000.obj" },
		{ "\"cache\": { \"speed\": 1 }", "colliders[0].cache.file", "is missing" },
		{ "\"cache\": { \"file\": \"cube.pc2\", \"speed\": 0 }", "colliders[0].cache.speed", "must be above 0" },
	};
	lm_host host = lm_host_default();
	for (size_t i = 0; i <= sizeof mistakes / sizeof mistakes[0]; ++i)
	{
		char text[600];
		bool good = i == sizeof mistakes / sizeof mistakes[0];
		snprintf(text, sizeof text,
		         "{ \"limber\": 1, \"colliders\": [ { \"shape\": \"mesh\", \"mesh\": \"cube.obj\", %s } ], "
		         "\"objects\": [ { \"engine\": \"track\", \"mesh\": \"square.obj\" } ] }",
		         good ? "\"cache\": { \"file\": \"cube.pc2\", \"fps\": 4, \"start\": 1, \"speed\": 2 }"
		              : mistakes[i].track);
		lm_scene* scene = NULL;
		lm_problems problems;
		lm_status status = parse(text, &host, &scene, &problems);
		if (good)
		{
			const lm_collider_frames* frames = &scene->colliders[0].def.frames;
			assert_int_equal(frames->count, 3);
			assert_near(frames->times[2], 1 + 0.5 / 2, 0);
			assert_near(frames->positions[24 + 1], 1, 0);
			lm_scene_destroy(scene);
			continue;
		}
		assert_int_equal(status, LM_BAD_INPUT);
		assert_string_equal(problems.items[0].where, mistakes[i].where);
		assert_non_null(strstr(problems.items[0].message, mistakes[i].part));
		lm_problems_release(&problems);
	}
}

static void mistakes_get_a_sentence(void** state)
{
	(void)state;
	static const mistake mistakes[] = {
		{ "\"guide\": \"other.pc2\"", "objects[0].track.guide.file", "has 5 vertices, the object's mesh has 4" },
		{ "\"subdivide\": 1, \"guide\": \"other.pc2\"", "objects[0].track.guide.file", "4 and 9 when subdivided" },
		{ "\"guide\": \"empty.pc2\"", "objects[0].track.guide.file", "has no frames" },
		{ "\"guide\": \"gone.pc2\"", "objects[0].track.guide.file", "cannot be opened" },
		{ "\"guide\": \"gap.mdd\"", "objects[0].track.guide.file", "has a gap" },
		{ "\"guide\": \"back.mdd\"", "objects[0].track.guide.file", "times must ascend" },
		{ "\"guide\": \"square.obj\"", "objects[0].track.guide.file", "must be a point cache" },
		{ "\"guide\": \"square-{frame}.obj\"", "objects[0].track.guide.file", "square-0000.obj" },
		{ "\"guide\": { \"file\": \"square-{frame}.obj\", \"first\": 2, \"last\": 1 }", "objects[0].track.guide.last",
		  "must not be before" },
		{ "\"guide\": { \"file\": \"square-{frame}.obj\", \"first\": 1, \"last\": 4 }", "objects[0].track.guide.file",
		  "square-0003.obj" },
		{ "\"guide\": {}", "objects[0].track.guide", "neither file nor object" },
		{ "\"guide\": { \"file\": \"square-{frame}.obj\", \"first\": 1, \"last\": 2, \"bind\": \"skin\" }",
		  "objects[0].track.guide.bind", "only a guide that is an object" },
		{ "\"guide\": { \"object\": \"gone\" }", "objects[0].track.guide.object", "no such object" },
		{ "\"guide\": { \"object\": \"object0\" }", "objects[0].track.guide.object", "somebody must lead" },
		{ "\"guide\": \"square.pc2\", \"regions\": 0", "objects[0].track.regions", "something to match" },
		{ "\"guide\": \"square.pc2\", \"hats\": true", "objects[0].track.hats", "not subdivided" },
		{ "\"guide\": \"square.pc2\", \"paint\": [ \"tip\" ]", "objects[0].track.paint[0].group", "no such group" },
		{ "\"guide\": { \"file\": \"square.pc2\", \"mesh\": \"sheet.obj\" }, \"paint\": [ \"top\" ]",
		  "objects[0].track.paint[0].group", "no such group to match it" },
		{ "\"guide\": { \"file\": \"square.pc2\", \"mesh\": \"sheet.obj\" }, \"regions\": 2", "objects[0].track.guide",
		  "all regions must be painted" },
		{ "\"guide\": { \"file\": \"square.pc2\", \"mesh\": \"sheet.obj\" }, \"paint\": [ {} ]",
		  "objects[0].track.paint[0].group", "is missing" },
		{ "\"guide\": { \"file\": \"square.pc2\", \"mesh\": \"cube.obj\" }, \"paint\": [ { \"group\": \"top\", "
		  "\"guide_group\": \"front\" } ]",
		  "objects[0].track.guide.file", "its mesh has 8" },
		{ "\"guide\": \"square.pc2\", \"paint\": [ { \"group\": \"soft\", \"weights\": \"weights.json\" } ]",
		  "objects[0].track.paint[0].weights", "must have 4, one for each vertex" },
		{ "\"subdivide\": 2, \"guide\": \"square.pc2\", \"paint\": [ { \"group\": \"nothing\", \"weights\": "
		  "\"weights.json\" } ]",
		  "objects[0].track.paint[0].weights", "nothing to match" },
		{ "\"paint\": [ \"top\" ]", "objects[0].track.paint", "no guide to follow" },
		{ "\"guide\": \"square.pc2\", \"paint\": [ { \"group\": \"top\", \"regions\": 2 } ]",
		  "objects[0].track.paint[0].regions", "no whole triangle" },
		{ "\"bend\": 1 }, \"pins\": [ { \"vertices\": [0], \"guide\": true } ], \"groups\": { ",
		  "objects[0].pins[0].guide", "no guide to follow" },
		{ "\"guide\": \"square.pc2\" }, \"pins\": [ { \"vertices\": [0], \"guide\": true, \"offset\": [0, 1, 0] } ], "
		  "\"groups\": { ",
		  "objects[0].pins[0].guide", "offset says where it is held" },
		{ "\"undeformed\": \"cube.obj\"", "objects[0].track.undeformed.mesh", "must be the same mesh" },
		{ "\"undeformed\": { \"blend\": 1 }", "objects[0].track.undeformed.blend", "no second shape" },
	};
	lm_host host = lm_host_default();
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
	{
		char text[600];
		snprintf(text, sizeof text,
		         "{ \"limber\": 1, \"objects\": [ { \"engine\": \"track\", \"mesh\": \"square.obj\", \"track\": { %s } "
		         "} ] }",
		         mistakes[i].track);
		lm_scene* scene = NULL;
		lm_problems problems;
		lm_status status = parse(text, &host, &scene, &problems);
		if (status != LM_BAD_INPUT || problems.count != 1 || strcmp(problems.items[0].where, mistakes[i].where) != 0 ||
		    strstr(problems.items[0].message, mistakes[i].part) == NULL)
			fail_msg("%s: status %d, %d problems, %s: %s", mistakes[i].track, status, problems.count,
			         problems.count > 0 ? problems.items[0].where : "",
			         problems.count > 0 ? problems.items[0].message : "");
		lm_problems_release(&problems);
	}
}

// Vertices that are pinned to the guide follow it exactly, while the rest swings; a painted group may be several
// regions.
static void pins_follow_the_guide(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene;
	lm_problems problems;
	lm_status status = parse("{ \"limber\": 1, \"fps\": 20, \"objects\": [ { \"engine\": \"track\", \"mesh\": "
	                         "\"square.obj\", \"groups\": { \"all\": { \"box\": [[-1, -1, -1], [2, 2, 2]] } }, "
	                         "\"pins\": [ { \"vertices\": [0, 6], \"guide\": true, \"end\": 0.5 } ], \"track\": { "
	                         "\"subdivide\": 2, \"strength\": [[0, 1], [0.25, 1], [0.26, 0]], \"guide\": { \"file\": "
	                         "\"square.pc2\", \"fps\": 4 }, \"paint\": [ { "
	                         "\"group\": \"all\", \"regions\": 3 } ] } } ] }",
	                         &host, &scene, &problems);
	if (status != LM_OK)
		fail_msg("%s: %s", problems.items[0].where, problems.items[0].message);
	const lm_scene_track* track = scene->objects[0].track;
	assert_true(track->paint_count >= 2 && track->paint_count <= 3);
	int32_t covered = 0;
	for (int32_t i = 0; i < track->paint_count; ++i)
		covered += track->paint[i].count;
	assert_int_equal(covered, 25);
	lm_world* world;
	assert_int_equal(lm_world_create(scene, &host, &world, NULL), LM_OK);
	double x[75], far = 0;
	for (int f = 1; f <= 14; ++f)
	{
		assert_int_equal(lm_world_step(world, NULL), LM_OK);
		lm_track_positions(lm_world_track(world, 0), x);
		const int32_t pinned[2] = { 0, 6 };
		for (int k = 0; k < 2; ++k) // the guide goes up by 4 m/s, and rests after half a second
		{
			const double* X = scene->objects[0].mesh->positions + 3 * (size_t)pinned[k];
			double way = fmin(2, 4 * f / 20.0), *p = x + 3 * (size_t)pinned[k];
			double off = hypot(p[0] - X[0], hypot(p[1] - X[1] - way, p[2] - X[2]));
			assert_true(f >= 10 || off < 1e-6); // while its regions let go half way
			far = fmax(far, off);
		}
	}
	assert_true(far > 0.01); // let go
	lm_world_destroy(world), lm_scene_destroy(scene);
}

static void what_cannot_be_done_is_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene;
	lm_problems problems;
	assert_int_equal(
		parse("{ \"limber\": 1, \"objects\": [ { \"engine\": \"track\", \"mesh\": \"square.obj\", \"drags\": [ "
	          "{ \"vertex\": 0, \"target\": [0, 0, 0] } ], \"pushes\": [ { \"impulse\": [1, 0, 0] } ] }, { "
	          "\"name\": \"b\", \"engine\": \"track\", \"mesh\": \"square.obj\", \"substeps\": 3, \"track\": "
	          "{ \"guide\": { \"object\": \"object0\" } } } ] }",
	          &host, &scene, &problems),
		LM_BAD_INPUT);
	assert_int_equal(problems.count, 1);
	lm_problems_release(&problems);
}

// Cloths that touch take as many steps as the finest of them, and what leads one a multiple of those.
static void substeps_are_made_to_fit(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_warnings warnings;
	lm_warnings_listen(&warnings, &host);
	lm_scene* scene;
	lm_problems problems;
	assert_int_equal(
		parse("{ \"limber\": 1, \"objects\": [ { \"name\": \"a\", \"engine\": \"track\", \"mesh\": \"square.obj\" },"
	          "{ \"name\": \"b\", \"engine\": \"track\", \"mesh\": \"square.obj\", \"substeps\": 3, \"track\": "
	          "{ \"guide\": { \"object\": \"a\" } } },"
	          "{ \"name\": \"c\", \"engine\": \"track\", \"mesh\": \"square.obj\", \"substeps\": 5, \"position\": [0, "
	          "3, 0] },"
	          "{ \"name\": \"d\", \"engine\": \"track\", \"mesh\": \"square.obj\", \"substeps\": 2, \"touch\": false } "
	          "] }",
	          &host, &scene, &problems),
		LM_OK);
	const int32_t want[4] = { 6, 3, 6, 2 }; // 5 as c, then 6 for b, and c as a; b touches neither, being led
	for (int i = 0; i < 4; ++i)
		assert_int_equal(scene->objects[i].substeps, want[i]);
	assert_int_equal(warnings.count, 2);
	assert_non_null(strstr(warnings.texts[0], "takes 6 substeps, not 4"));
	lm_problems_release(&problems), lm_scene_destroy(scene);
}

// ---- worlds ----

// A leader without a guide falls, held at the top; a finer cloth of its subdivision follows it; a third follows a
// cache.
static const char three[] =
	"{ \"limber\": 1, \"fps\": 20, \"seconds\": 0.3, \"objects\": ["
	"{ \"name\": \"fine\", \"engine\": \"track\", \"mesh\": \"square.obj\", \"substeps\": 2, \"track\": { "
	"\"subdivide\": "
	"2, \"guide\": { \"object\": \"coarse\" } } },"
	"{ \"name\": \"coarse\", \"engine\": \"track\", \"mesh\": \"square.obj\", \"substeps\": 2, \"pins\": [ { "
	"\"group\": "
	"\"top\" } ] },"
	"{ \"name\": \"cached\", \"engine\": \"track\", \"mesh\": \"square.obj\", \"position\": [3, 0, 0], \"substeps\": "
	"1, "
	"\"track\": { \"preroll\": 0.1, \"subdivide\": 1, \"strength\": [[0, 1], [0.2, 1], [0.21, 0]], \"guide\": { "
	"\"file\": \"square.pc2\", \"fps\": 10, \"start\": 0.05 } } } ] }";

static lm_world* make_world(const lm_host* host)
{
	lm_scene* scene = NULL;
	lm_world* world = NULL;
	lm_error error;
	lm_problems problems;
	lm_status status = parse(three, host, &scene, &problems);
	if (status == LM_BAD_INPUT)
		fail_msg("%s: %s", problems.items[0].where, problems.items[0].message);
	lm_problems_release(&problems);
	if (status == LM_OK && lm_world_create(scene, host, &world, &error) != LM_OK)
		world = NULL;
	lm_scene_destroy(scene);
	return world;
}

static void guides_lead(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_world* world = make_world(&host);
	assert_non_null(world);
	double fine[75], coarse[12], cached[27];
	for (int frame = 1; frame <= 6; ++frame)
	{
		assert_int_equal(lm_world_step(world, &error), LM_OK);
		lm_track_positions(lm_world_track(world, 0), fine);
		lm_track_positions(lm_world_track(world, 1), coarse);
		lm_track_positions(lm_world_track(world, 2), cached);
		// the hats of the fine cloth have the leader's averages, now: their sum is the centre of area
		assert_true(lm_track_get_report(lm_world_track(world, 0)).residual < 1e-9);
		double mean = 0;
		for (int v = 0; v < 9; ++v)
			mean += cached[3 * v + 1] / 9;
		// frames are a tenth of a second apart, 1 m higher each, from 0.05 s on; let go after 0.2 s it flies on
		double want = 0.5 + fmin(2, fmax(0, (0.05 * frame - 0.05) * 10));
		if (frame <= 4)
			assert_near(mean, want, 0.05);
		else if (frame == 6)
			assert_true(mean > want + 0.2);
	}
	assert_true(coarse[1] < 0.05); // the free edge hangs, the other is held
	assert_near(coarse[3 * 2 + 1], 1, 1e-6);
	assert_int_equal(lm_track_constraint_count(lm_world_track(world, 0)), 4);
	assert_null(lm_world_match(world, 0));
	char* text = lm_world_statistics(world, 1);
	assert_non_null(strstr(text, "\"intersections\": 0"));
	assert_non_null(strstr(text, "\"regions\": 4"));
	lm_text_free(&host, text);
	lm_world_destroy(world);
}

static void resuming_goes_on_bit_by_bit(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_world *one = make_world(&host), *other = make_world(&host);
	char path[64];
	snprintf(path, sizeof path, "test-track-%ld.checkpoint", (long)getpid());
	for (int frame = 0; frame < 3; ++frame)
		assert_int_equal(lm_world_step(one, &error), LM_OK);
	assert_int_equal(lm_world_save(one, path, &error), LM_OK);
	assert_int_equal(lm_world_load(other, path, &error), LM_OK);
	unlink(path);
	assert_true(lm_world_hash(one) == lm_world_hash(other));
	for (int frame = 0; frame < 3; ++frame)
	{
		assert_int_equal(lm_world_step(one, &error), LM_OK);
		assert_int_equal(lm_world_step(other, &error), LM_OK);
	}
	assert_true(lm_world_hash(one) == lm_world_hash(other));
	lm_world_destroy(one), lm_world_destroy(other);
}

// An error of one object among several says of which, when it is prepared and when it steps.
static void errors_name_their_object(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_problems problems;
	for (int step = 0; step < 2; ++step)
	{
		lm_scene* scene = NULL;
		lm_world* world = NULL;
		assert_int_equal(parse(three, &host, &scene, &problems), LM_OK);
		lm_problems_release(&problems);
		assert_int_equal(lm_world_create(scene, &host, &world, NULL), LM_OK);
		if (step)
			assert_int_equal(lm_world_prepare(world, NULL), LM_OK);
		lm_scene_track* track = scene->objects[2].track; // which the world shares
		for (int32_t i = 0; i < track->guide.frame_count; ++i)
			track->guide.frames[12 * i] = INFINITY;
		assert_int_equal((step ? lm_world_step : lm_world_prepare)(world, &error), LM_BAD_INPUT);
		assert_non_null(strstr(error.message, "the guide has the coordinate"));
		assert_string_equal(error.where, "objects[2]");
		lm_world_destroy(world);
		lm_scene_destroy(scene);
	}
}

static void memory_may_run_out(void** state)
{
	(void)state;
	// every allocation of reading and creating fails in turn; large strides keep it quick
	for (int64_t n = 1;; n += 1 + n / 16)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_world* world = make_world(&host);
		bool made = world != NULL && memory.requests < n;
		lm_world_destroy(world);
		assert_int_equal(memory.held, 0);
		if (made)
			break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_arrives),
		cmocka_unit_test(mistakes_get_a_sentence),
		cmocka_unit_test(caches_of_colliders),
		cmocka_unit_test(pins_follow_the_guide),
		cmocka_unit_test(what_cannot_be_done_is_refused),
		cmocka_unit_test(substeps_are_made_to_fit),
		cmocka_unit_test(guides_lead),
		cmocka_unit_test(resuming_goes_on_bit_by_bit),
		cmocka_unit_test(errors_name_their_object),
		cmocka_unit_test(memory_may_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
