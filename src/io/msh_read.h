// msh_read.h: what the parts of the Gmsh reader share. Numbers stand as text or as bytes behind the same calls.
#ifndef LM_IO_MSH_READ_H
#define LM_IO_MSH_READ_H

#include "io/build.h"
#include "io/text.h"

// An entity of the geometry, or a physical group: both are known by dimension and tag.
typedef struct lm_msh_key
{
	int64_t dimension, tag;
} lm_msh_key;

typedef struct lm_msh_entity
{
	lm_msh_key key;
	int32_t first_group, group_count; // in entity_groups
} lm_msh_entity;

typedef struct lm_msh
{
	lm_text text;
	lm_build build;
	bool has_format, big_endian; // text.binary says whether numbers are bytes
	int version;                 // 2 or 4
	// physical groups with a name
	lm_msh_key* physical;
	int32_t* physical_groups; // of the build
	size_t physical_capacity, physical_group_capacity;
	lm_lookup physical_lookup;
	// entities with their groups (of the build)
	lm_msh_entity* entities;
	size_t entity_capacity;
	lm_lookup entity_lookup;
	int32_t* entity_groups;
	size_t entity_group_capacity;
	int32_t entity_group_count;
	// tags of the nodes, in order
	int64_t* tags;
	size_t tag_capacity;
	bool has_nodes, tags_go_up; // tags are first, first + 1, ...
	lm_lookup tag_lookup;       // used when they are not
	int64_t element_count;      // of all kinds
} lm_msh;

// The next number. In a binary file an int has 4 bytes, a size 8.
lm_status lm_msh_int(lm_msh* msh, const char* what, int64_t* value);
lm_status lm_msh_size(lm_msh* msh, const char* what, int64_t* value);
lm_status lm_msh_double(lm_msh* msh, const char* what, double* value);
// A size that counts items of at least text_bytes or binary_bytes, which must be there.
lm_status lm_msh_count(lm_msh* msh, const char* what, size_t text_bytes, size_t binary_bytes, int64_t* count);
// A count that stands as text on its own line even in a binary file (version 2).
lm_status lm_msh_text_count(lm_msh* msh, const char* what, size_t text_bytes, size_t binary_bytes, int64_t* count);

uint64_t lm_msh_hash(lm_msh_key key);

// Sections, each from behind its $Name line up to its $End line.
lm_status lm_msh_physical_names(lm_msh* msh);
lm_status lm_msh_entities(lm_msh* msh);
lm_status lm_msh_elements(lm_msh* msh);

// Group (of the build) of a physical tag, -1 if it has no name; entity or NULL.
int32_t lm_msh_physical_group(const lm_msh* msh, int64_t dimension, int64_t tag);
const lm_msh_entity* lm_msh_find_entity(const lm_msh* msh, int64_t dimension, int64_t tag);
// Index of the vertex of that tag, or -1.
int32_t lm_msh_vertex(const lm_msh* msh, int64_t tag);

#endif
