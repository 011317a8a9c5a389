#include "act/joint.h"

#include "act/equation.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

static void release(lm_act_joint* joint, const lm_host* host)
{
	lm_cholesky_destroy(joint->cholesky);
	lm_pattern_destroy(joint->pattern);
	lm_free(host, joint->values);
	joint->cholesky = NULL, joint->pattern = NULL, joint->values = NULL;
	joint->key_count = 0, joint->factorized = false;
}

void lm_act_joint_release(lm_act_joint* joint, const lm_host* host)
{
	release(joint, host);
	lm_free(host, joint->key);
	lm_free(host, joint->wanted);
	lm_free(host, joint->pairs);
	*joint = (lm_act_joint){ 0 };
}

static bool couples(const lm_act_link* link)
{
	return link->body[0] >= 0 && link->body[1] >= 0;
}

static int64_t vertex_of(const lm_act_link* link, int32_t i)
{
	return link->base[i >= link->touch.own] / link->touch.dimension + link->touch.vertex[i];
}

// ---- guests

enum
{
	PARTS = 4 // along each side of a body's box
};

static bool has_proxy(const lm_act_system* s, const lm_act_link* link)
{
	return s->bodies[link->body[0]]->proxy || s->bodies[link->body[1]]->proxy;
}

static bool has_proxies(const lm_act_system* s)
{
	bool any = false;
	for (int32_t b = 0; b < s->count; ++b)
		any = any || s->bodies[b]->proxy;
	return any;
}

// The part of the box around a body at rest that a vertex is in.
static void part_of(const lm_act* body, const lm_act_joint_pair* pair, int32_t vertex, int part[3])
{
	for (int k = 0; k < 3; ++k)
	{
		double side = fmax(pair->high[k] - pair->low[k], 1e-300);
		double at = PARTS * (body->mesh->positions[3 * (int64_t)vertex + k] - pair->low[k]) / side;
		part[k] = at >= PARTS ? PARTS - 1 : (int)at;
	}
}

static uint64_t bit_of(int i, int j, int k)
{
	return UINT64_C(1) << ((k * PARTS + j) * PARTS + i);
}

// The part of a vertex and those beside it.
static uint64_t parts_around(const lm_act* body, const lm_act_joint_pair* pair, int32_t vertex)
{
	int part[3];
	uint64_t bits = 0;
	part_of(body, pair, vertex, part);
	for (int k = part[2] - 1; k <= part[2] + 1; ++k)
		for (int j = part[1] - 1; j <= part[1] + 1; ++j)
			for (int i = part[0] - 1; i <= part[0] + 1; ++i)
				if (i >= 0 && i < PARTS && j >= 0 && j < PARTS && k >= 0 && k < PARTS)
					bits |= bit_of(i, j, k);
	return bits;
}

static lm_act_joint_pair* pair_of(const lm_act_system* s, lm_act_joint* joint, int32_t body, int32_t proxy,
                                  const lm_host* host)
{
	const lm_act* own = s->bodies[body];
	for (int32_t p = 0; p < joint->pair_count; ++p)
		if (joint->pairs[p].body == body && joint->pairs[p].proxy == proxy)
			return &joint->pairs[p];
	if (!lm_grow(host, (void**)&joint->pairs, &joint->pair_capacity, (size_t)joint->pair_count + 1,
	             sizeof *joint->pairs))
		return NULL;
	lm_act_joint_pair* pair = &joint->pairs[joint->pair_count++];
	*pair = (lm_act_joint_pair){ .body = body, .proxy = proxy, .parts = own->proxy ? UINT64_MAX : 0 };
	lm_mesh_bounds(own->mesh->positions, own->vertex_count, pair->low, pair->high);
	return pair;
}

static bool list_pairs(const lm_act_system* s, lm_act_joint* joint, const lm_host* host)
{
	joint->pair_count = 0;
	for (int64_t k = 0; k < s->link_count; ++k)
	{
		const lm_act_link* link = &s->links[k];
		const lm_spring_touch* t = &link->touch;
		if (!couples(link) || !has_proxy(s, link))
			continue;
		int side = s->bodies[link->body[0]]->proxy; // of the other body, which may be a proxy, too
		const lm_act* body = s->bodies[link->body[side]];
		lm_act_joint_pair* pair = pair_of(s, joint, link->body[side], link->body[!side], host);
		if (pair == NULL)
			return false;
		for (int32_t i = side ? t->own : 0; i < (side ? t->count : t->own) && !body->proxy; ++i)
			pair->parts |= parts_around(body, pair, t->vertex[i]);
	}
	return true;
}

