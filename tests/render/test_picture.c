#include "test.h"

#include "limber/render.h"
#include "limber/view.h"
#include "render/font.h"
#include "world/fit.h"

#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

static double random_in(uint64_t* seed, double low, double high)
{
	return low + (high - low) * 0.5 * (1 + test_random(seed));
}

// Coordinates of a point in the picture, -1 .. 1 each way when it is seen.
static void in_picture(const lm_camera* camera, double aspect, lm_vec3 p, double* x, double* y, double* depth)
{
	lm_view view = lm_view_of(camera);
	lm_vec3 q = lm_sub(p, view.eye);
	*depth = lm_dot(q, view.forward);
	*x = lm_dot(q, view.right) / (*depth * view.tangent * aspect);
	*y = lm_dot(q, view.up) / (*depth * view.tangent);
}

static void test_fit_boxes(void** state)
{
	(void)state;
	uint64_t seed = 1;
	for (int k = 0; k < 500; ++k)
	{
		double low[3], high[3], direction[3], scale = pow(10, random_in(&seed, -4, 5));
		for (int i = 0; i < 3; ++i)
		{
			low[i] = scale * 10 * test_random(&seed);
			high[i] = low[i] + scale * random_in(&seed, 0, 3);
			direction[i] = test_random(&seed);
		}
		if (k % 10 == 0)
			direction[0] = direction[2] = 0; // straight down or up
		double fov = random_in(&seed, 5, 120), aspect = random_in(&seed, 0.3, 3);
		lm_camera camera = lm_camera_fit(low, high, direction, fov, aspect);
		assert_near(camera.fov, fov, 1e-9);
		double reach = 0;
		for (int corner = 0; corner < 8; ++corner)
		{
			double x, y, depth;
			lm_vec3 p = { corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1], corner & 4 ? high[2] : low[2] };
			in_picture(&camera, aspect, p, &x, &y, &depth);
			assert_true(depth > 0 && fabs(x) < 1 && fabs(y) < 1);
			reach = fmax(reach, fmax(fabs(x), fabs(y)));
		}
		assert_true(reach < 0.94 + 1e-6 && reach > 0.2);
		if (fov < 50 && aspect < 1.6)
			assert_near(reach, 0.94, 1e-6); // with a little air, no more
		lm_vec3 along = lm_normalize_or(lm_sub(lm_v3_at(camera.target, 0), lm_v3_at(camera.eye, 0)), lm_v3(0, 0, 0));
		assert_near(lm_dot(along, lm_normalize_or(lm_v3_at(direction, 0), lm_v3(0, 0, 0))), 1, 1e-9);
	}
}

static bool is_usable(const lm_camera* camera)
{
	double sum = camera->fov;
	for (int i = 0; i < 3; ++i)
		sum += camera->eye[i] + camera->target[i] + camera->up[i];
	return isfinite(sum) && lm_distance(lm_v3_at(camera->eye, 0), lm_v3_at(camera->target, 0)) > 0;
}

static void test_fit_oddities(void** state)
{
	(void)state;
	const double zero[3] = { 0 }, down[3] = { 0, -1, 0 }, nan3[3] = { NAN, NAN, NAN }, point[3] = { 1e6, 2, 3 };
	const double huge[3] = { 1e300, 1e300, 1e300 };
	const double* corners[4] = { zero, nan3, point, huge };
	for (int i = 0; i < 4; ++i)
		for (int j = 0; j < 4; ++j)
			for (int k = 0; k < 3; ++k)
			{
				lm_camera camera = lm_camera_fit(corners[i], corners[j],
				                                 k == 0   ? zero
				                                 : k == 1 ? down
				                                          : nan3,
				                                 k == 2 ? NAN : 35, k == 1 ? 0 : 1.5);
				assert_true(is_usable(&camera));
			}
	double x, y, depth;
	lm_camera camera = lm_camera_fit(point, point, down, 35, 1);
	in_picture(&camera, 1, lm_v3_at(point, 0), &x, &y, &depth);
	assert_near(x, 0, 1e-6);
	assert_near(y, 0, 1e-6);
	// zoom 2 halves the distance to the middle
	lm_fit fit = lm_fit_start(down, 35, 1);
	lm_fit_add_box(&fit, lm_v3(-1, -1, -1), lm_v3(1, 1, 1));
	lm_camera plain = lm_fit_camera(&fit, 1), close = lm_fit_camera(&fit, 2);
	assert_near(plain.eye[1], 2 * close.eye[1], 1e-9);
}

