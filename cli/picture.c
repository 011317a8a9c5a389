// picture.c: surfaces as one picture in a file.
#include "cli.h"

int draw_surfaces(const lm_surface* surfaces, int32_t count, const lm_camera* camera,
                  const lm_render_settings* settings, const char* out, const lm_host* host)
{
	lm_error error;
	lm_renderer* renderer = NULL;
	lm_picture picture = { 0 };
	lm_status status = lm_renderer_create(settings, host, &renderer, &error);
	if (status == LM_OK)
		status = lm_renderer_draw(renderer, surfaces, count, camera, &picture, &error);
	if (status == LM_OK)
		status = lm_picture_write(&picture, out, &error);
	lm_renderer_destroy(renderer);
	lm_picture_release(&picture);
	return status == LM_OK ? EXIT_GOOD : report_error(&error);
}
