// Gmsh .msh, versions 2 (2.0 to 2.2) and 4.1, text and binary. Sections other than those read here are passed over.
#include "io/msh_read.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/bytes.h"
#include "io/readers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- numbers

static lm_status take(lm_msh* msh, size_t bytes, const unsigned char** data)
{
	if (lm_text_left(&msh->text) < bytes)
		return lm_text_fail(&msh->text, "the file is cut off");
	*data = (const unsigned char*)msh->text.next;
	msh->text.next += bytes;
	return LM_OK;
}

lm_status lm_msh_int(lm_msh* msh, const char* what, int64_t* value)
{
	if (!msh->text.binary)
	{
		lm_text_space(&msh->text);
		return lm_text_integer(&msh->text, what, value);
	}
	const unsigned char* data = NULL;
	lm_status status = take(msh, 4, &data);
	if (status == LM_OK)
		*value = (int32_t)lm_load_32(data, msh->big_endian);
	return status;
}

lm_status lm_msh_size(lm_msh* msh, const char* what, int64_t* value)
{
	if (!msh->text.binary)
		return lm_msh_int(msh, what, value);
	const unsigned char* data = NULL;
	lm_status status = take(msh, 8, &data);
	uint64_t size = status == LM_OK ? lm_load_64(data, msh->big_endian) : 0;
	if (size > INT64_MAX)
		return lm_text_fail(&msh->text, "%s is too large", what);
	*value = (int64_t)size;
	return status;
}

lm_status lm_msh_double(lm_msh* msh, const char* what, double* value)
{
	if (!msh->text.binary)
	{
		lm_text_space(&msh->text);
		return lm_text_double(&msh->text, what, value);
	}
	const unsigned char* data = NULL;
	lm_status status = take(msh, 8, &data);
	if (status == LM_OK)
		*value = lm_load_double(data, msh->big_endian);
	return status;
}

static lm_status check_count(lm_msh* msh, const char* what, int64_t count, size_t text_bytes, size_t binary_bytes)
{
	size_t left = lm_text_left(&msh->text), bytes = msh->text.binary ? binary_bytes : text_bytes;
	if (count < 0)
		return lm_text_fail(&msh->text, "%s is negative: %" PRId64, what, count);
	if ((uint64_t)count > (left + 1) / bytes) // the last line may lack its end
		return lm_text_fail(&msh->text,
		                    "%s is %" PRId64 ", but only %zu bytes follow: the file is cut off or the count wrong",
		                    what, count, left);
	return LM_OK;
}

lm_status lm_msh_count(lm_msh* msh, const char* what, size_t text_bytes, size_t binary_bytes, int64_t* count)
{
	lm_status status = lm_msh_size(msh, what, count);
	return status == LM_OK ? check_count(msh, what, *count, text_bytes, binary_bytes) : status;
}

lm_status lm_msh_text_count(lm_msh* msh, const char* what, size_t text_bytes, size_t binary_bytes, int64_t* count)
{
	lm_text_space(&msh->text);
	lm_status status = lm_text_integer(&msh->text, what, count);
	lm_text_next_line(&msh->text);
	return status == LM_OK ? check_count(msh, what, *count, text_bytes, binary_bytes) : status;
}

// ---- nodes

uint64_t lm_msh_hash(lm_msh_key key)
{
	return lm_hash(LM_HASH_START, &key, sizeof key);
}

static bool same_tag(const void* context, int32_t item, const void* key)
{
	return ((const lm_msh*)context)->tags[item] == *(const int64_t*)key;
}

int32_t lm_msh_vertex(const lm_msh* msh, int64_t tag)
{
	if (!msh->tags_go_up)
		return lm_lookup_find(&msh->tag_lookup, lm_hash(LM_HASH_START, &tag, sizeof tag), &tag, same_tag, msh);
	if (tag < msh->tags[0] || tag - msh->tags[0] >= msh->build.vertex_count)
		return -1;
	return (int32_t)(tag - msh->tags[0]);
}

static lm_status add_node(lm_msh* msh, int64_t index, int64_t tag, int64_t extra)
{
	double position[3], ignored;
	lm_status status = LM_OK;
	for (int i = 0; i < 3 && status == LM_OK; ++i)
		status = lm_msh_double(msh, "a coordinate of a node", &position[i]);
	for (int64_t i = 0; i < extra && status == LM_OK; ++i)
		status = lm_msh_double(msh, "a parameter of a node", &ignored);
	if (status != LM_OK)
		return status;
	if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
		return lm_text_fail_element(&msh->text, index, "the position of node %" PRId64 " is not finite", tag);
	return lm_build_vertex(&msh->build, position);
}

// Tags must be positive, which also keeps their differences from overflowing.
static lm_status read_tag(lm_msh* msh, int64_t index, bool is_int)
{
	int64_t tag = 0;
	lm_status status =
		is_int ? lm_msh_int(msh, "the number of a node", &tag) : lm_msh_size(msh, "the tag of a node", &tag);
	if (status == LM_OK && tag < 0)
		status = lm_text_fail(&msh->text, "the tag of a node is negative: %" PRId64, tag);
	if (status == LM_OK)
		msh->tags[index] = tag;
	return status;
}