static void test_create(void** state)
{
	(void)state;
	test_memory memory = { .fail_at = 1 };
	lm_host host = test_host(&memory);
	lm_picture picture = { 0 };
	lm_error error;
	assert_int_equal(lm_picture_create(4, 4, &host, &picture, &error), LM_NO_MEMORY);
	assert_int_equal(lm_picture_create(0, 4, &host, &picture, &error), LM_BAD_INPUT);
	assert_int_equal(lm_picture_create(4, 100000, &host, &picture, &error), LM_BAD_INPUT);
	assert_null(picture.rgb);
	lm_picture_release(&picture);
	lm_picture_release(NULL);
}

static lm_picture random_picture(int32_t width, int32_t height, const lm_host* host)
{
	lm_picture picture;
	assert_int_equal(lm_picture_create(width, height, host, &picture, NULL), LM_OK);
	uint64_t seed = 5;
	for (int i = 0; i < 3 * width * height; ++i)
		picture.rgb[i] = (uint8_t)random_in(&seed, 0, 256);
	return picture;
}

static void test_png(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	const char* path = LIMBER_BUILD "/test-render/deep/er/picture.png";
	remove(path);
	lm_picture picture = random_picture(37, 21, &host);
	lm_error error;
	assert_int_equal(lm_picture_write(&picture, path, &error), LM_OK);
	png_image image = { .version = PNG_IMAGE_VERSION };
	assert_true(png_image_begin_read_from_file(&image, path));
	assert_int_equal(image.width, 37);
	assert_int_equal(image.height, 21);
	image.format = PNG_FORMAT_RGB;
	uint8_t read[3 * 37 * 21];
	assert_true(png_image_finish_read(&image, NULL, read, 0, NULL));
	assert_memory_equal(read, picture.rgb, sizeof read);

	assert_int_equal(lm_picture_write(&picture, LIMBER_BUILD "/test-render/picture.jpg", &error), LM_BAD_INPUT);
	assert_non_null(strstr(error.message, ".png"));
	assert_int_equal(lm_picture_write(&picture, "/proc/no/picture.png", &error), LM_IO_FAILED);
	assert_int_equal(lm_picture_write(&picture, LIMBER_BUILD "/test-render/deep/er/picture.png/x.png", &error),
	                 LM_IO_FAILED);
	lm_picture_release(&picture);
	remove(path);
}

// A full disk: the sentence says so, and no half of a file stays.
static void test_full_disk(void** state)
{
	(void)state;
	if (access("/dev/full", W_OK) != 0)
		test_missing("/dev/full");
	lm_host host = lm_host_default();
	char path[600], temporary[700];
	snprintf(path, sizeof path, "%s/test-render/full.png", LIMBER_BUILD);
	snprintf(temporary, sizeof temporary, "%s.tmp%ld", path, (long)getpid());
	mkdir(LIMBER_BUILD "/test-render", 0777);
	remove(temporary);
	if (symlink("/dev/full", temporary) != 0)
		test_missing("a file system with symbolic links");
	lm_picture picture = random_picture(200, 100, &host);
	lm_error error;
	assert_int_equal(lm_picture_write(&picture, path, &error), LM_IO_FAILED);
	assert_true(access(path, F_OK) != 0);
	struct stat facts;
	assert_true(lstat(temporary, &facts) != 0);
	lm_picture_release(&picture);
}

static void test_png_out_of_memory(void** state)
{
	(void)state;
	const char* path = LIMBER_BUILD "/test-render/memory.png";
	lm_status status = LM_NO_MEMORY;
	for (int64_t n = 1; status != LM_OK; ++n)
	{
		test_memory memory = { 0 };
		lm_host host = test_host(&memory);
		lm_picture picture = random_picture(8, 8, &host);
		memory.fail_at = memory.requests + n;
		status = lm_picture_write(&picture, path, NULL);
		assert_true(status == LM_OK || status == LM_NO_MEMORY);
		assert_int_equal(access(path, F_OK) == 0, status == LM_OK);
		lm_picture_release(&picture);
		assert_int_equal(memory.held, 0);
	}
	remove(path);
}

