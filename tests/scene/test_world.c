// Worlds: stepping, hashes, checkpoints, runs, statistics, memory.
#include "test.h"

#include "base/hash.h"
#include "bodies.h"
#include "ground.h"
#include "limber/limber.h"
#include "match/body.h"
#include "world/world.h"

#include <jansson.h>
#include <unistd.h>

// A keyed constant in the scene's memory.
static lm_keyed constant(lm_scene* scene, int width, const double* value)
{
	lm_keyed keyed = { 1, lm_scene_memory(scene, 1, sizeof(double)),
		               lm_scene_memory(scene, (size_t)width, sizeof(double)) };
	if (keyed.times != NULL && keyed.values != NULL)
		memcpy(keyed.values, value, (size_t)width * sizeof(double));
	return keyed;
}

static bool add_example(lm_scene* scene, lm_scene_object* object)
{
	lm_scene_example* example = object->match->examples = lm_scene_memory(scene, 1, sizeof *example);
	if (example == NULL)
		return false;
	object->match->example_count = 1;
	example->strength = constant(scene, 1, (double[]){ 1 });
	example->mesh = lm_mesh_copy(object->mesh, &scene->host);
	for (int v = 0; example->mesh != NULL && v < example->mesh->vertex_count; ++v)
		example->mesh->positions[3 * v + 1] *= 1.5;
	return example->strength.times != NULL && example->strength.values != NULL && example->mesh != NULL;
}

static bool add_block(lm_scene* scene, int i)
{
	lm_scene_object* object = lm_scene_add_object(scene, i == 0 ? "lower" : "upper", "match");
	if (object == NULL)
		return false;
	object->mesh = test_block(&scene->host, 2, 2, 3, 0.1);
	object->position[1] = 0.05 + 0.3 * i;
	object->position[0] = 0.03 * i;
	object->angular_velocity[2] = 2 * i;
	object->substeps = 3 + i;
	if (object->mesh == NULL || !add_example(scene, object))
		return false;
	lm_scene_push* push = object->pushes = lm_scene_memory(scene, 1, sizeof *push);
	if (push == NULL)
		return false;
	object->push_count = 1;
	push->time = 0.1, push->impulse[0] = 0.5;
	push->vertices = lm_scene_memory(scene, 2, sizeof(int32_t));
	if (push->vertices == NULL)
		return false;
	push->vertices[1] = 1, push->count = 2;
	return true;
}

// Two blocks, one with an example pose (stretched), falling on a plane and on each other; one is pushed, the other is
// dragged. NULL when out of memory.
static lm_scene* make_scene(const lm_host* host)
{
	lm_scene* scene = lm_scene_create(host);
	if (scene == NULL)
		return NULL;
	scene->seconds = 0.5;
	bool good = add_ground(scene);
	for (int i = 0; good && i < 2; ++i)
		good = add_block(scene, i);
	if (!good)
	{
		lm_scene_destroy(scene);
		return NULL;
	}
	return scene;
}

