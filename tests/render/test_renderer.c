#include "test.h"

#include "base/hash.h"
#include "render/geometry.h"
#include "render/shade.h"
#include "shapes.h"

typedef struct scenery
{
	ball_mesh ball;
	floor_quad quad;
	lm_surface surfaces[2];
	lm_camera camera;
} scenery;

// A red ball on a grey floor, the light from above and from the left, the camera in front.
static void set_stage(scenery* stage, double x, double scale)
{
	stage->surfaces[0] = make_floor(&stage->quad, x, 0, 300 * scale);
	stage->surfaces[1] = make_ball(&stage->ball, x, 1.2 * scale, 0, scale, 0.8f, 0.1f, 0.1f);
	stage->camera = (lm_camera){
		.eye = { x, 4 * scale, 8 * scale }, .target = { x, 0.8 * scale, 0 }, .up = { 0, 1, 0 }, .fov = 40
	};
}

static lm_render_settings small_settings(void)
{
	lm_render_settings settings = lm_render_settings_default();
	settings.width = 160;
	settings.height = 90;
	return settings;
}

static lm_picture draw(const lm_surface* surfaces, int32_t count, const lm_camera* camera,
                       const lm_render_settings* settings, int threads)
{
	lm_host host = lm_host_default();
	host.threads = threads;
	lm_renderer* renderer;
	lm_picture picture = { 0 };
	lm_error error;
	assert_int_equal(lm_renderer_create(settings, &host, &renderer, &error), LM_OK);
	assert_int_equal(lm_renderer_draw(renderer, surfaces, count, camera, &picture, &error), LM_OK);
	lm_renderer_destroy(renderer);
	return picture;
}

static const uint8_t* pixel(const lm_picture* picture, int x, int y)
{
	return picture->rgb + 3 * (y * picture->width + x);
}

static int brightness(const uint8_t* rgb)
{
	return rgb[0] + rgb[1] + rgb[2];
}

// Where a point of the world is seen.
static void project(const lm_camera* camera, const lm_picture* picture, double x, double y, double z, int* i, int* j)
{
	lm_vec3 eye = lm_v3_at(camera->eye, 0);
	lm_vec3 forward = lm_normalize_or(lm_sub(lm_v3_at(camera->target, 0), eye), lm_v3(0, 0, -1));
	lm_vec3 right = lm_normalize_or(lm_cross(forward, lm_v3(0, 1, 0)), lm_v3(1, 0, 0));
	lm_vec3 up = lm_cross(right, forward);
	lm_vec3 p = lm_sub(lm_v3(x, y, z), eye);
	double t = tan(camera->fov / 2 * 3.14159265358979323846 / 180) * lm_dot(p, forward);
	*i = (int)(picture->width * 0.5 * (1 + lm_dot(p, right) / t * picture->height / picture->width));
	*j = (int)(picture->height * 0.5 * (1 - lm_dot(p, up) / t));
}

static void test_light_and_shadow(void** state)
{
	(void)state;
	static scenery stage;
	set_stage(&stage, 0, 1);
	lm_render_settings settings = small_settings();
	lm_picture picture = draw(stage.surfaces, 2, &stage.camera, &settings, 1);
	int i, j;
	// Shadow: from the ball's centre away from the light down to the floor. Lit: the mirror image on the other side.
	double down = 1.2 / settings.light[1];
	double sx = -settings.light[0] * down, sz = -settings.light[2] * down;
	project(&stage.camera, &picture, sx + 0.6, 0, sz, &i, &j);
	int shadow = brightness(pixel(&picture, i, j));
	project(&stage.camera, &picture, -sx - 1.6, 0, sz, &i, &j);
	int lit = brightness(pixel(&picture, i, j));
	assert_true(shadow < 0.75 * lit);
	assert_true(shadow > 60); // the sky still reaches it
	// The ball is red, and brighter on the side of the light.
	project(&stage.camera, &picture, -0.4, 1.7, 0.5, &i, &j);
	const uint8_t* bright = pixel(&picture, i, j);
	project(&stage.camera, &picture, 0.6, 0.8, 0.5, &i, &j);
	const uint8_t* dark = pixel(&picture, i, j);
	assert_true(bright[0] > 1.5 * bright[1] && bright[0] > 1.5 * bright[2]);
	assert_true(dark[0] > 1.5 * dark[1] && dark[0] > 1.5 * dark[2]);
	assert_true(brightness(bright) > 1.3 * brightness(dark));
	lm_picture_release(&picture);
}