// ---- the pattern

// Whether the vertices of a link are in the pattern by themselves.
static bool is_listed(const lm_act_system* s, const lm_act_link* link)
{
	return couples(link) && !has_proxy(s, link);
}

// What the pattern depends on: the terms of the bodies, pairs with guests, and the vertices of the other links between
// them. Returns how many numbers.
static int64_t describe(const lm_act_system* s, const lm_act_joint* joint, int64_t* wanted)
{
	int64_t at = 0;
	wanted[at++] = joint->rough;
	for (int32_t b = 0; b < s->count; ++b)
	{
		wanted[at++] = (int64_t)s->bodies[b]->physics->fingerprint;
		wanted[at++] = s->bodies[b]->unknowns;
	}
	for (int32_t p = 0; p < joint->pair_count; ++p)
	{
		wanted[at++] = joint->pairs[p].body, wanted[at++] = joint->pairs[p].proxy;
		wanted[at++] = (int64_t)joint->pairs[p].parts;
	}
	for (int64_t k = 0; k < s->link_count; ++k)
		for (int32_t i = 0; i < s->links[k].touch.count && is_listed(s, &s->links[k]); ++i)
			wanted[at++] = i == 0 ? -1 - vertex_of(&s->links[k], i) : vertex_of(&s->links[k], i);
	return at;
}

// Elements of the pattern: the terms of each body, then the links.
typedef struct elements
{
	lm_element_list* lists;
	int list_count;
	int32_t *index, *start; // of bodies behind the first, and of links
} elements;

static void add_body(const lm_act_system* s, int32_t b, elements* e, int64_t* used, int64_t* element)
{
	lm_element_list lists[2];
	int count = lm_elastic_lists(s->bodies[b]->elastic, false, lists);
	int32_t base = (int32_t)(s->base[b] / s->bodies[b]->dimension);
	s->first[b] = *element;
	for (int k = 0; k < count; ++k)
	{
		int64_t numbers = lists[k].count * lists[k].size;
		for (int64_t i = 0; i < numbers; ++i)
			e->index[*used + i] = base + lists[k].index[i];
		lists[k].index = e->index + *used;
		e->lists[e->list_count++] = lists[k];
		*used += numbers;
		*element += lists[k].count;
	}
}

// An element of the vertices that are added behind the others.
static void end_element(elements* e, int64_t* count, int32_t vertices)
{
	e->start[*count + 1] = e->start[*count] + vertices;
	++*count;
}

// A vertex of the body with the four points of the proxy, for each that may touch.
static void add_pair(const lm_act_system* s, const lm_act_joint_pair* pair, elements* e, int32_t* index, int64_t* count)
{
	const lm_act* body = s->bodies[pair->body];
	int32_t base = (int32_t)(s->base[pair->body] / body->dimension);
	int32_t points = (int32_t)(s->base[pair->proxy] / body->dimension);
	int part[3];
	for (int32_t v = 0; v < body->vertex_count; ++v)
	{
		part_of(body, pair, v, part);
		if (!(pair->parts & bit_of(part[0], part[1], part[2])))
			continue;
		int32_t* element = index + e->start[*count];
		element[0] = base + v;
		for (int n = 0; n < 4; ++n)
			element[1 + n] = points + n;
		end_element(e, count, 5);
	}
}

static void add_links(const lm_act_system* s, const lm_act_joint* joint, elements* e, int64_t used)
{
	int64_t count = 0;
	int32_t* index = e->index + used;
	e->start[0] = 0;
	for (int32_t p = 0; p < joint->pair_count; ++p)
		add_pair(s, &joint->pairs[p], e, index, &count);
	for (int64_t k = 0; k < s->link_count; ++k)
	{
		const lm_act_link* link = &s->links[k];
		if (!is_listed(s, link))
			continue;
		for (int32_t i = 0; i < link->touch.count; ++i)
			index[e->start[count] + i] = (int32_t)vertex_of(link, i);
		end_element(e, &count, link->touch.count);
	}
	e->lists[e->list_count++] =
		(lm_element_list){ .count = count, .index = index, .start = e->start, .block = s->bodies[0]->dimension };
}

