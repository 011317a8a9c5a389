// ply_header.h: what the header of a PLY file says about the data behind it.
#ifndef LM_IO_PLY_HEADER_H
#define LM_IO_PLY_HEADER_H

#include "io/text.h"

typedef enum lm_ply_type
{
	LM_PLY_INT8,
	LM_PLY_UINT8,
	LM_PLY_INT16,
	LM_PLY_UINT16,
	LM_PLY_INT32,
	LM_PLY_UINT32,
	LM_PLY_FLOAT,
	LM_PLY_DOUBLE
} lm_ply_type;

typedef enum lm_ply_role
{
	LM_PLY_X,
	LM_PLY_Y,
	LM_PLY_Z,
	LM_PLY_NX, // nx, ny and nz of vertices
	LM_PLY_NY,
	LM_PLY_NZ,
	LM_PLY_CORNERS, // vertex_indices or vertex_index
	LM_PLY_PAINT,   // of vertices: a number that may be a weight 0 .. 1, or a colour
	LM_PLY_OTHER
} lm_ply_role;

#define LM_PLY_NAME 64 // longest name of paint, with its end

typedef struct lm_ply_property
{
	lm_ply_type type; // of the value, or of the items of a list
	lm_ply_type count_type;
	bool list;
	lm_ply_role role;
	char name[LM_PLY_NAME]; // of paint
} lm_ply_property;

typedef enum lm_ply_kind
{
	LM_PLY_VERTEX,
	LM_PLY_FACE,
	LM_PLY_UNUSED
} lm_ply_kind;

typedef struct lm_ply_element
{
	lm_ply_kind kind;
	int64_t count;
	int first, property_count; // in properties
} lm_ply_element;

#define LM_PLY_ELEMENTS 32
#define LM_PLY_PROPERTIES 512

typedef struct lm_ply_header
{
	bool ascii, big_endian;
	int element_count, property_count;
	lm_ply_element elements[LM_PLY_ELEMENTS];
	lm_ply_property properties[LM_PLY_PROPERTIES];
} lm_ply_header;

int lm_ply_size(lm_ply_type type); // bytes in a binary file

// Leaves the cursor at the first byte of the data. The elements' counts are checked against the bytes that follow.
lm_status lm_ply_read_header(lm_text* text, lm_ply_header* header);

#endif