static void test_occlusion(void** state)
{
	(void)state;
	static scenery stage;
	set_stage(&stage, 0, 1);
	lm_render_settings settings = small_settings();
	settings.light[0] = -3, settings.light[1] = 1, settings.light[2] = 3; // shadows fall far behind, to the right
	lm_picture with = draw(stage.surfaces, 2, &stage.camera, &settings, 1);
	settings.occlusion = 0;
	lm_picture without = draw(stage.surfaces, 2, &stage.camera, &settings, 1);
	int i, j;
	project(&stage.camera, &with, 0.1, 0, 0.4, &i, &j); // under the ball
	assert_true(brightness(pixel(&with, i, j)) < brightness(pixel(&without, i, j)) - 15);
	project(&stage.camera, &with, -3, 0, 2, &i, &j); // away from it
	assert_int_equal(brightness(pixel(&with, i, j)), brightness(pixel(&without, i, j)));
	lm_picture_release(&with);
	lm_picture_release(&without);
}

static void test_background(void** state)
{
	(void)state;
	static scenery stage;
	set_stage(&stage, 0, 1);
	lm_render_settings settings = small_settings();
	settings.background[0] = 0, settings.background[1] = 0.21404114f, settings.background[2] = 1;
	lm_picture picture = draw(stage.surfaces + 1, 1, &stage.camera, &settings, 1);
	for (int corner = 0; corner < 4; ++corner)
	{
		const uint8_t* rgb = pixel(&picture, corner & 1 ? 159 : 0, corner & 2 ? 89 : 0);
		assert_int_equal(rgb[0], 0);
		assert_in_range(rgb[1], 127, 128);
		assert_int_equal(rgb[2], 255);
	}
	lm_picture_release(&picture);
	// The far end of a ground is the background.
	stage.camera.eye[1] = stage.camera.target[1] = 1;
	picture = draw(stage.surfaces, 1, &stage.camera, &settings, 1);
	assert_int_equal(pixel(&picture, 80, 46)[0], 0);
	assert_true(pixel(&picture, 80, 89)[0] > 60);
	lm_picture_release(&picture);
}

static double mean_difference(const lm_picture* a, const lm_picture* b)
{
	double sum = 0;
	for (int i = 0; i < 3 * a->width * a->height; ++i)
		sum += abs(a->rgb[i] - b->rgb[i]);
	return sum / (3.0 * a->width * a->height);
}

static void test_threads_and_history(void** state)
{
	(void)state;
	static scenery stage, other;
	set_stage(&stage, 0, 1);
	set_stage(&other, 0.3, 0.9);
	lm_render_settings settings = small_settings();
	settings.width = 157; // no whole number of tiles
	stage.surfaces[1].edges = true;
	lm_picture one = draw(stage.surfaces, 2, &stage.camera, &settings, 1);
	size_t bytes = 3 * (size_t)one.width * (size_t)one.height;
	for (int threads = 2; threads <= 4; ++threads)
	{
		lm_picture many = draw(stage.surfaces, 2, &stage.camera, &settings, threads);
		assert_memory_equal(one.rgb, many.rgb, bytes);
		lm_picture_release(&many);
	}
	// A renderer that has drawn other things before, in other numbers, draws the same.
	lm_host host = lm_host_default();
	lm_renderer* renderer;
	lm_picture again = { 0 };
	assert_int_equal(lm_renderer_create(&settings, &host, &renderer, NULL), LM_OK);
	assert_int_equal(lm_renderer_draw(renderer, other.surfaces, 2, &other.camera, &again, NULL), LM_OK);
	assert_true(mean_difference(&one, &again) > 0.5);
	assert_int_equal(lm_renderer_draw(renderer, &other.surfaces[1], 1, &other.camera, &again, NULL), LM_OK);
	assert_int_equal(lm_renderer_draw(renderer, stage.surfaces, 2, &stage.camera, &again, NULL), LM_OK);
	assert_memory_equal(one.rgb, again.rgb, bytes);
	lm_renderer_destroy(renderer);
	lm_picture_release(&one);
	lm_picture_release(&again);
}

