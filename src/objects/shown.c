#include "objects/shown.h"

#include "base/error.h"

lm_status lm_shown_create(const lm_scene_object* description, const lm_host* host, lm_mesh** mesh, lm_binding** binding,
                          lm_error* error)
{
	lm_mesh* shown = *mesh =
		lm_mesh_copy(description->surface != NULL ? description->surface : description->mesh, host);
	if (shown == NULL)
		return lm_fail_memory(error);
	if (description->fitted != NULL && description->surface_file[0] == 0)
	{
		lm_binding_view rows = lm_binding_get(description->fitted->binding);
		return lm_binding_create_rows(&rows, host, binding, error);
	}
	if (description->repair != NULL && description->surface != NULL && description->surface_file[0] == 0)
	{
		lm_binding_view rows = lm_binding_get(description->repair->binding);
		return lm_binding_create_rows(&rows, host, binding, error);
	}
	if (description->surface != NULL)
		return lm_binding_create(description->mesh, shown->positions, shown->vertex_count, host, binding, error);
	lm_status status = LM_OK;
	if (shown->triangle_count == 0)
		status = lm_mesh_extract_surface(shown, error);
	if (status == LM_OK)
		status = lm_binding_create_identity(shown->vertex_count, host, binding, error);
	return status;
}
