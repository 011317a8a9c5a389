#include "objects/track/layers.h"

#include "base/alloc.h"
#include "base/error.h"
#include "objects/objects.h"
#include "scene/scene.h"
#include "track/body.h"
#include "track/state.h"

#include <math.h>
#include <string.h>

void lm_track_layer_release(lm_track_layer* layer)
{
	if (layer->object == NULL)
		return;
	const lm_host* host = &layer->object->host;
	lm_track_together_destroy(layer->together);
	lm_free(host, layer->members);
	if (layer->before.data != NULL)
		lm_blob_release(&layer->before);
	lm_free(&layer->object->host, layer->list);
	lm_free(&layer->object->host, (void*)layer->guides);
	layer->together = NULL, layer->members = NULL, layer->list = NULL, layer->guides = NULL;
	layer->list_room = layer->guides_room = 0;
}

int32_t lm_track_depth(const lm_object* object)
{
	int32_t depth = 0;
	for (const lm_object* leader = object->leader; leader != NULL; leader = leader->leader)
		depth += leader->engine == object->engine;
	return depth;
}

bool lm_track_layers_touch(const lm_object* one, const lm_object* two)
{
	return one != two && one->engine == two->engine && lm_scene_may_touch(one->description, two->description) &&
	       lm_track_depth(one) == lm_track_depth(two);
}

int64_t lm_track_layers_crossings(const lm_object* object)
{
	int64_t sum = 0;
	for (int32_t i = 0; i < object->scene->object_count; ++i)
		if (lm_track_layers_touch(object, object->all[i]))
		{
			int64_t count =
				lm_track_intersections_between(lm_object_track((lm_object*)object), lm_object_track(object->all[i]));
			sum += count > 0 ? count : 0;
		}
	return sum;
}

static lm_box box_of(const lm_track_layer* layer)
{
	return layer->done ? lm_track_swept_box(layer->cloth) : lm_track_box(layer->cloth, layer->object->h);
}

lm_status lm_track_layers_check(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error)
{
	for (int32_t i = 0; i < count; ++i)
		for (int32_t j = 0; j < i; ++j)
		{
			*at = i;
			if (!lm_track_layers_touch(layers[i]->object, layers[j]->object))
				continue;
			int64_t found = lm_track_intersections_between(layers[i]->cloth, layers[j]->cloth);
			if (found != 0)
				return found < 0
				           ? lm_fail_memory(error)
				           : lm_fail(error, LM_BAD_INPUT,
				                     "crosses \"%.60s\" in %lld pairs of triangles: cloths that touch must be free "
				                     "of each other at the start; move one, or part them by `touch`",
				                     layers[j]->object->description->name, (long long)found);
		}
	return LM_OK;
}

// Of each by itself, so that an error names the right one.
static lm_status check_guides(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
	{
		*at = i;
		status = lm_track_check_guide(layers[i]->cloth, layers[i]->guide, error);
	}
	return status;
}

// ---- islands -----------------------------------------------------------------------------------------------------

// All of the island of j join that of i.
static void unite(lm_track_layer* const* layers, int32_t count, int32_t i, int32_t j)
{
	int32_t low = layers[i]->island, high = layers[j]->island;
	if (low > high)
		low = layers[j]->island, high = layers[i]->island;
	for (int32_t k = 0; k < count; ++k)
		if (layers[k]->island == high)
			layers[k]->island = low;
}

// Unites those that are near each other; whether there were any.
static bool unite_near(lm_track_layer* const* layers, int32_t count)
{
	bool any = false;
	for (int32_t i = 0; i < count; ++i)
		layers[i]->box = box_of(layers[i]), layers[i]->last_island = layers[i]->island;
	for (int32_t i = 0; i < count; ++i)
		for (int32_t j = 0; j < i; ++j)
			if (layers[i]->island != layers[j]->island && layers[i]->object->h == layers[j]->object->h &&
			    lm_box_overlaps(layers[i]->box, layers[j]->box) &&
			    lm_track_layers_touch(layers[i]->object, layers[j]->object))
				unite(layers, count, i, j), any = true;
	return any;
}

// ---- systems -----------------------------------------------------------------------------------------------------

// The system of an island, made anew when it is not the one of before.
static lm_status find_system(lm_track_layer* const* layers, const int32_t* members, int32_t count,
                             lm_track_together** together, lm_error* error)
{
	lm_track_layer* first = layers[members[0]];
	const lm_host* host = &first->object->host;
	bool same = first->together != NULL && first->member_count == count;
	for (int32_t k = 0; same && k < count; ++k)
		same = first->members[k] == layers[members[k]]->cloth;
	*together = first->together;
	if (same)
		return LM_OK;
	lm_track_together_destroy(first->together), lm_free(host, first->members);
	first->together = NULL, first->member_count = count;
	first->members = LM_NEW(host, count, lm_track*);
	bool* apart = LM_NEW(host, (int64_t)count * count, bool);
	lm_status status = first->members != NULL && apart != NULL ? LM_OK : lm_fail_memory(error);
	for (int32_t i = 0; status == LM_OK && i < count; ++i)
	{
		first->members[i] = layers[members[i]]->cloth;
		for (int32_t j = 0; j < count; ++j)
			apart[(int64_t)count * i + j] =
				!lm_track_layers_touch(layers[members[i]]->object, layers[members[j]]->object);
	}
	if (status == LM_OK)
		status = lm_track_together_create(first->members, count, apart, host, &first->together, error);
	lm_free(host, apart);
	*together = first->together;
	return status;
}

static int32_t list_members(lm_track_layer* const* layers, int32_t count, int32_t island, int32_t* members)
{
	int32_t found = 0;
	for (int32_t k = 0; k < count; ++k)
		if (layers[k]->island == island)
			members[found++] = k;
	return found;
}