// Large pictures are drawn in bands of rows. A wide picture and the middle of it, small enough for one band, show the
// same: no seams, where the light of neighbouring rows is averaged.
static void test_bands(void** state)
{
	(void)state;
	static scenery stage;
	set_stage(&stage, 0, 1);
	lm_render_settings settings = lm_render_settings_default();
	settings.height = 200, settings.samples = 1;
	settings.width = 4096; // bands of 128 rows
	lm_picture wide = draw(stage.surfaces, 2, &stage.camera, &settings, 2);
	settings.width = 256;
	lm_picture narrow = draw(stage.surfaces, 2, &stage.camera, &settings, 1);
	int strange = 0;
	for (int y = 0; y < 200; ++y)
		for (int x = 0; x < 256; ++x)
			strange += abs(brightness(pixel(&wide, 1920 + x, y)) - brightness(pixel(&narrow, x, y))) > 2;
	assert_in_range(strange, 0, 40); // of 51200, where rounding moves an edge; a row that is averaged wrongly has more
	lm_picture_release(&wide);
	lm_picture_release(&narrow);
}

typedef struct watch
{
	int calls, limit;
	double done;
} watch;

static bool look_on(const char* what, double done, void* context)
{
	watch* w = context;
	assert_string_equal(what, "rendering");
	assert_true(done > w->done && done < 1);
	w->done = done;
	return ++w->calls < w->limit;
}

static void test_cancel(void** state)
{
	(void)state;
	static scenery stage;
	set_stage(&stage, 0, 1);
	watch w = { .limit = 100 };
	lm_host host = lm_host_default();
	host.progress = look_on;
	host.progress_context = &w;
	lm_render_settings settings = lm_render_settings_default();
	settings.width = 16384, settings.height = 72, settings.samples = 1; // bands of 32 rows
	lm_renderer* renderer;
	lm_picture picture = { 0 }, again = { 0 };
	lm_error error;
	assert_int_equal(lm_renderer_create(&settings, &host, &renderer, &error), LM_OK);
	assert_int_equal(lm_renderer_draw(renderer, &stage.surfaces[1], 1, &stage.camera, &picture, &error), LM_OK);
	assert_int_equal(w.calls, 2);
	w = (watch){ .limit = 2 };
	assert_int_equal(lm_renderer_draw(renderer, &stage.surfaces[1], 1, &stage.camera, &again, &error), LM_CANCELLED);
	assert_int_equal(w.calls, 2);
	w = (watch){ .limit = 100 };
	assert_int_equal(lm_renderer_draw(renderer, &stage.surfaces[1], 1, &stage.camera, &again, &error), LM_OK);
	assert_memory_equal(picture.rgb, again.rgb, 3 * 16384 * 72);
	lm_renderer_destroy(renderer);
	lm_picture_release(&picture);
	lm_picture_release(&again);
}

static void test_far_and_large(void** state)
{
	(void)state;
	static scenery stage;
	lm_render_settings settings = small_settings();
	set_stage(&stage, 0, 1);
	lm_picture near = draw(stage.surfaces, 2, &stage.camera, &settings, 1);
	set_stage(&stage, 10000, 1); // an even number of squares of the board
	lm_picture far = draw(stage.surfaces, 2, &stage.camera, &settings, 1);
	assert_true(mean_difference(&near, &far) < 0.02);
	for (int i = 0; i < 2; ++i) // without the board size does not matter at all
	{
		set_stage(&stage, 0, i == 0 ? 1e-6 : 1e6);
		lm_picture scaled = draw(&stage.surfaces[1], 1, &stage.camera, &settings, 1);
		set_stage(&stage, 0, 1);
		lm_picture plain = draw(&stage.surfaces[1], 1, &stage.camera, &settings, 1);
		assert_true(mean_difference(&scaled, &plain) < 0.02);
		lm_picture_release(&scaled);
		lm_picture_release(&plain);
	}
	lm_picture_release(&near);
	lm_picture_release(&far);
}

