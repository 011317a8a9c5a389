// Physical groups of Gmsh: $PhysicalNames gives names to (dimension, tag); in version 4 $Entities says which groups an
// entity of the geometry belongs to.
#include "base/alloc.h"
#include "base/error.h"
#include "io/msh_read.h"

#include <inttypes.h>
#include <string.h>

#define MAX_GROUPS 64 // of one entity

static bool same_physical(const void* context, int32_t item, const void* key)
{
	const lm_msh_key *a = &((const lm_msh*)context)->physical[item], *b = key;
	return a->dimension == b->dimension && a->tag == b->tag;
}

static bool same_entity(const void* context, int32_t item, const void* key)
{
	const lm_msh_key *a = &((const lm_msh*)context)->entities[item].key, *b = key;
	return a->dimension == b->dimension && a->tag == b->tag;
}

int32_t lm_msh_physical_group(const lm_msh* msh, int64_t dimension, int64_t tag)
{
	lm_msh_key key = { dimension, tag };
	int32_t item = lm_lookup_find(&msh->physical_lookup, lm_msh_hash(key), &key, same_physical, msh);
	return item >= 0 ? msh->physical_groups[item] : -1;
}

const lm_msh_entity* lm_msh_find_entity(const lm_msh* msh, int64_t dimension, int64_t tag)
{
	lm_msh_key key = { dimension, tag };
	int32_t item = lm_lookup_find(&msh->entity_lookup, lm_msh_hash(key), &key, same_entity, msh);
	return item >= 0 ? &msh->entities[item] : NULL;
}

static lm_status add_physical(lm_msh* msh, lm_msh_key key, const char* name, size_t length)
{
	if (lm_msh_physical_group(msh, key.dimension, key.tag) >= 0)
		return lm_text_fail(&msh->text, "the physical group %" PRId64 " of dimension %" PRId64 " is named twice",
		                    key.tag, key.dimension);
	int32_t group = -1, count = msh->physical_lookup.count;
	lm_status status = lm_build_group_named(&msh->build, name, length, &group);
	if (status != LM_OK)
		return status;
	const lm_host* host = &msh->build.host;
	size_t needed = (size_t)count + 1;
	if (!lm_grow(host, (void**)&msh->physical, &msh->physical_capacity, needed, sizeof *msh->physical) ||
	    !lm_grow(host, (void**)&msh->physical_groups, &msh->physical_group_capacity, needed,
	             sizeof *msh->physical_groups) ||
	    !lm_lookup_add(&msh->physical_lookup, lm_msh_hash(key)))
		return lm_fail_memory(msh->text.error);
	msh->physical[count] = key;
	msh->physical_groups[count] = group;
	return LM_OK;
}

// dimension tag "name", as text also in a binary file.
static lm_status read_name(lm_msh* msh)
{
	lm_text* text = &msh->text;
	lm_msh_key key = { 0 };
	lm_text_space(text);
	lm_status status = lm_text_integer(text, "the dimension of a physical group", &key.dimension);
	if (status == LM_OK)
		status = lm_text_integer(text, "the tag of a physical group", &key.tag);
	if (status != LM_OK)
		return status;
	lm_text_blanks(text);
	if (*text->next != '"')
		return lm_text_fail(text, "the name of a physical group must stand in quotes, not %s",
		                    lm_text_quote(text).text);
	const char* start = text->next + 1;
	const char* end = start;
	while (*end != '"' && *end != '\n' && *end != 0)
		++end;
	if (*end != '"' || end == start)
		return lm_text_fail(text, "the name of a physical group is empty or its quote not closed");
	text->next = end + 1;
	return add_physical(msh, key, start, (size_t)(end - start));
}

lm_status lm_msh_physical_names(lm_msh* msh)
{
	int64_t count = 0;
	lm_status status = lm_msh_text_count(msh, "the number of physical groups", 8, 8, &count);
	for (int64_t i = 0; i < count && status == LM_OK; ++i)
		status = read_name(msh);
	return status;
}

static lm_status read_entity_groups(lm_msh* msh, lm_msh_entity* entity)
{
	int64_t count = 0, tag = 0;
	lm_status status = lm_msh_count(msh, "the number of physical groups of an entity", 2, 4, &count);
	if (status == LM_OK && count > MAX_GROUPS)
		return lm_text_fail(&msh->text, "an entity is in %" PRId64 " physical groups; at most %d are possible", count,
		                    MAX_GROUPS);
	entity->first_group = msh->entity_group_count;
	for (int64_t i = 0; i < count && status == LM_OK; ++i)
	{
		status = lm_msh_int(msh, "the tag of a physical group", &tag);
		int32_t group = status == LM_OK ? lm_msh_physical_group(msh, entity->key.dimension, tag) : -1;
		if (group < 0)
			continue; // groups without a name cannot be used
		if (msh->entity_group_count == INT32_MAX ||
		    !lm_grow(&msh->build.host, (void**)&msh->entity_groups, &msh->entity_group_capacity,
		             (size_t)msh->entity_group_count + 1, sizeof *msh->entity_groups))
			return lm_fail_memory(msh->text.error);
		msh->entity_groups[msh->entity_group_count++] = group;
		++entity->group_count;
	}
	return status;
}

// A point has a place; the others have a box, and the entities that bound them.
static lm_status read_entity(lm_msh* msh, int64_t dimension)
{
	lm_msh_entity entity = { .key.dimension = dimension };
	double ignored;
	int64_t bounds = 0, other;
	lm_status status = lm_msh_int(msh, "the tag of an entity", &entity.key.tag);
	for (int i = 0; i < (dimension == 0 ? 3 : 6) && status == LM_OK; ++i)
		status = lm_msh_double(msh, "a coordinate of an entity", &ignored);
	if (status == LM_OK)
		status = read_entity_groups(msh, &entity);
	if (status == LM_OK && dimension > 0)
		status = lm_msh_count(msh, "the number of bounding entities", 2, 4, &bounds);
	for (int64_t i = 0; i < bounds && status == LM_OK; ++i)
		status = lm_msh_int(msh, "the tag of a bounding entity", &other);
	if (status != LM_OK)
		return status;
	if (lm_msh_find_entity(msh, dimension, entity.key.tag) != NULL)
		return lm_text_fail(&msh->text, "the entity %" PRId64 " of dimension %" PRId64 " is there twice",
		                    entity.key.tag, dimension);
	int32_t count = msh->entity_lookup.count;
	if (!lm_grow(&msh->build.host, (void**)&msh->entities, &msh->entity_capacity, (size_t)count + 1,
	             sizeof *msh->entities) ||
	    !lm_lookup_add(&msh->entity_lookup, lm_msh_hash(entity.key)))
		return lm_fail_memory(msh->text.error);
	msh->entities[count] = entity;
	return LM_OK;
}

lm_status lm_msh_entities(lm_msh* msh)
{
	static const char* const names[] = { "the number of points", "the number of curves", "the number of surfaces",
		                                 "the number of volumes" };
	int64_t counts[4] = { 0 };
	lm_status status = LM_OK;
	for (int i = 0; i < 4 && status == LM_OK; ++i)
		status = lm_msh_count(msh, names[i], 10, 36, &counts[i]);
	for (int d = 0; d < 4; ++d)
		for (int64_t i = 0; i < counts[d] && status == LM_OK; ++i)
			status = read_entity(msh, d);
	return status;
}
