#include "test.h"

#include "folder.h"
#include "limber/render.h"
#include "render/reel.h"
#include "shapes.h"

#include <png.h>
#include <unistd.h>

#define FOLDER LIMBER_BUILD "/test-film"
#define CACHE FOLDER "/run.lmc"
#define FRAMES 9

static ball_mesh ball;
static floor_quad quad;

// A ball that rolls from x = -2 on, `way` in FRAMES frames, on a ground of a kilometre, beside a pillar.
static void write_cache(int frames, double way)
{
	static ball_mesh pillar;
	lm_surface moving = make_ball(&ball, 0, 0.5, 0, 0.5, 0.8f, 0.2f, 0.1f);
	lm_surface still = make_floor(&quad, 0, 0, 500);
	lm_surface post = make_ball(&pillar, 0, 0.4, -1, 0.4, 0.1f, 0.3f, 0.7f);
	lm_cache_object objects[3] = {
		{ .name = "plane", .color = { 0.5f, 0.5f, 0.5f }, .fixed = true },
		{ .name = "ball", .color = { 0.8f, 0.2f, 0.1f } },
		{ .name = "pillar", .color = { 0.1f, 0.3f, 0.7f }, .fixed = true },
	};
	const lm_surface* surfaces[3] = { &still, &moving, &post };
	for (int i = 0; i < 3; ++i)
	{
		objects[i].vertex_count = surfaces[i]->vertex_count;
		objects[i].triangle_count = surfaces[i]->triangle_count;
		objects[i].triangles = surfaces[i]->triangles;
		objects[i].fixed_positions = objects[i].fixed ? surfaces[i]->positions : NULL;
	}
	lm_cache_info info = { .scene = "", .fps = 24, .object_count = 3, .objects = objects };
	lm_host host = lm_host_default();
	lm_cache_writer* writer;
	lm_error error;
	assert_int_equal(lm_cache_create(CACHE, &info, &host, &writer, &error), LM_OK);
	for (int k = 0; k < frames; ++k)
	{
		moving = make_ball(&ball, -2 + way * k / (FRAMES - 1), 0.5, 0, 0.5, 1, 1, 1);
		const double* positions[3] = { NULL, ball.positions, NULL };
		assert_int_equal(lm_cache_write_frame(writer, positions, &error), LM_OK);
	}
	assert_int_equal(lm_cache_writer_close(writer, &error), LM_OK);
}

static int prepare(void** state)
{
	(void)state;
	if (system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'") != 0)
		return 1;
	write_cache(FRAMES, 4);
	return 0;
}

static lm_cache* open_cache(const lm_host* host)
{
	lm_cache* cache;
	assert_int_equal(lm_cache_open(CACHE, host, &cache, NULL), LM_OK);
	return cache;
}

static lm_film_settings small_settings(void)
{
	lm_film_settings settings = lm_film_settings_default();
	settings.render.width = 128;
	settings.render.height = 72;
	settings.render.samples = 1;
	return settings;
}

static uint8_t* read_png(const char* path, int* width, int* height)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	assert_true(png_image_begin_read_from_file(&image, path));
	image.format = PNG_FORMAT_RGB;
	uint8_t* rgb = malloc(PNG_IMAGE_SIZE(image));
	assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
	*width = (int)image.width;
	*height = (int)image.height;
	return rgb;
}

// The mean column of the pixels that are clearly red, in 0 .. 1; -1 when there are none.
static double red_place(const uint8_t* rgb, int width, int left, int right, int top, int bottom)
{
	double sum = 0;
	int count = 0;
	for (int y = top; y < bottom; ++y)
		for (int x = left; x < right; ++x)
		{
			const uint8_t* p = rgb + 3 * (y * width + x);
			if (p[0] > 1.6 * p[1] && p[0] > 1.6 * p[2])
				sum += (double)(x - left) / (right - left), ++count;
		}
	return count > 0 ? sum / count : -1;
}