// Nothing sensible in, but always a picture out.
static void test_strange_input(void** state)
{
	(void)state;
	lm_render_settings settings = small_settings();
	lm_camera nowhere = { .eye = { 0, 0, 0 }, .target = { 0, 0, 0 }, .up = { 0, 0, 0 }, .fov = 0 };
	lm_camera broken = { .eye = { NAN, 0, 0 }, .target = { INFINITY, 0, 0 }, .up = { NAN, 0, 0 }, .fov = NAN };
	lm_camera below = { .eye = { 0, 5, 0 }, .target = { 0, 0, 0 }, .up = { 0, 1, 0 }, .fov = 1e9 };
	const lm_camera* cameras[3] = { &nowhere, &broken, &below };
	const double positions[] = { 0, 0, 0, 1,     0,      0,     0,    1, 0, NAN,      0,         0,
		                         1, 1, 1, 1e300, -1e300, 1e300, 1e30, 1, 1, INFINITY, -INFINITY, 0 };
	const int32_t triangles[] = { 0, 0, 0, 0, 1, 1, 0, 1, 3, 2, 4, 5, 4, 6, 7, 0, 1, 2, 0, 1, 4, 0, 1, 6, 1, 0, 4 };
	const float colors[24] = { NAN, -1, 5, 1e30f };
	lm_surface surface = { .vertex_count = 8, .positions = positions, .triangle_count = 9, .triangles = triangles };
	lm_surface empty = { .vertex_count = 0 };
	for (int k = 0; k < 3 * 16; ++k)
	{
		surface.vertex_colors = k & 1 ? colors : NULL;
		surface.checker = k & 2;
		surface.edges = k & 4;
		surface.flat = k & 8;
		lm_surface both[3] = { empty, surface, surface };
		both[2].checker = false;
		lm_picture picture = draw(both, 1 + k % 3, cameras[k / 16], &settings, 1);
		lm_picture_release(&picture);
	}
	lm_picture picture = draw(NULL, 0, &below, &settings, 1);
	assert_int_equal(brightness(pixel(&picture, 0, 0)), brightness(pixel(&picture, 80, 45)));
	lm_picture_release(&picture);
}

static void test_refusals(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_error error;
	lm_renderer* renderer = NULL;
	for (int k = 0; k < 8; ++k)
	{
		lm_render_settings bad = small_settings();
		if (k == 0)
			bad.width = 0;
		if (k == 1)
			bad.height = 20000;
		if (k == 2)
			bad.samples = 5;
		if (k == 3)
			bad.occlusion = -1;
		if (k == 4)
			bad.background[2] = NAN;
		if (k == 5)
			bad.light[0] = bad.light[1] = bad.light[2] = 0;
		if (k == 6)
			bad.light[1] = INFINITY;
		if (k == 7)
			bad.background[0] = 2;
		assert_int_equal(lm_renderer_create(&bad, &host, &renderer, &error), LM_BAD_INPUT);
		assert_null(renderer);
		assert_true(strlen(error.message) > 10);
	}
	lm_render_settings settings = small_settings();
	assert_int_equal(lm_renderer_create(&settings, &host, &renderer, &error), LM_OK);
	const double positions[9] = { 0 };
	const int32_t triangles[3] = { 0, 1, 3 };
	lm_surface surface = { .vertex_count = 3, .positions = positions, .triangle_count = 1, .triangles = triangles };
	lm_camera camera = { .eye = { 0, 0, 3 }, .up = { 0, 1, 0 }, .fov = 40 };
	lm_picture picture = { 0 };
	assert_int_equal(lm_renderer_draw(renderer, &surface, 1, &camera, &picture, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "vertex 3"));
	assert_null(picture.rgb);
	assert_int_equal(lm_picture_create(10, 10, &host, &picture, &error), LM_OK);
	assert_int_equal(lm_renderer_draw(renderer, &surface, 0, &camera, &picture, &error), LM_BAD_INPUT);
	lm_picture_release(&picture);
	lm_renderer_destroy(renderer);
	lm_renderer_destroy(NULL);
}

