// png.c: pictures into PNG files.
#include "base/error.h"
#include "base/file.h"
#include "limber/render.h"

#include <assert.h>
#include <png.h>
#include <setjmp.h>

// libpng reports an error by jumping out of its calls; this is where the message and the way out are kept.
typedef struct failure
{
	jmp_buf out;
	char message[200];
	bool cancelled;
} failure;

static void on_error(png_structp png, png_const_charp message)
{
	failure* failed = png_get_error_ptr(png);
	snprintf(failed->message, sizeof failed->message, "%s", message);
	longjmp(failed->out, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
	(void)png, (void)message; // the library never prints
}

// Everything that may jump. Nothing here owns anything, and no local is changed between setjmp and longjmp.
static bool encode(png_structp png, png_infop info, const lm_picture* picture, FILE* file, failure* failed)
{
	if (setjmp(failed->out) != 0)
		return false;
	png_init_io(png, file);
	png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8, PNG_COLOR_TYPE_RGB,
	             PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
	png_set_compression_level(png, 6);
	png_write_info(png, info);
	const int32_t rows = (1 << 20) / picture->width + 1; // between two words to the host, some tenths of a second
	for (int32_t y = 0; y < picture->height; ++y)
	{
		failed->cancelled =
			y > 0 && y % rows == 0 && !lm_progress(&picture->host, "writing", (double)y / picture->height);
		if (failed->cancelled)
			return false;
		png_write_row(png, picture->rgb + 3 * (size_t)y * (size_t)picture->width);
	}
	png_write_end(png, info);
	return true;
}

lm_status lm_picture_write(const lm_picture* picture, const char* path, lm_error* error)
{
	assert(picture != NULL && picture->rgb != NULL && path != NULL);
	if (!lm_same_ending(path, "png"))
		return lm_fail_at(error, LM_BAD_INPUT, path, "", "a picture is written as .png; give a name that ends so");
	lm_output output;
	lm_status status = lm_output_open(&picture->host, path, &output, error);
	if (status != LM_OK)
		return status;
	failure failed = { .message = "" };
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failed, on_error, on_warning);
	png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
	if (info == NULL)
		status = lm_fail_memory(error);
	else if (!encode(png, info, picture, output.file, &failed))
		status = failed.cancelled ? lm_fail_at(error, LM_CANCELLED, path, "", "cancelled while it was written")
		                          : lm_fail_at(error, LM_IO_FAILED, path, "", "cannot be written: %s", failed.message);
	png_destroy_write_struct(&png, &info);
	if (status == LM_OK)
		return lm_output_commit(&output, error);
	lm_output_abandon(&output);
	return status;
}