// Elements of all pairs, at most.
static int64_t count_pairs(const lm_act_system* s, const lm_act_joint* joint)
{
	int64_t count = 0;
	for (int32_t p = 0; p < joint->pair_count; ++p)
		count += s->bodies[joint->pairs[p].body]->vertex_count;
	return count;
}

static int64_t count_numbers(const lm_act_system* s, const lm_act_joint* joint)
{
	int64_t numbers = LM_TOUCH_VERTICES * s->link_count + 5 * count_pairs(s, joint);
	for (int32_t b = 0; b < s->count; ++b)
	{
		lm_element_list lists[2];
		int count = lm_elastic_lists(s->bodies[b]->elastic, false, lists);
		for (int k = 0; k < count; ++k)
			numbers += lists[k].count * lists[k].size;
	}
	return numbers;
}

static lm_status analyse(lm_act_system* s, lm_act_joint* joint, const lm_host* host, lm_error* error)
{
	elements e = { .lists = LM_NEW(host, 2 * s->count + 1, lm_element_list),
		           .index = LM_NEW(host, count_numbers(s, joint), int32_t),
		           .start = LM_NEW(host, s->link_count + count_pairs(s, joint) + 1, int32_t) };
	lm_status status = LM_OK;
	if (e.lists == NULL || e.index == NULL || e.start == NULL)
		status = lm_fail_memory(error);
	if (status == LM_OK)
	{
		int64_t used = 0, element = 0;
		for (int32_t b = 0; b < s->count; ++b)
			add_body(s, b, &e, &used, &element);
		add_links(s, joint, &e, used);
		status = lm_pattern_create(s->n, true, e.lists, e.list_count, host, &joint->pattern, error);
	}
	if (status == LM_OK)
		status = lm_cholesky_create(joint->pattern, joint->rough ? LM_CHOLESKY_LDL_SINGLE : LM_CHOLESKY_LL, host,
		                            &joint->cholesky, error);
	if (status == LM_OK)
	{
		joint->values = LM_NEW(host, joint->pattern->entries, double);
		status = joint->values != NULL ? LM_OK : lm_fail_memory(error);
	}
	lm_free(host, e.lists), lm_free(host, e.index), lm_free(host, e.start);
	return status;
}

// Where each body's terms begin in a pattern that is kept.
static void count_elements(lm_act_system* s)
{
	int64_t element = 0;
	for (int32_t b = 0; b < s->count; ++b)
	{
		s->first[b] = element;
		element += lm_elastic_term_count(s->bodies[b]->elastic);
	}
}

lm_status lm_act_joint_prepare(lm_act_system* s, lm_error* error)
{
	const lm_host* host = &s->bodies[0]->host;
	lm_act_joint* joint = &s->bodies[0]->physics->joint;
	if (!list_pairs(s, joint, host))
		return lm_fail_memory(error);
	joint->rough = has_proxies(s);
	size_t most = 1 + 2 * (size_t)s->count + 3 * (size_t)joint->pair_count + LM_TOUCH_VERTICES * (size_t)s->link_count;
	if (!lm_grow(host, (void**)&joint->wanted, &joint->wanted_capacity, most, sizeof *joint->wanted) ||
	    !lm_grow(host, (void**)&joint->key, &joint->key_capacity, most, sizeof *joint->key))
		return lm_fail_memory(error);
	int64_t count = describe(s, joint, joint->wanted);
	size_t bytes = (size_t)count * sizeof *joint->key;
	if (count != joint->key_count || memcmp(joint->key, joint->wanted, bytes) != 0)
	{
		release(joint, host);
		lm_status status = analyse(s, joint, host, error);
		if (status != LM_OK)
		{
			release(joint, host);
			return status;
		}
		memcpy(joint->key, joint->wanted, bytes);
		joint->key_count = count;
	}
	count_elements(s);
	s->pattern = joint->pattern;
	s->values = joint->values;
	s->cholesky = joint->cholesky;
	s->rough = joint->rough;
	return LM_OK;
}
