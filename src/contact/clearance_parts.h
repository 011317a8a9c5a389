// clearance_parts.h: the inside of lm_clearance, shared by the files that create, search and sum.
#ifndef LM_CONTACT_CLEARANCE_PARTS_H
#define LM_CONTACT_CLEARANCE_PARTS_H

#include "contact/box_blocks.h"
#include "contact/clearance.h"

#define LM_CLEARANCE_PARTS 16 // of a search, each with lists of its own

// Points, edges or triangles; boxes of those with a free vertex, and of the others (obstacles).
typedef struct lm_primitives
{
	int corners;
	int32_t count;
	int32_t* vertices; // count x corners
	lm_box_blocks free, fixed;
} lm_primitives;

typedef struct lm_candidate
{
	lm_close_pair pair;
	double D; // where the search was
} lm_candidate;

typedef struct lm_candidate_list
{
	int64_t count, capacity;
	lm_candidate* items;
	bool full; // out of memory
} lm_candidate_list;

typedef struct lm_pair_list
{
	int32_t count, capacity;
	lm_close_pair* items;
	bool full;
} lm_pair_list;

// What a search found; see clearance_search.c.
typedef struct lm_candidates
{
	bool among_free;      // pairs of free primitives; or of free ones with others
	bool known;           // there has been a search, or there is nothing to search
	int32_t vertex_count; // the vertices that matter are the first so many
	double reach, slack;
	double *from, *path; // [3 vertex_count] the path that was searched: from + s path, 0 <= s <= 1, and all together
	double* moved;       // [vertex_count] scratch: how far each vertex is from where the path begins
	lm_candidate_list lists[LM_CLEARANCE_PARTS];
} lm_candidates;

struct lm_clearance
{
	lm_host host;
	int32_t vertex_count, free;
	bool ignore_self;
	int32_t body_count;
	int32_t* bodies; // or NULL
	bool* apart;
	const bool* let_through; // [vertex_count] or NULL
	lm_primitives points, edges, triangles;
	double* fades; // [edges.count] squared lengths at rest
	double* rest;  // [3 free] or NULL
	lm_candidates own, others;
	int64_t searches;

	lm_pair_list parts[2 * LM_CLEARANCE_PARTS];
	lm_pair_list pairs;
	double* found_at; // [3 vertex_count] the pairs found are all those closer than found_reach here
	double found_reach;
	double* forces; // [pairs.capacity x 12]
	double* partials;
};

// Forces and sums of as many pairs as the list has room for; false, and no room for any, when memory is short.
bool lm_clearance_room_for_pairs(lm_clearance* clearance);

#endif