static void test_single_pictures(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cache* cache = open_cache(&host);
	lm_film_settings settings = small_settings();
	lm_error error;
	double places[3];
	for (int k = 0; k < 3; ++k)
	{
		settings.frame = k == 0 ? 0 : k == 1 ? -1 : FRAMES - 1;
		assert_int_equal(lm_film(cache, &settings, FOLDER "/one.png", &host, &error), LM_OK);
		int width, height;
		uint8_t* rgb = read_png(FOLDER "/one.png", &width, &height);
		assert_int_equal(width, 128);
		assert_int_equal(height, 72);
		places[k] = red_place(rgb, width, 0, width, 0, height);
		free(rgb);
	}
	// One camera for the whole run, and the run fills the picture.
	assert_true(places[0] > 0 && places[0] < 0.3);
	assert_near(places[1], 0.5, 0.15);
	assert_true(places[2] > 0.7);
	lm_cache_destroy(cache);
}

static void test_all_pictures(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cache* cache = open_cache(&host);
	lm_film_settings settings = small_settings();
	assert_int_equal(lm_film(cache, &settings, FOLDER "/{frame}-of-{frame}.png", &host, NULL), LM_OK);
	assert_int_equal(access(FOLDER "/0000-of-0000.png", F_OK), 0);
	assert_int_equal(access(FOLDER "/0008-of-0008.png", F_OK), 0);
	assert_int_equal(files_in(FOLDER), FRAMES + 1);
	// the same picture as when it is drawn alone
	settings.frame = 8;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/one.png", &host, NULL), LM_OK);
	assert_int_equal(system("cmp -s '" FOLDER "/one.png' '" FOLDER "/0008-of-0008.png'"), 0);
	lm_cache_destroy(cache);
}

static void test_sheet(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cache* cache = open_cache(&host);
	lm_film_settings settings = small_settings();
	settings.sheet = true;
	settings.sheet_count = 4;
	settings.render.width = 160, settings.render.height = 90;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/sheet.png", &host, NULL), LM_OK);
	int width, height;
	uint8_t* rgb = read_png(FOLDER "/sheet.png", &width, &height);
	assert_int_equal(width, 3 * 4 + 2 * 480);
	assert_int_equal(height, 3 * 4 + 2 * 270);
	assert_int_equal(rgb[0], 255); // the gutter
	double first = red_place(rgb, width, 4, 484, 4, 274), last = red_place(rgb, width, 488, 968, 278, 548);
	assert_true(first > 0 && first < 0.3 && last > 0.7);
	int ink = 0; // the label in the lower left corner of the first picture
	for (int y = 250; y < 274; ++y)
		for (int x = 4; x < 100; ++x)
			ink += rgb[3 * (y * width + x)] == 35 && rgb[3 * (y * width + x) + 2] == 45;
	assert_true(ink > 100);
	free(rgb);
	settings.sheet_count = 100; // more than there are frames: 9 pictures
	assert_int_equal(lm_film(cache, &settings, FOLDER "/sheet.png", &host, NULL), LM_OK);
	free(read_png(FOLDER "/sheet.png", &width, &height));
	assert_int_equal(width, 4 * 4 + 3 * 480);
	settings.sheet_count = 0;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/sheet.png", &host, NULL), LM_BAD_INPUT);
	lm_cache_destroy(cache);
}

static void test_video(void** state)
{
	(void)state;
	if (system("command -v ffmpeg >/dev/null 2>&1") != 0)
		test_missing("ffmpeg");
	lm_host host = lm_host_default();
	lm_cache* cache = open_cache(&host);
	lm_film_settings settings = small_settings();
	assert_int_equal(lm_film(cache, &settings, FOLDER "/run.mp4", &host, NULL), LM_OK);
	host.threads = 3;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/again.mp4", &host, NULL), LM_OK);
	assert_int_equal(system("cmp -s '" FOLDER "/run.mp4' '" FOLDER "/again.mp4'"), 0);
	if (system("command -v ffprobe >/dev/null 2>&1") == 0)
		assert_int_equal(system("test $(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of "
		                        "csv=p=0 '" FOLDER "/run.mp4') = 9"),
		                 0);
	lm_cache_destroy(cache);
}