static lm_status read_nodes_2(lm_msh* msh, int64_t count)
{
	lm_status status = LM_OK;
	for (int64_t i = 0; i < count && status == LM_OK; ++i)
	{
		status = read_tag(msh, i, true);
		if (status == LM_OK)
			status = add_node(msh, i, msh->tags[i], 0);
	}
	return status;
}

static lm_status read_node_block(lm_msh* msh, int64_t total)
{
	int64_t dimension = 0, entity, parametric = 0, count = 0, first = msh->build.vertex_count;
	lm_status status = lm_msh_int(msh, "the dimension of an entity", &dimension);
	if (status == LM_OK)
		status = lm_msh_int(msh, "the tag of an entity", &entity);
	if (status == LM_OK)
		status = lm_msh_int(msh, "the mark of parametric nodes", &parametric);
	if (status == LM_OK)
		status = lm_msh_count(msh, "the number of nodes in a block", 8, 32, &count);
	if (status == LM_OK && (dimension < 0 || dimension > 3))
		status = lm_text_fail(&msh->text, "the dimension of an entity must be 0 to 3, not %" PRId64, dimension);
	if (status == LM_OK && count > total - first)
		status = lm_text_fail(&msh->text, "the blocks hold more nodes than the %" PRId64 " announced", total);
	for (int64_t i = 0; i < count && status == LM_OK; ++i)
		status = read_tag(msh, first + i, false);
	for (int64_t i = 0; i < count && status == LM_OK; ++i)
		status = add_node(msh, first + i, msh->tags[first + i], parametric != 0 ? dimension : 0);
	return status;
}

static lm_status read_nodes_4(lm_msh* msh, int64_t blocks, int64_t count)
{
	lm_status status = LM_OK;
	for (int64_t i = 0; i < blocks && status == LM_OK; ++i)
		status = read_node_block(msh, count);
	if (status == LM_OK && msh->build.vertex_count != count)
		status = lm_text_fail(&msh->text, "%" PRId64 " nodes were announced, %d came", count, msh->build.vertex_count);
	return status;
}

static lm_status index_tags(lm_msh* msh)
{
	int32_t count = msh->build.vertex_count;
	msh->tags_go_up = true;
	for (int32_t i = 1; i < count && msh->tags_go_up; ++i)
		msh->tags_go_up = msh->tags[i] - msh->tags[0] == i;
	for (int32_t i = 0; i < count && !msh->tags_go_up; ++i)
	{
		uint64_t hash = lm_hash(LM_HASH_START, &msh->tags[i], sizeof(int64_t));
		if (lm_lookup_find(&msh->tag_lookup, hash, &msh->tags[i], same_tag, msh) >= 0)
			return lm_text_fail(&msh->text, "there are two nodes with the tag %" PRId64, msh->tags[i]);
		if (!lm_lookup_add(&msh->tag_lookup, hash))
			return lm_fail_memory(msh->text.error);
	}
	return LM_OK;
}

static lm_status read_nodes(lm_msh* msh)
{
	int64_t blocks = 0, count = 0, ignored;
	lm_status status;
	if (msh->has_nodes)
		return lm_text_fail(&msh->text, "there is a second $Nodes section");
	msh->has_nodes = true;
	if (msh->version == 2)
		status = lm_msh_text_count(msh, "the number of nodes", 8, 28, &count);
	else
	{
		status = lm_msh_count(msh, "the number of blocks", 8, 20, &blocks);
		if (status == LM_OK)
			status = lm_msh_count(msh, "the number of nodes", 8, 32, &count);
		for (int i = 0; i < 2 && status == LM_OK; ++i)
			status = lm_msh_size(msh, "a tag of a node", &ignored);
	}
	if (status == LM_OK && count > LM_BUILD_LIMIT)
		status = lm_text_fail(&msh->text, "has %" PRId64 " nodes, the limit is %d", count, LM_BUILD_LIMIT);
	if (status == LM_OK)
		status = lm_build_reserve(&msh->build, count, 0, 0, 0);
	if (status == LM_OK && (msh->tags = LM_NEW(&msh->build.host, count, int64_t)) == NULL)
		status = lm_fail_memory(msh->text.error);
	if (status == LM_OK)
		status = msh->version == 2 ? read_nodes_2(msh, count) : read_nodes_4(msh, blocks, count);
	return status == LM_OK ? index_tags(msh) : status;
}

// ---- sections