static lm_world* make_world(const lm_host* host)
{
	lm_scene* scene = make_scene(host);
	assert_non_null(scene);
	lm_world* world = NULL;
	lm_error error;
	if (lm_world_create(scene, host, &world, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_scene_destroy(scene);
	return world;
}

static void hash_does_not_depend_on_threads(void** state)
{
	(void)state;
	uint64_t hashes[3];
	for (int k = 0; k < 3; ++k)
	{
		lm_host host = lm_host_default();
		host.threads = 1 << k;
		lm_world* world = make_world(&host);
		uint64_t before = lm_world_hash(world);
		for (int f = 0; f < 12; ++f)
			assert_int_equal(lm_world_step(world, NULL), LM_OK);
		hashes[k] = lm_world_hash(world);
		assert_true(hashes[k] != before);
		lm_world_destroy(world);
	}
	assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

// A body with so many vertices that its steps are shared among threads.
static void shared_steps_change_no_bit(void** state)
{
	(void)state;
	uint64_t expected = 0;
	for (int threads = 1; threads <= 4; threads *= 2)
	{
		lm_host host = lm_host_default();
		host.threads = threads;
		lm_scene* scene = lm_scene_create(&host);
		assert_true(add_ground(scene));
		lm_scene_object* object = lm_scene_add_object(scene, "large", "match");
		object->mesh = test_block(&host, 13, 13, 13, 0.05);
		object->rotation[0] = 0.9, object->rotation[3] = sqrt(1 - 0.81);
		object->position[1] = 0.02;
		object->substeps = 4;
		assert_true(add_example(scene, object));
		lm_world* world;
		assert_int_equal(lm_world_create(scene, &host, &world, NULL), LM_OK);
		assert_int_equal(lm_world_match(world, 0)->threads, threads); // the case that is meant
		for (int f = 0; f < 4; ++f)
			assert_int_equal(lm_world_step(world, NULL), LM_OK);
		expected = threads == 1 ? lm_world_hash(world) : expected;
		assert_true(lm_world_hash(world) == expected);
		lm_world_destroy(world);
		lm_scene_destroy(scene);
	}
}

static void objects_fall_and_rest_on_the_ground(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_world* world = make_world(&host);
	for (int f = 0; f < 48; ++f)
		assert_int_equal(lm_world_step(world, NULL), LM_OK);
	assert_int_equal(lm_world_surface_count(world), 3);
	for (int i = 0; i < 2; ++i)
	{
		lm_world_surface_view view = lm_world_surface(world, i);
		assert_true(view.triangle_count > 0);
		for (int v = 0; v < view.vertex_count; ++v)
		{
			assert_true(view.positions[3 * v + 1] > -0.01);
			assert_true(view.positions[3 * v + 1] < 1.2);
		}
	}
	lm_world_surface_view ground = lm_world_surface(world, 2);
	assert_true(ground.fixed);
	assert_string_equal(ground.engine, "collider");
	lm_world_destroy(world);
}

static void checkpoint_continues_to_the_bit(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	char path[] = "/tmp/limber-check-XXXXXX";
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	close(descriptor);
	lm_world* straight = make_world(&host);
	for (int f = 0; f < 5; ++f)
		lm_world_step(straight, NULL);
	assert_int_equal(lm_world_save(straight, path, &error), LM_OK);
	for (int f = 0; f < 7; ++f)
		lm_world_step(straight, NULL);
	lm_world* resumed = make_world(&host);
	assert_int_equal(lm_world_load(resumed, path, &error), LM_OK);
	assert_int_equal(lm_world_frame(resumed), 5);
	for (int f = 0; f < 7; ++f)
		lm_world_step(resumed, NULL);
	assert_true(lm_world_hash(straight) == lm_world_hash(resumed));
	char* a = lm_world_statistics(straight, 1);
	char* b = lm_world_statistics(resumed, 1);
	// all but the time that preparing took
	json_t* x = json_loads(a, 0, NULL);
	json_t* y = json_loads(b, 0, NULL);
	assert_non_null(x);
	json_object_del(json_object_get(x, "time"), "prepare");
	json_object_del(json_object_get(y, "time"), "prepare");
	assert_true(json_equal(x, y));
	json_decref(x);
	json_decref(y);
	lm_text_free(&host, a);
	lm_text_free(&host, b);
	lm_world_destroy(straight);

	// torn and foreign checkpoints are refused and leave the world as it was
	uint64_t hash = lm_world_hash(resumed);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(lm_world_load(resumed, path, &error), LM_BAD_INPUT);
	assert_int_equal(lm_world_load(resumed, "/nonexistent", &error), LM_BAD_INPUT);
	assert_true(hash == lm_world_hash(resumed));
	lm_world_destroy(resumed);
	remove(path);
}

// A checkpoint with a right sum whose last `missing` bytes before it are not there.
static void write_cut(const char* path, const unsigned char* data, size_t size, size_t missing)
{
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	size_t kept = size - sizeof(uint64_t) - missing;
	uint64_t sum = lm_hash(LM_HASH_START, data, kept);
	assert_int_equal(fwrite(data, 1, kept, file), kept);
	assert_int_equal(fwrite(&sum, sizeof sum, 1, file), 1);
	fclose(file);
}

// Damage that the sum does not tell comes to light when some objects have been loaded: then they are as before.
static void checkpoint_is_loaded_whole_or_not_at_all(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	char path[] = "/tmp/limber-check-XXXXXX";
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	close(descriptor);
	lm_world *saved = make_world(&host), *other = make_world(&host);
	for (int f = 0; f < 3; ++f)
		lm_world_step(saved, NULL);
	lm_world_step(other, NULL);
	assert_int_equal(lm_world_save(saved, path, NULL), LM_OK);
	static unsigned char data[1 << 20];
	FILE* file = fopen(path, "rb");
	assert_non_null(file);
	size_t size = fread(data, 1, sizeof data, file);
	fclose(file);
	assert_in_range(size, 2000, sizeof data - 1);
	uint64_t hash = lm_world_hash(other);
	for (size_t missing = 1; missing < size / 2; missing += 1 + missing / 2)
	{
		write_cut(path, data, size, missing);
		assert_int_equal(lm_world_load(other, path, &error), LM_BAD_INPUT);
		assert_true(hash == lm_world_hash(other));
		assert_int_equal(lm_world_frame(other), 1);
	}
	write_cut(path, data, size, 0);
	assert_int_equal(lm_world_load(other, path, &error), LM_OK);
	assert_true(lm_world_hash(saved) == lm_world_hash(other));
	lm_world_destroy(saved);
	lm_world_destroy(other);
	remove(path);
}

static void checkpoint_of_another_level_is_refused(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_simd simd;
	char path[] = "/tmp/limber-check-XXXXXX";
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	close(descriptor);
	host.simd = LM_SIMD_PLAIN;
	lm_world *plain = make_world(&host), *best;
	assert_int_equal(lm_checkpoint_simd(path, &simd, &error), LM_OK);
	assert_int_equal(simd, LM_SIMD_AUTO); // it is no checkpoint yet
	assert_int_equal(lm_world_save(plain, path, &error), LM_OK);
	assert_int_equal(lm_checkpoint_simd(path, &simd, &error), LM_OK);
	assert_int_equal(simd, LM_SIMD_PLAIN);
	host.simd = LM_SIMD_AUTO;
	best = make_world(&host);
	assert_int_equal(lm_world_load(best, path, &error), lm_simd_best() == LM_SIMD_PLAIN ? LM_OK : LM_BAD_INPUT);
	if (lm_simd_best() > LM_SIMD_PLAIN)
		assert_non_null(strstr(error.message, "--simd plain"));
	FILE* file = fopen(path, "r+b"); // an invalid level
	assert_non_null(file);
	assert_int_equal(fseek(file, 16, SEEK_SET), 0);
	assert_int_equal(fwrite(&(int32_t){ 9 }, 4, 1, file), 1);
	fclose(file);
	assert_int_equal(lm_checkpoint_simd(path, &simd, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "run without --resume"));
	lm_world_destroy(plain);
	lm_world_destroy(best);
	remove(path);
}

static bool stop_after(const char* what, double done, void* context)
{
	(void)what;
	return done < *(const double*)context;
}

static void interrupted_run_resumes_to_the_same_cache(void** state)
{
	(void)state;
	lm_error error;
	char folder[] = "/tmp/limber-run-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char whole[64], parts[64], command[256];
	snprintf(whole, sizeof whole, "%s/whole.lmc", folder);
	snprintf(parts, sizeof parts, "%s/parts.lmc", folder);
	lm_host host = lm_host_default();
	lm_run_settings settings = lm_run_settings_default();
	settings.checkpoint_interval = 4;
	lm_run_report report;

	settings.cache_path = whole;
	lm_world* world = make_world(&host);
	assert_int_equal(lm_world_run(world, &settings, &report, &error), LM_OK);
	assert_int_equal(report.frames, 13);
	uint64_t hash = lm_world_hash(world);
	lm_world_destroy(world);

	settings.cache_path = parts;
	settings.resume = true;
	double stops[] = { 0.4, 0.7, 2 };
	for (int k = 0; k < 3; ++k)
	{
		lm_host stopping = host;
		stopping.progress = stop_after;
		stopping.progress_context = &stops[k];
		world = make_world(&stopping);
		assert_int_equal(lm_world_run(world, &settings, &report, &error), LM_OK);
		assert_int_equal(report.interrupted, k < 2);
		assert_int_equal(report.first_frame > 0, k > 0);
		if (k == 2)
			assert_true(lm_world_hash(world) == hash);
		lm_world_destroy(world);
	}
	snprintf(command, sizeof command, "cmp %s %s", whole, parts);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void full_disk_is_said_and_nothing_is_torn(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_world* world = make_world(&host);
	lm_run_settings settings = lm_run_settings_default();
	settings.cache_path = "/dev/full/x.lmc";
	assert_int_equal(lm_world_run(world, &settings, NULL, &error), LM_IO_FAILED);
	assert_int_equal(lm_world_save(world, "/dev/full/x", &error), LM_IO_FAILED);
	lm_world_destroy(world);
}

// Every one of our allocations fails in turn, from an empty scene to the first frame.
static void every_allocation_may_fail(void** state)
{
	(void)state;
	for (int64_t n = 1;; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_error error;
		lm_world* world = NULL;
		lm_status status = LM_NO_MEMORY;
		lm_scene* scene = make_scene(&host);
		if (scene != NULL)
		{
			status = lm_world_create(scene, &host, &world, &error);
			assert_true(status == LM_OK || status == LM_NO_MEMORY);
			assert_true((status == LM_OK) == (world != NULL));
		}
		lm_scene_destroy(scene);
		if (status == LM_OK)
		{
			status = lm_world_step(world, &error);
			assert_true(status == LM_OK || status == LM_NO_MEMORY);
		}
		lm_world_destroy(world);
		assert_int_equal(memory.held, 0);
		if (memory.requests < n)
		{
			assert_int_equal(status, LM_OK);
			assert_true(n > 50);
			break;
		}
	}
}

// ---- pins, drags and pushes happen when they should, however steps and their times round --------------------------

// A block in empty space; the caller adds what happens to it.
static lm_scene* lonely_block(const lm_host* host, double fps, int substeps)
{
	lm_scene* scene = lm_scene_create(host);
	lm_scene_object* object = lm_scene_add_object(scene, "block", "match");
	object->mesh = test_block(host, 1, 1, 1, 0.1);
	object->substeps = substeps;
	memset(object->match->settings.gravity, 0, sizeof object->match->settings.gravity);
	scene->fps = fps;
	return scene;
}

static void expect_no_world(lm_scene* scene, const lm_host* host, const char* part)
{
	lm_world* world = NULL;
	lm_error error;
	assert_int_equal(lm_world_create(scene, host, &world, &error), LM_BAD_INPUT);
	if (strstr(error.message, part) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, part);
	lm_scene_destroy(scene);
}

static void scenes_of_programs_are_checked(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_scene* scene = lonely_block(&host, 24, 1);
	lm_scene_object* object = &scene->objects[0];
	object->pins = lm_scene_memory(scene, 1, sizeof *object->pins), object->pin_count = 1;
	object->pins->vertices = lm_scene_memory(scene, 1, sizeof(int32_t)), object->pins->count = 1;
	object->pins->vertices[0] = 8;
	expect_no_world(scene, &host, "a pin names vertex 8, but the mesh has 8");
	scene = lonely_block(&host, 24, 1), scene->objects[0].start_pose = lm_mesh_create(&host, 3, 0, 0);
	expect_no_world(scene, &host, "the start has 3 vertices, the mesh has 8");
	scene = lonely_block(&host, 24, 1), scene->objects[0].surface = test_block(&host, 1, 1, 1, 0.1);
	assert_int_equal(lm_mesh_extract_surface(scene->objects[0].surface, NULL), LM_OK);
	scene->objects[0].surface->triangles[4] = 8;
	expect_no_world(scene, &host, "triangle 1 of its surface names vertex 8 of 8");
	scene = lonely_block(&host, 24, 1), scene->objects[0].velocity[1] = NAN;
	expect_no_world(scene, &host, "is not a number");
	expect_no_world(lonely_block(&host, 5, 1), &host, "steps of 0.2 s are too long");
	scene = lm_scene_create(&host), lm_scene_add_object(scene, "nothing", "match");
	expect_no_world(scene, &host, "has no mesh");
}

static int32_t* all_vertices(lm_scene* scene, int32_t* count)
{
	*count = scene->objects[0].mesh->vertex_count;
	int32_t* vertices = lm_scene_memory(scene, (size_t)*count, sizeof *vertices);
	for (int32_t i = 0; i < *count; ++i)
		vertices[i] = i;
	return vertices;
}

static lm_world* world_of(lm_scene* scene, const lm_host* host)
{
	lm_world* world = NULL;
	lm_error error;
	if (lm_world_create(scene, host, &world, &error) != LM_OK)
		fail_msg("%s", error.message);
	lm_scene_destroy(scene);
	return world;
}

// Where the block's middle is after so many frames, along `axis`.
static double middle_after(lm_world* world, int64_t frame, int axis)
{
	while (lm_world_frame(world) < frame)
		assert_int_equal(lm_world_step(world, NULL), LM_OK);
	double c[3];
	lm_match_center(lm_world_match(world, 0), c);
	return c[axis];
}

static const struct
{
	double fps;
	int substeps;
} rhythms[] = { { 24, 1 }, { 24, 2 }, { 24, 4 }, { 25, 3 }, { 30, 4 }, { 29.97, 5 }, { 60, 1 } };

static void pushes_come_once(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (size_t r = 0; r < sizeof rhythms / sizeof rhythms[0]; ++r)
		for (int frame = 0; frame < 20; ++frame)
		{
			double fps = rhythms[r].fps;
			lm_scene* scene = lonely_block(&host, fps, rhythms[r].substeps);
			lm_scene_object* object = &scene->objects[0];
			lm_scene_push* push = object->pushes = lm_scene_memory(scene, 1, sizeof *push);
			object->push_count = 1;
			*push = (lm_scene_push){ .time = frame / fps, .impulse = { 1 } }; // a kilogram: 1 m/s
			push->vertices = all_vertices(scene, &push->count);
			lm_world* world = world_of(scene, &host);
			double before = middle_after(world, frame, 0), after = middle_after(world, frame + 1, 0);
			assert_float_equal(before, 0.05, 1e-5);
			assert_float_equal((after - before) * fps, 1, 1e-3);
			after = middle_after(world, frame + 2, 0);
			assert_float_equal((after - before) * fps, 2, 2e-3);
			lm_world_destroy(world);
		}
}

static void pins_let_go(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (size_t r = 0; r < sizeof rhythms / sizeof rhythms[0]; ++r)
		for (int frame = 1; frame < 20; ++frame)
		{
			double fps = rhythms[r].fps;
			lm_scene* scene = lonely_block(&host, fps, rhythms[r].substeps);
			lm_scene_object* object = &scene->objects[0];
			object->match->settings.gravity[1] = -10;
			lm_scene_pin* pin = object->pins = lm_scene_memory(scene, 1, sizeof *pin);
			object->pin_count = 1;
			*pin = (lm_scene_pin){ .end = frame / fps, .offset = constant(scene, 3, (double[3]){ 0 }) };
			pin->vertices = all_vertices(scene, &pin->count);
			lm_world* world = world_of(scene, &host);
			assert_float_equal(middle_after(world, frame - 1, 1), 0.05, 1e-6);
			double fall = 0.05 - middle_after(world, frame + 8, 1), expected = 5 * 64 / (fps * fps);
			assert_true(fall > 0.9 * expected && fall < 1.5 * expected);
			lm_world_destroy(world);
		}
}

// The second drag of a vertex, not begun yet, does not undo the first; the first, over, does not undo the second.
static void drags_take_turns(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int order = 0; order < 2; ++order)
	{
		lm_scene* scene = lonely_block(&host, 24, 4);
		lm_scene_object* object = &scene->objects[0];
		lm_scene_drag* drags = object->drags = lm_scene_memory(scene, 2, sizeof *drags);
		object->drag_count = 2;
		drags[order] = (lm_scene_drag){ .strength = 100, .end = 1 };
		drags[order].target = constant(scene, 3, (double[]){ 1, 0, 0 });
		drags[1 - order] = (lm_scene_drag){ .strength = 100, .start = 1, .end = -1 };
		drags[1 - order].target = constant(scene, 3, (double[]){ -1, 0, 0 });
		lm_world* world = world_of(scene, &host);
		assert_true(middle_after(world, 24, 0) > 0.5);
		assert_true(middle_after(world, 72, 0) < -0.5);
		lm_world_destroy(world);
	}
}

static void collider_surfaces_are_closed_and_outward(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	for (int shape = LM_SHAPE_SPHERE; shape <= LM_SHAPE_CAPSULE; ++shape)
	{
		lm_collider_def def = lm_collider_def_default();
		def.shape = (lm_shape)shape, def.radius = 1, def.half_length = 0.5;
		def.half[0] = def.half[1] = def.half[2] = 1;
		lm_mesh* mesh = NULL;
		assert_int_equal(lm_collider_surface(&def, 1, &host, &mesh, NULL), LM_OK);
		double volume = 0, closed[3] = { 0 };
		for (int t = 0; t < mesh->triangle_count; ++t)
		{
			double p[3][3];
			for (int c = 0; c < 3; ++c)
				memcpy(p[c], &mesh->positions[3 * mesh->triangles[3 * t + c]], sizeof p[c]);
			double area[3];
			for (int c = 0; c < 3; ++c)
			{
				int d = (c + 1) % 3, e = (c + 2) % 3;
				area[c] = (p[1][d] - p[0][d]) * (p[2][e] - p[0][e]) - (p[1][e] - p[0][e]) * (p[2][d] - p[0][d]);
				closed[c] += area[c];
				volume += area[c] * p[0][c] / 6;
			}
		}
		double pi = 3.14159265358979, expected = shape == LM_SHAPE_SPHERE ? 4 * pi / 3
		                                         : shape == LM_SHAPE_BOX  ? 8
		                                                                  : 7 * pi / 3;
		assert_near(volume, expected, 0.03 * expected);
		for (int c = 0; c < 3; ++c)
			assert_near(closed[c], 0, 1e-9);
		lm_mesh_destroy(mesh);
	}
}

static void statistics_have_all_keys(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_world* world = make_world(&host);
	char* text = lm_world_statistics(world, 1.5);
	json_t* json = json_loads(text, 0, NULL);
	assert_non_null(json);
	json_t* object = json_array_get(json_object_get(json, "objects"), 0);
	static const char* const keys[] = {
		"name",    "engine", "vertices",        "dofs",         "params",        "size",        "com_start",
		"com_end", "finite", "max_penetration", "region_count", "example_count", "weights_min", "weights_sum_max"
	};
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
		if (json_object_get(object, keys[i]) == NULL)
			fail_msg("no %s", keys[i]);
	assert_int_equal(json_integer_value(json_object_get(object, "vertices")), 36);
	assert_int_equal(strlen(json_string_value(json_object_get(json, "hash"))), 16);
	json_decref(json);
	lm_text_free(&host, text);
	lm_world_destroy(world);

	char* reference = lm_statistics_reference(&host);
	assert_non_null(strstr(reference, "`weights_min`"));
	char path[] = LIMBER_SOURCE "/docs/statistics.md";
	if (getenv("LIMBER_WRITE_DOCS") != NULL)
		assert_int_equal(lm_text_write(path, reference, &host, NULL), LM_OK);
	FILE* file = fopen(path, "rb");
	assert_non_null(file);
	char page[16384];
	page[fread(page, 1, sizeof page - 1, file)] = 0;
	fclose(file);
	assert_string_equal(page, reference); // LIMBER_WRITE_DOCS=1 writes it anew
	lm_text_free(&host, reference);
}

static void store_message(lm_log_level level, const char* message, void* context)
{
	assert_int_equal(level, LM_LOG_WARNING);
	snprintf(context, 512, "%s", message);
}

static void bodies_that_begin_inside_a_collider_are_reported(void** state)
{
	(void)state;
	for (int inside = 0; inside < 2; ++inside)
	{
		char said[512] = "";
		lm_host host = lm_host_default();
		host.log = store_message, host.log_context = said;
		lm_scene* scene = make_scene(&host);
		assert_non_null(scene);
		if (inside)
			scene->objects[1].position[1] = -0.12;
		lm_world* world = NULL;
		lm_error error;
		assert_int_equal(lm_world_create(scene, &host, &world, &error), LM_OK);
		assert_string_equal(said, inside
		                              ? ": objects[1]: \"upper\" begins 0.12 m inside the collider \"ground\", which "
		                                "will push it out: move it by [0, 0.12, 0]"
		                              : "");
		lm_world_destroy(world);
		lm_scene_destroy(scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenes_of_programs_are_checked),
		cmocka_unit_test(hash_does_not_depend_on_threads),
		cmocka_unit_test(shared_steps_change_no_bit),
		cmocka_unit_test(objects_fall_and_rest_on_the_ground),
		cmocka_unit_test(checkpoint_continues_to_the_bit),
		cmocka_unit_test(checkpoint_is_loaded_whole_or_not_at_all),
		cmocka_unit_test(checkpoint_of_another_level_is_refused),
		cmocka_unit_test(interrupted_run_resumes_to_the_same_cache),
		cmocka_unit_test(full_disk_is_said_and_nothing_is_torn),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(pushes_come_once),
		cmocka_unit_test(pins_let_go),
		cmocka_unit_test(drags_take_turns),
		cmocka_unit_test(collider_surfaces_are_closed_and_outward),
		cmocka_unit_test(statistics_have_all_keys),
		cmocka_unit_test(bodies_that_begin_inside_a_collider_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