// The plane is a ground with a board and does not make the camera step back; the pillar does not either.
static void test_camera(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cache* cache = open_cache(&host);
	lm_film_settings settings = small_settings();
	lm_reel reel;
	assert_int_equal(lm_reel_open(&reel, cache, &settings, 128, 72, &host, NULL), LM_OK);
	assert_true(reel.surfaces[0].checker);
	assert_false(reel.surfaces[1].checker || reel.surfaces[2].checker);
	double distance = hypot(reel.camera.eye[0] - reel.camera.target[0], reel.camera.eye[2] - reel.camera.target[2]);
	assert_true(distance > 3 && distance < 12);
	lm_reel_close(&reel);
	settings.camera.zoom = 2;
	assert_int_equal(lm_reel_open(&reel, cache, &settings, 128, 72, &host, NULL), LM_OK);
	assert_near(hypot(reel.camera.eye[0] - reel.camera.target[0], reel.camera.eye[2] - reel.camera.target[2]),
	            distance / 2, 1e-6);
	lm_reel_close(&reel);
	settings.camera = (lm_scene_camera){ .eye = { 1, 2, 3 }, .target = { 0, 1, 0 }, .fov = 50 };
	assert_int_equal(lm_reel_open(&reel, cache, &settings, 128, 72, &host, NULL), LM_OK);
	assert_near(reel.camera.eye[2], 3, 0);
	assert_near(reel.camera.target[1], 1, 0);
	assert_near(reel.camera.fov, 50, 0);
	lm_reel_close(&reel);
	lm_cache_destroy(cache);
}

// A ball that goes far is followed, near enough to be seen, unless it is told not to be.
static void test_follow(void** state)
{
	(void)state;
	write_cache(FRAMES, 80);
	lm_host host = lm_host_default();
	lm_cache* cache = open_cache(&host);
	lm_film_settings settings = small_settings();
	double widths[2], last = 0;
	for (int follow = 0; follow < 2; ++follow)
	{
		settings.camera.follow = follow == 1;
		lm_reel reel;
		assert_int_equal(lm_reel_open(&reel, cache, &settings, 128, 72, &host, NULL), LM_OK);
		assert_int_equal(reel.path.follows, follow);
		widths[follow] = lm_distance(lm_v3_at(reel.camera.eye, 0), lm_v3_at(reel.camera.target, 0));
		for (int k = 0; k < FRAMES; ++k)
		{
			assert_int_equal(lm_reel_draw(&reel, k, NULL), LM_OK);
			double place = red_place(reel.picture.rgb, 128, 0, 128, 0, 72);
			assert_true(!follow || (place > 0.3 && place < 0.7));
			if (k > 0 && follow)
				assert_true(reel.camera.target[0] > last);
			else if (k > 0)
				assert_near(reel.camera.target[0], last, 0);
			last = reel.camera.target[0];
		}
		lm_reel_close(&reel);
	}
	assert_true(widths[1] < 0.1 * widths[0]);
	lm_cache_destroy(cache);
}

static void test_scene_settings(void** state)
{
	(void)state;
	lm_scene scene = { .camera = { .eye = { 1, 2, 3 }, .fov = 20, .zoom = 1 },
		               .background = { 0.1f, 0.2f, 0.3f },
		               .size = { 320, 200 } };
	lm_film_settings settings = lm_film_settings_of(&scene);
	assert_int_equal(settings.render.width, 320);
	assert_int_equal(settings.render.height, 200);
	assert_near(settings.render.background[2], 0.3, 1e-6);
	assert_near(settings.camera.eye[1], 2, 0);
	assert_false(settings.camera.automatic);
	assert_int_equal(settings.frame, -1);
	assert_int_equal(settings.sheet_count, 12);
}