// ---- steps -------------------------------------------------------------------------------------------------------

lm_status lm_track_layer_save(lm_track_layer* layer, lm_error* error)
{
	if (layer->before.data == NULL)
		lm_blob_init(&layer->before, &layer->object->host);
	layer->before.size = layer->before.cursor = 0, layer->before.failed = false;
	lm_track_save(layer->cloth, &layer->before);
	return layer->before.failed ? lm_fail_memory(error) : LM_OK;
}

lm_status lm_track_layer_take_back(lm_track_layer* layer, lm_error* error)
{
	layer->done = false;
	layer->before.cursor = 0;
	return lm_track_load(layer->cloth, &layer->before, error);
}

// Those of an island, unless they are done. Nothing of several is kept between steps, not even for speed.
static lm_status step_island(lm_track_layer* const* layers, const int32_t* members, int32_t count,
                             const double** guides, lm_error* error)
{
	lm_track_layer* first = layers[members[0]];
	const lm_object* object = first->object;
	if (first->done)
		return LM_OK;
	for (int32_t k = 0; k < count; ++k)
	{
		lm_track_layer* layer = layers[members[k]];
		guides[k] = layer->guide;
		lm_track_keep_pattern(layer->cloth, count == 1 && layer->was_alone && !layer->starts_frame);
		layer->was_alone = count == 1, layer->done = true;
	}
	if (count == 1)
		return lm_track_step(first->cloth, object->h, first->guide, object->time, error);
	lm_track_together* together;
	lm_status status = find_system(layers, members, count, &together, error);
	return status == LM_OK ? lm_track_together_step(together, object->h, guides, object->time, error) : status;
}

// Lists of this length with the first cloth; they are made once.
static lm_status make_room(lm_track_layer* first, int32_t count, lm_error* error)
{
	const lm_host* host = &first->object->host;
	void *list = first->list, *guides = (void*)first->guides;
	bool good = lm_grow(host, &list, &first->list_room, (size_t)count, sizeof *first->list) &&
	            lm_grow(host, &guides, &first->guides_room, (size_t)count, sizeof *first->guides);
	first->list = list, first->guides = guides;
	return good ? LM_OK : lm_fail_memory(error);
}

static lm_status step_islands(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error)
{
	lm_status status = make_room(layers[0], count, error);
	int32_t* members = layers[0]->list;
	const double** guides = layers[0]->guides;
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
		if (layers[i]->island == i)
		{
			*at = i;
			status = step_island(layers, members, list_members(layers, count, i, members), guides, error);
		}
	return status;
}

// Islands that have grown are done again.
static lm_status take_back_islands(lm_track_layer* const* layers, int32_t count, lm_error* error)
{
	lm_status status = LM_OK;
	for (int32_t i = 0; i < count; ++i)
		for (int32_t k = 0; k < count && status == LM_OK; ++k)
			if (layers[k]->island == layers[i]->island && layers[k]->last_island != layers[i]->last_island &&
			    layers[k]->done)
				status = lm_track_layer_take_back(layers[k], error);
	return status;
}

static bool any_touch(lm_track_layer* const* layers, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
		for (int32_t j = 0; j < i; ++j)
			if (lm_track_layers_touch(layers[i]->object, layers[j]->object))
				return true;
	return false;
}

lm_status lm_track_layers_step(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error)
{
	bool touch = any_touch(layers, count), again = true;
	lm_status status = check_guides(layers, count, at, error);
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
	{
		*at = i;
		layers[i]->island = i, layers[i]->done = false;
		status = touch ? lm_track_layer_save(layers[i], error) : LM_OK;
	}
	if (status == LM_OK && touch)
		unite_near(layers, count);
	while (status == LM_OK && again)
	{
		status = step_islands(layers, count, at, error);
		again = status == LM_OK && touch && unite_near(layers, count);
		if (again)
			status = take_back_islands(layers, count, error);
	}
	return status;
}

// ---- pre-roll ----------------------------------------------------------------------------------------------------

static lm_status preroll_island(lm_track_layer* const* layers, const int32_t* members, int32_t count,
                                const double** guides, lm_error* error)
{
	double longest = 0;
	for (int32_t k = 0; k < count; ++k)
	{
		const lm_track_layer* layer = layers[members[k]];
		bool rolls = layer->preroll > 0 && layer->guide != NULL;
		guides[k] = rolls ? layer->guide : NULL;
		longest = rolls ? fmax(longest, layer->preroll) : longest;
	}
	if (longest == 0)
		return LM_OK;
	if (count == 1)
		return lm_track_preroll(layers[members[0]]->cloth, longest, guides[0], 0, error);
	lm_track_together* together;
	lm_status status = find_system(layers, members, count, &together, error);
	return status == LM_OK ? lm_track_together_preroll(together, longest, guides, 0, error) : status;
}

lm_status lm_track_layers_preroll(lm_track_layer* const* layers, int32_t count, int32_t* at, lm_error* error)
{
	lm_status status = check_guides(layers, count, at, error);
	if (status == LM_OK)
		status = make_room(layers[0], count, error);
	int32_t* members = layers[0]->list;
	const double** guides = layers[0]->guides;
	for (int32_t i = 0; i < count; ++i)
		layers[i]->island = i;
	for (int32_t i = 0; i < count; ++i)
		for (int32_t j = 0; j < i; ++j)
			if (lm_track_layers_touch(layers[i]->object, layers[j]->object))
				unite(layers, count, i, j);
	for (int32_t i = 0; i < count && status == LM_OK; ++i)
		if (layers[i]->island == i)
		{
			*at = i;
			status = preroll_island(layers, members, list_members(layers, count, i, members), guides, error);
		}
	return status;
}