static bool stop_after(const char* what, double done, void* context)
{
	assert_string_equal(what, "writing");
	assert_true(done > 0 && done < 1);
	int* left = context;
	return (*left)-- > 0;
}

static void test_png_cancelled(void** state)
{
	(void)state;
	const char* path = LIMBER_BUILD "/test-render/cancelled.png";
	char temporary[700];
	snprintf(temporary, sizeof temporary, "%s.tmp%ld", path, (long)getpid());
	for (int calls = 0; calls < 3; ++calls)
	{
		int left = calls;
		lm_host host = lm_host_default();
		host.progress = stop_after;
		host.progress_context = &left;
		lm_picture picture;
		assert_int_equal(lm_picture_create(60000, 40, &host, &picture, NULL), LM_OK); // a word every 18 rows
		lm_status status = lm_picture_write(&picture, path, NULL);
		assert_int_equal(status, calls < 2 ? LM_CANCELLED : LM_OK);
		assert_int_equal(access(path, F_OK) == 0, calls == 2);
		assert_true(access(temporary, F_OK) != 0);
		assert_int_equal(left, calls < 2 ? -1 : 0);
		lm_picture_release(&picture);
	}
	remove(path);
}

static int ink(const lm_picture* picture)
{
	int count = 0;
	for (int i = 0; i < picture->width * picture->height; ++i)
		count += picture->rgb[3 * i] == 200;
	return count;
}

static void test_text(void** state)
{
	(void)state;
	lm_host host = lm_host_default();
	lm_picture picture;
	const uint8_t color[3] = { 200, 10, 20 };
	assert_int_equal(lm_picture_create(60, 40, &host, &picture, NULL), LM_OK);
	lm_picture_text(&picture, 3, 4, 2, color, "I");
	assert_int_equal(ink(&picture), 4 * 11); // 3 + 5 + 3 dots
	assert_int_equal(picture.rgb[3 * (4 * 60 + 3 + 2)], 200);
	assert_int_equal(picture.rgb[3 * (4 * 60 + 3 + 2) + 1], 10);
	assert_int_equal(picture.rgb[3 * (4 * 60 + 3)], 0);
	lm_picture_text(&picture, 3, 4, 0, color, "I");
	memset(picture.rgb, 0, 3 * 60 * 40);
	lm_picture_text(&picture, 0, 0, 1, color, "\xff\n"); // no such letters: two question marks
	int odd = ink(&picture);
	memset(picture.rgb, 0, 3 * 60 * 40);
	lm_picture_text(&picture, 0, 0, 1, color, "??");
	assert_int_equal(ink(&picture), odd);
	// beyond every border, and the largest sizes there are
	lm_picture_text(&picture, -7, -3, 3, color, "clipped at the borders");
	lm_picture_text(&picture, 58, 38, 3, color, "x");
	lm_picture_text(&picture, INT32_MAX, INT32_MAX, INT32_MAX, color, "x");
	lm_picture_text(&picture, INT32_MIN, INT32_MIN, INT32_MAX, color, "xxxxx");
	lm_picture_release(&picture);
}

// Every letter has ink and no two look the same.
static void test_font(void** state)
{
	(void)state;
	uint64_t shapes[95] = { 0 };
	for (int c = 0; c < 95; ++c)
	{
		for (int y = 0; y < LM_FONT_HEIGHT; ++y)
			for (int x = 0; x < 5; ++x)
				shapes[c] = 2 * shapes[c] + lm_font_dot((char)(c + 32), x, y);
		assert_int_equal(shapes[c] == 0, c == 0);
		for (int d = 0; d < c; ++d)
			assert_true(shapes[c] != shapes[d]);
	}
	assert_false(lm_font_dot('A', 5, 0) || lm_font_dot('A', -1, 0) || lm_font_dot('A', 0, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fit_boxes), cmocka_unit_test(test_fit_oddities), cmocka_unit_test(test_create),
		cmocka_unit_test(test_png),       cmocka_unit_test(test_full_disk),    cmocka_unit_test(test_png_out_of_memory),
		cmocka_unit_test(test_text),      cmocka_unit_test(test_font),         cmocka_unit_test(test_png_cancelled),
	};
	return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
