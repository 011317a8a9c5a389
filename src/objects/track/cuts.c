// cuts.c: times at which guides jump: cloths are carried over them as rigid bodies, those that touch each other
// together.
#include "base/error.h"
#include "objects/track/layers.h"
#include "track/state.h"

// Whether the guide jumps within this step.
static bool has_cut(const lm_track_layer* layer)
{
	const lm_scene_track* track = layer->object->description->track;
	bool found = false;
	for (int32_t i = 0; i < track->cut_count && layer->guide != NULL; ++i)
		found = found ||
		        (track->cuts[i].time > layer->object->time && track->cuts[i].time <= lm_object_step_end(layer->object));
	return found;
}

static void warn(const lm_track_layer* layer, const char* what)
{
	const lm_object* object = layer->object;
	lm_log(&object->host, LM_LOG_WARNING,
	       "%s: at the cut at %.3g s the cloth cannot be put where the guide is, as it would cross %s there",
	       object->description->name, object->time + object->h, what);
}

static lm_status cut(lm_track_layer* layer, lm_error* error)
{
	const lm_object* object = layer->object;
	lm_status status = lm_track_layer_save(layer, error);
	if (status == LM_OK)
		status = lm_track_cut(layer->cloth, layer->guide, object->time + object->h, &layer->carried, error);
	if (status == LM_OK && !layer->carried)
		warn(layer, "a collider");
	return status;
}

lm_status lm_track_layers_cut(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error)
{
	bool any = false;
	lm_status status = LM_OK;
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
	{
		*at = i;
		layers[i]->carried = false;
		status = has_cut(layers[i]) ? cut(layers[i], error) : LM_OK;
		any = any || layers[i]->carried;
	}
	if (status != LM_OK || !any)
		return status;
	status = lm_track_layers_check(layers, count, at, error);
	if (status != LM_BAD_INPUT)
		return status;
	status = LM_OK;
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
		if (layers[i]->carried)
		{
			warn(layers[i], "another cloth");
			status = lm_track_layer_take_back(layers[i], error);
		}
	return status;
}