static void test_refusals(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cache* cache = open_cache(&host);
	lm_film_settings settings = small_settings();
	lm_error error;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/x.jpg", &host, &error), LM_BAD_INPUT);
	assert_int_equal(lm_film(cache, &settings, FOLDER "/{frame}.mp4", &host, &error), LM_BAD_INPUT);
	assert_int_equal(lm_film(cache, &settings, "/proc/no/x.png", &host, &error), LM_IO_FAILED);
	assert_int_equal(lm_film(cache, &settings, "/proc/no/x.mp4", &host, &error), LM_IO_FAILED);
	settings.frame = FRAMES;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/x.png", &host, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "0 to 8"));
	settings.sheet = true;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/x.mp4", &host, &error), LM_BAD_INPUT);
	assert_int_equal(lm_film(cache, &settings, FOLDER "/{frame}.png", &host, &error), LM_BAD_INPUT);
	settings.sheet = false;
	settings.frame = 0;
	settings.render.samples = 3;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/x.png", &host, &error), LM_BAD_INPUT);
	lm_cache_destroy(cache);
	write_cache(0, 4);
	cache = open_cache(&host);
	settings = small_settings();
	assert_int_equal(lm_film(cache, &settings, FOLDER "/x.png", &host, &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, "no frame"));
	lm_cache_destroy(cache);
	assert_int_equal(files_in(FOLDER), 1);
}

static bool stop_soon(const char* what, double done, void* context)
{
	assert_string_equal(what, "rendering");
	assert_true(done >= 0 && done <= 1);
	int* left = context;
	return (*left)-- > 0;
}

static void test_cancel(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cache* cache = open_cache(&host);
	lm_film_settings settings = small_settings();
	bool encoder = system("command -v ffmpeg >/dev/null 2>&1") == 0;
	for (int calls = 0; calls < 4; ++calls)
		for (int kind = 0; kind < 3; ++kind)
		{
			if (kind == 1 && !encoder)
				continue;
			int left = calls;
			host.progress = stop_soon;
			host.progress_context = &left;
			settings.sheet = kind == 2;
			const char* path = kind == 0 ? FOLDER "/{frame}.png" : kind == 1 ? FOLDER "/x.mp4" : FOLDER "/x.png";
			lm_error error;
			assert_int_equal(lm_film(cache, &settings, path, &host, &error), LM_CANCELLED);
			assert_int_equal(access(FOLDER "/x.mp4", F_OK), -1);
			assert_int_equal(access(FOLDER "/x.png", F_OK), -1);
		}
	lm_cache_destroy(cache);
}

// Two runs in one picture: each half is what would be drawn of that run by the camera of the first.
static void test_beside(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cache *cache = open_cache(&host), *other = open_cache(&host);
	lm_film_settings settings = small_settings();
	int width, height, both_width;
	settings.frame = 3;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/one.png", &host, NULL), LM_OK);
	uint8_t* one = read_png(FOLDER "/one.png", &width, &height);
	settings.beside = other;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/both.png", &host, NULL), LM_OK);
	uint8_t* both = read_png(FOLDER "/both.png", &both_width, &height);
	assert_int_equal(both_width, 2 * width);
	for (int y = 0; y < height; ++y)
		for (int half = 0; half < 2; ++half)
			assert_memory_equal(both + 3 * (y * both_width + half * width), one + 3 * y * width, 3 * (size_t)width);
	free(both);
	assert_int_equal(lm_film(cache, &settings, FOLDER "/{frame}.png", &host, NULL), LM_OK);
	both = read_png(FOLDER "/0003.png", &both_width, &height); // after others in the same reel
	for (int y = 0; y < height; ++y)
		assert_memory_equal(both + 3 * y * both_width, one + 3 * y * width, 3 * (size_t)width);
	settings.sheet = true;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/sheet.png", &host, NULL), LM_BAD_INPUT);
	free(one);
	free(both);
	lm_cache_destroy(cache);
	lm_cache_destroy(other);
}