static lm_status read_format(lm_msh* msh)
{
	lm_text* text = &msh->text;
	if (msh->has_format)
		return lm_text_fail(text, "there is a second $MeshFormat section");
	lm_word version = lm_text_word(text);
	if (lm_word_is(version, "4.1"))
		msh->version = 4;
	else if (version.length > 0 && version.start[0] == '2' && (version.length == 1 || version.start[1] == '.'))
		msh->version = 2;
	else
	{
		text->next = version.start;
		return lm_text_fail(text, "version %s cannot be read; save the mesh in version 2.2 or 4.1",
		                    lm_text_quote(text).text);
	}
	int64_t kind = 0, size = 0;
	lm_status status = lm_text_integer(text, "the file type", &kind);
	if (status == LM_OK)
		status = lm_text_integer(text, "the data size", &size);
	if (status == LM_OK && ((kind != 0 && kind != 1) || size != 8))
		status = lm_text_fail(text, "the file type must be 0 or 1 and the data size 8");
	lm_text_next_line(text);
	msh->has_format = true;
	if (status != LM_OK || kind == 0)
		return status;
	const unsigned char* one = NULL;
	text->binary = true;
	status = take(msh, 4, &one);
	if (status != LM_OK)
		return status;
	msh->big_endian = lm_load_32(one, true) == 1;
	if (!msh->big_endian && lm_load_32(one, false) != 1)
		return lm_text_fail(text, "the number behind the format must be 1 in either byte order");
	return LM_OK;
}

static bool starts_with(const char* text, const char* end, const char* word, size_t length)
{
	return (size_t)(end - text) >= length && memcmp(text, word, length) == 0;
}

// Behind the line "$EndName". In a section that was read it must come next; others are passed over.
static lm_status end_section(lm_msh* msh, lm_word name, bool skip)
{
	lm_text* text = &msh->text;
	lm_text_space(text);
	for (;;)
	{
		const char* p = text->next;
		if (starts_with(p, text->end, "$End", 4) && starts_with(p + 4, text->end, name.start, name.length))
			break;
		if (!skip)
			return lm_text_fail(text, "expected $End%.*s, found %s", (int)(name.length < 40 ? name.length : 40),
			                    name.start, lm_text_quote(text).text);
		const char* dollar = p < text->end ? memchr(p + 1, '$', (size_t)(text->end - p - 1)) : NULL;
		if (dollar == NULL)
			return lm_text_fail(text, "the file ends before $End%.*s", (int)(name.length < 40 ? name.length : 40),
			                    name.start);
		for (; p < dollar; ++p)
			text->line += *p == '\n';
		text->next = dollar;
	}
	lm_text_next_line(text);
	return LM_OK;
}

static lm_status read_section(lm_msh* msh)
{
	lm_text* text = &msh->text;
	if (*text->next != '$')
		return lm_text_fail(text, "expected a section such as $Nodes, found %s", lm_text_quote(text).text);
	++text->next;
	lm_word name = lm_text_word(text);
	lm_text_next_line(text);
	bool format = lm_word_is(name, "MeshFormat"), skip = false;
	lm_status status = LM_OK;
	if (!format && !msh->has_format && !lm_word_is(name, "Comments"))
		return lm_text_fail(text, "this is no Gmsh file: it does not start with $MeshFormat");
	if (format)
		status = read_format(msh);
	else if (lm_word_is(name, "PhysicalNames"))
		status = lm_msh_physical_names(msh);
	else if (lm_word_is(name, "Entities") && msh->version == 4)
		status = lm_msh_entities(msh);
	else if (lm_word_is(name, "Nodes"))
		status = read_nodes(msh);
	else if (lm_word_is(name, "Elements"))
		status = lm_msh_elements(msh);
	else
		skip = true;
	return status == LM_OK ? end_section(msh, name, skip) : status;
}

static void release(lm_msh* msh)
{
	lm_host host = msh->build.host;
	lm_free(&host, msh->physical);
	lm_free(&host, msh->physical_groups);
	lm_free(&host, msh->entities);
	lm_free(&host, msh->entity_groups);
	lm_free(&host, msh->tags);
	lm_lookup_release(&msh->physical_lookup);
	lm_lookup_release(&msh->entity_lookup);
	lm_lookup_release(&msh->tag_lookup);
	lm_build_release(&msh->build);
}

lm_status lm_msh_parse(const lm_host* host, const char* path, const void* data, size_t size, lm_mesh** mesh,
                       lm_error* error)
{
	lm_msh msh = { .text = lm_text_open(path, data, size, error) };
	lm_build_init(&msh.build, path, host, error);
	lm_lookup_init(&msh.physical_lookup, host);
	lm_lookup_init(&msh.entity_lookup, host);
	lm_lookup_init(&msh.tag_lookup, host);
	lm_status status = LM_OK;
	for (lm_text_space(&msh.text); status == LM_OK && msh.text.next < msh.text.end; lm_text_space(&msh.text))
		status = read_section(&msh);
	if (status == LM_OK && !msh.has_nodes)
		status = lm_fail_at(error, LM_BAD_INPUT, path, "", "has no $Nodes section: it is cut off, or no Gmsh mesh");
	if (status == LM_OK && msh.element_count > 0 && msh.build.tet_count == 0 && msh.build.face_count == 0)
		status = lm_fail_at(error, LM_BAD_INPUT, path, "",
		                    "none of its %" PRId64
		                    " elements is a tetrahedron, triangle or quadrangle with straight edges (order 1)",
		                    msh.element_count);
	if (status == LM_OK)
		status = lm_build_finish(&msh.build, mesh);
	release(&msh);
	return status;
}
