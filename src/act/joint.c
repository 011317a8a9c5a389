#include "act/joint.h"

#include "act/equation.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static void release(lm_act_joint* joint, const lm_host* host)
{
	lm_cholesky_destroy(joint->cholesky);
	lm_pattern_destroy(joint->pattern);
	lm_free(host, joint->values);
	joint->cholesky = NULL, joint->pattern = NULL, joint->values = NULL;
	joint->key_count = 0;
}

void lm_act_joint_release(lm_act_joint* joint, const lm_host* host)
{
	release(joint, host);
	lm_free(host, joint->key);
	lm_free(host, joint->wanted);
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

// What the pattern depends on: the terms of the bodies, and the vertices of the links between them. Returns how many
// numbers.
static int64_t describe(const lm_act_system* s, int64_t* wanted)
{
	int64_t at = 0;
	for (int32_t b = 0; b < s->count; ++b)
	{
		wanted[at++] = (int64_t)s->bodies[b]->physics->fingerprint;
		wanted[at++] = s->bodies[b]->unknowns;
	}
	for (int64_t k = 0; k < s->link_count; ++k)
		for (int32_t i = 0; i < s->links[k].touch.count && couples(&s->links[k]); ++i)
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

static void add_links(const lm_act_system* s, elements* e, int64_t used)
{
	int64_t count = 0;
	int32_t* index = e->index + used;
	e->start[0] = 0;
	for (int64_t k = 0; k < s->link_count; ++k)
	{
		const lm_act_link* link = &s->links[k];
		if (!couples(link))
			continue;
		for (int32_t i = 0; i < link->touch.count; ++i)
			index[e->start[count] + i] = (int32_t)vertex_of(link, i);
		e->start[count + 1] = e->start[count] + link->touch.count;
		++count;
	}
	e->lists[e->list_count++] =
		(lm_element_list){ .count = count, .index = index, .start = e->start, .block = s->bodies[0]->dimension };
}

static int64_t count_numbers(const lm_act_system* s)
{
	int64_t numbers = LM_TOUCH_VERTICES * s->link_count;
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
		           .index = LM_NEW(host, count_numbers(s), int32_t),
		           .start = LM_NEW(host, s->link_count + 1, int32_t) };
	lm_status status = LM_OK;
	if (e.lists == NULL || e.index == NULL || e.start == NULL)
		status = lm_fail_memory(error);
	if (status == LM_OK)
	{
		int64_t used = 0, element = 0;
		for (int32_t b = 0; b < s->count; ++b)
			add_body(s, b, &e, &used, &element);
		add_links(s, &e, used);
		status = lm_pattern_create(s->n, true, e.lists, e.list_count, host, &joint->pattern, error);
	}
	if (status == LM_OK)
		status = lm_cholesky_create(joint->pattern, LM_CHOLESKY_LL, host, &joint->cholesky, error);
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
	size_t most = 2 * (size_t)s->count + LM_TOUCH_VERTICES * (size_t)s->link_count;
	if (!lm_grow(host, (void**)&joint->wanted, &joint->wanted_capacity, most, sizeof *joint->wanted) ||
	    !lm_grow(host, (void**)&joint->key, &joint->key_capacity, most, sizeof *joint->key))
		return lm_fail_memory(error);
	int64_t count = describe(s, joint->wanted);
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
	return LM_OK;
}