// Where nothing moves a blurred picture is the sharp one; the ball is smeared towards where it goes, and what its
// pixels lose in red others gain.
static void test_blur(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_cache* cache = open_cache(&host);
	lm_film_settings settings = small_settings();
	int width, height, different[2] = { 0, 0 };
	double place[2];
	settings.camera.automatic = false;
	settings.camera.eye[1] = 1, settings.camera.eye[2] = 6, settings.camera.fov = 40;
	for (int frame = 4; frame < FRAMES; frame += 4) // the last one has no next, and is sharp
	{
		uint8_t* rgb[2];
		settings.frame = frame;
		for (int k = 0; k < 2; ++k)
		{
			settings.blur = k == 0 ? 1 : 16;
			assert_int_equal(lm_film(cache, &settings, FOLDER "/one.png", &host, NULL), LM_OK);
			rgb[k] = read_png(FOLDER "/one.png", &width, &height);
			place[k] = red_place(rgb[k], width, 0, width, 0, height);
		}
		for (int i = 0; i < 3 * width * height; ++i)
			different[frame / 4 - 1] += abs(rgb[0][i] - rgb[1][i]) > 1;
		if (frame == 4)
			assert_true(place[1] > place[0] + 0.005);
		free(rgb[0]);
		free(rgb[1]);
	}
	assert_true(different[0] > 200 && different[0] < 3 * width * height / 2);
	assert_int_equal(different[1], 0);
	settings.blur = 0;
	assert_int_equal(lm_film(cache, &settings, FOLDER "/one.png", &host, NULL), LM_BAD_INPUT);
	lm_cache_destroy(cache);
}

static void test_out_of_memory(void** state)
{
	(void)state;
	lm_host plain = lm_host_default();
	lm_film_settings settings = small_settings();
	settings.render.width = 32, settings.render.height = 18;
	settings.sheet_count = 1;
	for (int kind = 0; kind < 4; ++kind)
	{
		if (kind == 2 && system("command -v ffmpeg >/dev/null 2>&1") != 0)
			continue;
		settings.sheet = kind == 1;
		lm_status status = LM_NO_MEMORY;
		for (int64_t n = 1; status != LM_OK; n += kind == 2 ? 7 : 1)
		{
			lm_cache *cache = open_cache(&plain), *other = kind == 3 ? open_cache(&plain) : NULL;
			settings.beside = other, settings.blur = kind == 3 ? 2 : 1;
			test_memory memory = { .fail_at = n };
			lm_host host = test_host(&memory);
			const char* path = kind == 2 ? FOLDER "/x.gif" : FOLDER "/x.png";
			remove(path);
			status = lm_film(cache, &settings, path, &host, NULL);
			assert_true(status == LM_OK || status == LM_NO_MEMORY);
			assert_int_equal(access(path, F_OK) == 0, status == LM_OK);
			assert_int_equal(memory.held, 0);
			lm_cache_destroy(cache);
			lm_cache_destroy(other);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_single_pictures, prepare),
		cmocka_unit_test_setup(test_all_pictures, prepare),
		cmocka_unit_test_setup(test_sheet, prepare),
		cmocka_unit_test_setup(test_video, prepare),
		cmocka_unit_test_setup(test_camera, prepare),
		cmocka_unit_test_setup(test_follow, prepare),
		cmocka_unit_test(test_scene_settings),
		cmocka_unit_test_setup(test_refusals, prepare),
		cmocka_unit_test_setup(test_cancel, prepare),
		cmocka_unit_test_setup(test_beside, prepare),
		cmocka_unit_test_setup(test_blur, prepare),
		cmocka_unit_test_setup(test_out_of_memory, prepare),
	};
	return cmocka_run_group_tests_name("film", tests, NULL, NULL);
}