static void test_out_of_memory(void** state)
{
	(void)state;
	static scenery stage;
	set_stage(&stage, 0, 1);
	lm_render_settings settings = small_settings();
	settings.width = 32, settings.height = 24;
	lm_status status = LM_NO_MEMORY;
	int failures = 0;
	for (int64_t n = 1; status != LM_OK; ++n)
	{
		test_memory memory = { .fail_at = n };
		lm_host host = test_host(&memory);
		lm_renderer* renderer = NULL;
		lm_picture picture = { 0 };
		lm_error error;
		status = lm_renderer_create(&settings, &host, &renderer, &error);
		if (status == LM_OK)
		{
			status = lm_renderer_draw(renderer, stage.surfaces, 2, &stage.camera, &picture, &error);
			if (status == LM_NO_MEMORY) // it must survive and draw the next time
			{
				assert_null(picture.rgb);
				assert_int_equal(lm_renderer_draw(renderer, stage.surfaces, 2, &stage.camera, &picture, &error), LM_OK);
			}
		}
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
		failures += status == LM_NO_MEMORY;
		lm_renderer_destroy(renderer);
		lm_picture_release(&picture);
		assert_int_equal(memory.held, 0);
	}
	assert_true(failures > 15);
}

// The checkerboard against sums over many points of it.
static void test_checker(void** state)
{
	(void)state;
	uint64_t seed = 7;
	for (int k = 0; k < 50; ++k)
	{
		double x = 5 * test_random(&seed), z = 5 * test_random(&seed);
		double width = 1.5 * (1.01 + test_random(&seed)), depth = 1.5 * (1.01 + test_random(&seed));
		double sum = 0;
		for (int i = 0; i < 200; ++i)
			for (int j = 0; j < 200; ++j)
			{
				double a = floor(x + width * ((i + 0.5) / 200 - 0.5)), b = floor(z + depth * ((j + 0.5) / 200 - 0.5));
				sum += fmod(fabs(a + b), 2) == 0 ? 1 : -1;
			}
		assert_near(lm_checker(x, z, width, depth), sum / 40000, 0.03);
	}
	assert_near(lm_checker(0.5, 0.5, 1e9, 1e9), 0, 1e-6);
	assert_near(lm_checker(0.5, 1.5, 0, 0), -1, 1e-6);
}

// Corner normals: those of a sphere are radial, those of a cube are its faces', and flat means flat.
static void test_normals(void** state)
{
	(void)state;
	static ball_mesh ball;
	lm_surface surface = make_ball(&ball, 0, 0, 0, 1, 1, 1, 1);
	lm_host host = lm_host_default();
	lm_space space = { .unit = 1 };
	lm_geometry geometry;
	lm_geometry_init(&geometry, &host);
	assert_int_equal(lm_geometry_update(&geometry, &surface, 0, &space, NULL), LM_OK);
	for (int c = 3 * 2 * BALL_COLUMNS; c < 3 * (surface.triangle_count - 2 * BALL_COLUMNS); ++c)
	{
		lm_f3 p = lm_f3_at(geometry.positions, surface.triangles[c]);
		assert_true(fabsf(lm_f3_dot(p, lm_f3_at(geometry.corner_normals, c))) > 0.999f);
	}
	double cube[24];
	for (int v = 0; v < 8; ++v)
		cube[3 * v] = v & 1, cube[3 * v + 1] = (v >> 1) & 1, cube[3 * v + 2] = (v >> 2) & 1;
	const int32_t faces[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
		                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
	lm_surface box = { .vertex_count = 8, .positions = cube, .triangle_count = 12, .triangles = faces };
	for (int bend = 0; bend < 2; ++bend)
	{
		assert_int_equal(lm_geometry_update(&geometry, &box, 0, &space, NULL), LM_OK);
		for (int c = 0; c < 36; ++c)
			assert_true(lm_f3_dot(lm_f3_at(geometry.corner_normals, c), lm_f3_at(geometry.face_normals, c / 3)) >
			            0.9999f);
		box.flat = true;
		cube[21] += 0.3; // the faces at this corner bend by less than the crease angle, but flat stays flat
	}
	lm_geometry_release(&geometry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_light_and_shadow),
		cmocka_unit_test(test_occlusion),
		cmocka_unit_test(test_background),
		cmocka_unit_test(test_threads_and_history),
		cmocka_unit_test(test_bands),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_far_and_large),
		cmocka_unit_test(test_strange_input),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_checker),
		cmocka_unit_test(test_normals),
	};
	return cmocka_run_group_tests_name("renderer", tests, NULL, NULL);
}
