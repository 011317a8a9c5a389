// Elements of Gmsh. Tetrahedra, triangles and quadrangles of order 1 are kept; the vertices of all kinds join the
// physical groups of their elements.
#include "io/msh_read.h"

#include <inttypes.h>

enum
{
	TRIANGLE = 2,
	QUADRANGLE = 3,
	TETRAHEDRON = 4
};

// Number of nodes and dimension of a type of element; false when unknown.
static bool shape_of(int64_t type, int* nodes, int* dimension)
{
	static const struct
	{
		uint8_t nodes, dimension;
	} shapes[] = { { 0, 0 },  { 2, 1 },  { 3, 2 },  { 4, 2 },  { 4, 3 },  { 8, 3 },  { 6, 3 },  { 5, 3 },
		           { 3, 1 },  { 6, 2 },  { 9, 2 },  { 10, 3 }, { 27, 3 }, { 18, 3 }, { 14, 3 }, { 1, 0 },
		           { 8, 2 },  { 20, 3 }, { 15, 3 }, { 13, 3 }, { 9, 2 },  { 10, 2 }, { 12, 2 }, { 15, 2 },
		           { 15, 2 }, { 21, 2 }, { 4, 1 },  { 5, 1 },  { 6, 1 },  { 20, 3 }, { 35, 3 }, { 56, 3 } };
	if (type < 1 || type >= (int64_t)(sizeof shapes / sizeof *shapes))
		return false;
	*nodes = shapes[type].nodes;
	*dimension = shapes[type].dimension;
	return true;
}

#define MAX_NODES 56

// The nodes of one element, behind its tags.
static lm_status read_element(lm_msh* msh, int64_t type, int nodes, bool is_int, bool grouped)
{
	int32_t corners[MAX_NODES];
	lm_status status = LM_OK;
	for (int i = 0; i < nodes && status == LM_OK; ++i)
	{
		int64_t tag = 0;
		status =
			is_int ? lm_msh_int(msh, "a node of an element", &tag) : lm_msh_size(msh, "a node of an element", &tag);
		if (status != LM_OK)
			return status;
		corners[i] = lm_msh_vertex(msh, tag);
		if (corners[i] < 0)
			return lm_text_fail(&msh->text, "an element names node %" PRId64 ", which is not there", tag);
		if (grouped)
			status = lm_build_member(&msh->build, corners[i]);
	}
	if (status == LM_OK && type == TETRAHEDRON)
		return lm_build_tet(&msh->build, corners);
	if (type != TRIANGLE && type != QUADRANGLE)
		return status;
	for (int i = 0; i < nodes && status == LM_OK; ++i)
		status = lm_build_corner(&msh->build, corners[i]);
	return status == LM_OK ? lm_build_face(&msh->build) : status;
}

static lm_status fail_type(const lm_msh* msh, int64_t type)
{
	return lm_text_fail(&msh->text, "elements of type %" PRId64 " are unknown, and in a binary file cannot be skipped",
	                    type);
}

// ---- version 2: number type tags... nodes...; the first tag is the physical group

// Members since `begin` belong to the group that was current until now.
typedef struct run
{
	int32_t group; // -1: none
	size_t begin;
} run;

static lm_status change_group(lm_msh* msh, run* current, int32_t group)
{
	if (group == current->group)
		return LM_OK;
	lm_status status = LM_OK;
	if (current->group >= 0)
		status = lm_build_span_of(&msh->build, current->group, current->begin);
	*current = (run){ group, msh->build.member_count };
	return status;
}

static lm_status read_tagged(lm_msh* msh, run* current, int64_t type, int64_t tags, int nodes, int dimension)
{
	int64_t physical = 0, ignored;
	lm_status status = LM_OK;
	for (int64_t i = 0; i < tags && status == LM_OK; ++i)
		status = lm_msh_int(msh, "a tag of an element", i == 0 ? &physical : &ignored);
	if (status == LM_OK)
		status = change_group(msh, current, lm_msh_physical_group(msh, dimension, physical));
	return status == LM_OK ? read_element(msh, type, nodes, true, current->group >= 0) : status;
}

static lm_status check_tags(const lm_msh* msh, int64_t tags)
{
	if (tags >= 0 && tags <= 1000)
		return LM_OK;
	return lm_text_fail(&msh->text, "an element cannot have %" PRId64 " tags", tags);
}

static lm_status read_text_element(lm_msh* msh, run* current)
{
	int64_t number, type = 0, tags = 0;
	lm_status status = lm_msh_int(msh, "the number of an element", &number);
	if (status == LM_OK)
		status = lm_msh_int(msh, "the type of an element", &type);
	if (status == LM_OK)
		status = lm_msh_int(msh, "the number of tags of an element", &tags);
	if (status == LM_OK)
		status = check_tags(msh, tags);
	int nodes = 0, dimension = 0;
	if (status == LM_OK && shape_of(type, &nodes, &dimension))
		return read_tagged(msh, current, type, tags, nodes, dimension);
	if (status == LM_OK)
		lm_text_next_line(&msh->text); // an unknown kind has a line of its own
	return status;
}

