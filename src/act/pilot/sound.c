// sound.c: whether a pilot that came from a checkpoint is one that could have been saved. Phases and feet are places in
// lists, and the numbers between them steer the body.
#include "act/pilot/pilot.h"

#include <stddef.h>

#define MOST_PARTS 48
#define MOST_PHASE 1000000000 // phases of ambling count up

typedef struct part_list
{
	int count;
	lm_bytes parts[MOST_PARTS];
} part_list;

static void add(part_list* list, lm_bytes part)
{
	if (list->count < MOST_PARTS)
		list->parts[list->count++] = part;
}

// The numbers of a state from `begin` to `end`, which are all doubles.
static void add_numbers(part_list* list, void* state, size_t begin, size_t end)
{
	add(list, lm_doubles_in((double*)(void*)((char*)state + begin), (end - begin) / sizeof(double), -1e12, 1e12));
}

#define TAIL(list, state, first) add_numbers(list, state, offsetof(__typeof__(*(state)), first), sizeof *(state))

static void list_simple(part_list* list, lm_act_pilot* p)
{
	add(list, lm_counts(&p->step, 1));
	add(list, lm_counts(&p->stand.step, 1));
	TAIL(list, &p->stand, place);
	add(list, lm_counts(&p->crawl.step, 1));
	add(list, lm_ints_in(&p->crawl.moving, 1, 0, 1));
	TAIL(list, &p->crawl, since);
	add(list, lm_counts(&p->hop.step, 1));
	add(list, lm_ints_in(&p->hop.phase, 1, LM_HOP_CROUCH, LM_HOP_LAND));
	add(list, lm_ints_in(&p->hop.landed, 1, 0, 1));
	add_numbers(list, &p->hop, offsetof(lm_hop_state, since), offsetof(lm_hop_state, pushed));
	add(list, lm_bools(&p->hop.pushed, 1));
	TAIL(list, &p->hop, gain);
	add(list, lm_bools(&p->fall.down, 1));
	TAIL(list, &p->fall, upright_for);
}

static void list_walks(part_list* list, lm_act_pilot* p)
{
	add(list, lm_bools(&p->walk.begun, 2)); // and standing
	add(list, lm_ints_in(&p->walk.stance, 1, 0, 1));
	add_numbers(list, &p->walk, offsetof(lm_walk_state, since), offsetof(lm_walk_state, steps));
	add(list, lm_ints_in(&p->walk.steps, 1, 0, MOST_PHASE));
	TAIL(list, &p->walk, centers);
	add(list, lm_bools(&p->space_walk.begun, 3)); // to hurried
	add(list, lm_ints_in(&p->space_walk.stance, 1, 0, 1));
	add(list, lm_ints_in(&p->space_walk.steps, 1, 0, MOST_PHASE));
	TAIL(list, &p->space_walk, since);
	add(list, lm_counts(&p->stride.step, 1));
	add(list, lm_bools(&p->stride.begun, 4)); // to arrived
	add(list, lm_ints_in(&p->stride.stance, 1, 0, 1));
	add(list, lm_ints_in(&p->stride.steps, 1, 0, MOST_PHASE));
	TAIL(list, &p->stride, since);
	add(list, lm_counts(&p->amble.step, 1));
	add(list, lm_bools(&p->amble.begun, 3)); // to trot
	add(list, lm_ints_in(&p->amble.phase, 1, -1, MOST_PHASE));
	TAIL(list, &p->amble, since);
}

static bool is_record_sound(lm_record_state* r)
{
	part_list list = { 0 };
	add_numbers(&list, &r->record, 0, offsetof(lm_act_record, hops));
	add(&list, lm_ints_in(&r->record.hops, 1, 0, INT32_MAX));
	add(&list, lm_bools(&r->record.toppled, 1));
	add_numbers(&list, &r->record, offsetof(lm_act_record, tilt_max), offsetof(lm_act_record, steps_verified));
	add(&list, lm_ints_in(&r->record.steps_verified, 1, 0, INT32_MAX));
	add_numbers(&list, &r->record, offsetof(lm_act_record, slip_max), offsetof(lm_act_record, fell));
	add(&list, lm_bools(&r->record.fell, 1));
	add(&list, lm_doubles_in(&r->record.fell_at, 1, 0, 1e12));
	add(&list, lm_ints_in(&r->record.got_up, 1, 0, INT32_MAX));
	add(&list, lm_bools(&r->begun, 3)); // to fallen
	add_numbers(&list, r, offsetof(lm_record_state, flight), offsetof(lm_record_state, feet));
	for (int k = 0; k < LM_ACT_FEET_MAX; ++k)
	{
		add(&list, lm_bools(&r->feet[k].known, 2)); // and down
		TAIL(&list, &r->feet[k], place);
	}
	return list.count < MOST_PARTS && lm_bytes_sound(list.parts, list.count);
}

bool lm_pilot_is_sound(lm_act_pilot* pilot)
{
	part_list list = { 0 };
	list_simple(&list, pilot);
	list_walks(&list, pilot);
	for (int e = 0; e < 2; ++e)
	{
		lm_foot* end = &pilot->ends[e];
		add(&list, lm_ints_in(&end->count, 1, 0, pilot->sole.count));
		if (pilot->sole.count > 0)
			add(&list, lm_ints_in(end->vertices, (size_t)pilot->sole.count, 0, pilot->vertex_count - 1));
	}
	return list.count < MOST_PARTS && lm_bytes_sound(list.parts, list.count) && is_record_sound(&pilot->record);
}