// A header with type, number of elements and number of tags, then those elements.
static lm_status read_binary_elements(lm_msh* msh, run* current, int64_t left, int64_t* count)
{
	int64_t type = 0, tags = 0, number;
	lm_status status = lm_msh_int(msh, "the type of elements", &type);
	if (status == LM_OK)
		status = lm_msh_int(msh, "the number of elements", count);
	if (status == LM_OK)
		status = lm_msh_int(msh, "the number of tags", &tags);
	if (status == LM_OK)
		status = check_tags(msh, tags);
	if (status == LM_OK && (*count < 1 || *count > left))
		status = lm_text_fail(&msh->text, "a block of %" PRId64 " elements stands where at most %" PRId64 " are left",
		                      *count, left);
	int nodes = 0, dimension = 0;
	if (status == LM_OK && !shape_of(type, &nodes, &dimension))
		status = fail_type(msh, type);
	for (int64_t i = 0; i < *count && status == LM_OK; ++i)
	{
		status = lm_msh_int(msh, "the number of an element", &number);
		if (status == LM_OK)
			status = read_tagged(msh, current, type, tags, nodes, dimension);
	}
	return status;
}

static lm_status read_elements_2(lm_msh* msh)
{
	int64_t count = 0, done = 0, step = 1;
	lm_status status = lm_msh_text_count(msh, "the number of elements", 6, 8, &count);
	run current = { -1, 0 };
	for (; done < count && status == LM_OK; done += step)
		status = msh->text.binary ? read_binary_elements(msh, &current, count - done, &step)
		                          : read_text_element(msh, &current);
	msh->element_count += count;
	return status == LM_OK ? change_group(msh, &current, -1) : status;
}

// ---- version 4: blocks of elements of one entity and one type

static lm_status read_block(lm_msh* msh, int64_t left, int64_t* count)
{
	int64_t dimension = 0, tag = 0, type = 0, number;
	lm_status status = lm_msh_int(msh, "the dimension of an entity", &dimension);
	if (status == LM_OK)
		status = lm_msh_int(msh, "the tag of an entity", &tag);
	if (status == LM_OK)
		status = lm_msh_int(msh, "the type of elements", &type);
	if (status == LM_OK)
		status = lm_msh_count(msh, "the number of elements in a block", 4, 16, count);
	if (status == LM_OK && *count > left)
		status = lm_text_fail(&msh->text, "the blocks hold more elements than announced");
	int nodes = 0, shape_dimension = 0;
	bool known = shape_of(type, &nodes, &shape_dimension);
	if (status == LM_OK && !known && msh->text.binary)
		status = fail_type(msh, type);
	const lm_msh_entity* entity = lm_msh_find_entity(msh, dimension, tag);
	bool grouped = entity != NULL && entity->group_count > 0;
	size_t begin = msh->build.member_count;
	for (int64_t i = 0; i < *count && status == LM_OK; ++i)
	{
		status = lm_msh_size(msh, "the tag of an element", &number);
		if (status == LM_OK && known)
			status = read_element(msh, type, nodes, false, grouped);
		else
			lm_text_next_line(&msh->text);
	}
	for (int32_t g = 0; grouped && g < entity->group_count && status == LM_OK; ++g)
		status = lm_build_span_of(&msh->build, msh->entity_groups[entity->first_group + g], begin);
	return status;
}

static lm_status read_elements_4(lm_msh* msh)
{
	int64_t blocks = 0, total = 0, done = 0, ignored;
	lm_status status = lm_msh_count(msh, "the number of blocks", 8, 20, &blocks);
	if (status == LM_OK)
		status = lm_msh_count(msh, "the number of elements", 4, 16, &total);
	for (int i = 0; i < 2 && status == LM_OK; ++i)
		status = lm_msh_size(msh, "a tag of an element", &ignored);
	for (int64_t i = 0; i < blocks && status == LM_OK; ++i)
	{
		int64_t count = 0;
		status = read_block(msh, total - done, &count);
		if (status == LM_OK)
			done += count;
	}
	if (status == LM_OK && done != total)
		status = lm_text_fail(&msh->text, "%" PRId64 " elements were announced, %" PRId64 " came", total, done);
	msh->element_count += total;
	return status;
}

lm_status lm_msh_elements(lm_msh* msh)
{
	if (!msh->has_nodes || msh->build.vertex_count == 0)
		return lm_text_fail(&msh->text, "$Elements stand before $Nodes");
	return msh->version == 2 ? read_elements_2(msh) : read_elements_4(msh);
}
