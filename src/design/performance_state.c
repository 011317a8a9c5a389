// performance_state.c: how far a performance has come, as bytes.
#include "design/performance.h"

#include "base/error.h"

static void list_performer(const lm_design_performer* performer, lm_bytes parts[5])
{
	lm_design_performer* a = (lm_design_performer*)performer; // the list is also used for loading
	size_t n = 3 * (size_t)a->course.model->node_count, points = (size_t)a->course.model->point_count;
	_Static_assert(sizeof *a->ease == 7 * sizeof(double), "numbers alone");
	parts[0] = lm_ints_in(&a->part, 1, 0, a->part_count - 1);
	parts[1] = lm_doubles(&a->released, 1);
	parts[2] = lm_doubles(a->faded, n), parts[3] = lm_doubles(a->middle_before, n);
	parts[4] = lm_doubles((double*)a->ease, 7 * points);
}

static void list_span(const lm_design_performance* performance, lm_bytes parts[7])
{
	lm_design_performance* p = (lm_design_performance*)performance;
	parts[0] = lm_bools(&p->span.begun, 1), parts[1] = lm_doubles_in(&p->span.begin, 1, 0, 1e12);
	parts[2] = lm_doubles_in(&p->span.end, 1, 0, 1e12), parts[3] = lm_doubles_in(&p->span.at, 1, 0, 1e12);
	parts[4] = lm_counts(&p->span.steps, 1), parts[5] = lm_counts(&p->span.taken, 1);
	parts[6] = lm_counts(&p->moments, 1);
}

// What the solvers have counted and measured.
bool lm_design_performance_is_report_sound(lm_design_performance_report* report)
{
	lm_design_motion_report* r = &report->motion;
	const lm_bytes parts[] = {
		lm_counts(&r->variables, 1),
		lm_ints_in(&r->frames_inserted, 1, 0, INT32_MAX),
		lm_ints_in(&r->rounds, 1, 0, INT32_MAX),
		lm_ints_in(&r->iterations, 1, 0, INT32_MAX),
		lm_ints_in(&r->evaluations, 1, 0, INT32_MAX),
		lm_doubles(&r->energy, 1),
		lm_doubles(&r->key_error, 1),
		lm_doubles(&r->obstacle_depth, 1),
		lm_doubles(&r->pair_depth, 1),
		lm_bools(&r->collision_free, 1),
		lm_doubles(&r->seconds, 1),
		lm_doubles(&report->simulate_seconds, 1),
	};
	return lm_bytes_sound(parts, sizeof parts / sizeof *parts);
}

void lm_design_performance_save_run(const lm_design_performance* p, lm_blob* blob)
{
	lm_bytes parts[7];
	list_span(p, parts);
	lm_bytes_put(parts, 7, blob);
	lm_blob_put(blob, &p->report, sizeof p->report);
	for (int32_t o = 0; o < p->count; ++o)
	{
		list_performer(&p->performers[o], parts);
		lm_bytes_put(parts, 5, blob);
		lm_blob_put(blob, &p->performers[o].report, sizeof p->performers[o].report);
	}
	lm_design_sim_save(p->sim, blob);
}

lm_status lm_design_performance_load_run(lm_design_performance* p, lm_blob* blob, lm_error* error)
{
	lm_bytes parts[7];
	list_span(p, parts);
	lm_bytes_get(parts, 7, blob);
	lm_blob_get(blob, &p->report, sizeof p->report);
	bool good = lm_design_performance_is_report_sound(&p->report);
	for (int32_t o = 0; o < p->count; ++o)
	{
		list_performer(&p->performers[o], parts);
		lm_bytes_get(parts, 5, blob);
		lm_blob_get(blob, &p->performers[o].report, sizeof p->performers[o].report);
		good = good && lm_design_performance_is_report_sound(&p->performers[o].report);
		p->stage->bodies[o].from = 0;
	}
	const lm_design_span* s = &p->span;
	good = good && s->begin <= s->at && (!s->begun || s->at <= s->end) && s->taken <= s->steps;
	if (blob->failed || !good)
		return lm_fail(error, LM_BAD_INPUT, "the checkpoint's performance is damaged");
	return lm_design_sim_load(p->sim, blob, error);
}

// Whether the motion of an object is known where it is in its performance.
static bool has_piece(const lm_design_performance* p, const lm_design_performer* performer)
{
	const lm_design_course* course = &performer->course;
	const lm_design_course_piece* last = &course->pieces[course->count - 1];
	bool simulated = lm_design_performer_is_simulated(performer);
	return !p->span.begun || (last->designed == !simulated && (!simulated || last->recording.count > 0));
}

// Of one that is finished only what is played is left, and what is told.
static void put_reports(const lm_design_performance* p, lm_blob* blob)
{
	lm_blob_put(blob, &p->report, sizeof p->report);
	for (int32_t o = 0; o < p->count; ++o)
		lm_blob_put(blob, &p->performers[o].report, sizeof p->performers[o].report);
}

static lm_status get_reports(lm_design_performance* p, lm_blob* blob, lm_error* error)
{
	lm_blob_get(blob, &p->report, sizeof p->report);
	bool good = lm_design_performance_is_report_sound(&p->report);
	for (int32_t o = 0; o < p->count; ++o)
	{
		lm_blob_get(blob, &p->performers[o].report, sizeof p->performers[o].report);
		good = good && lm_design_performance_is_report_sound(&p->performers[o].report);
	}
	return good && !blob->failed ? LM_OK : lm_fail(error, LM_BAD_INPUT, "the checkpoint's performance is damaged");
}

void lm_design_performance_save(const lm_design_performance* p, lm_blob* blob)
{
	if (p->finished)
		put_reports(p, blob);
	else
		lm_design_performance_save_run(p, blob);
	for (int32_t o = 0; o < p->count; ++o)
		lm_design_course_save(&p->performers[o].course, blob);
}

lm_status lm_design_performance_load(lm_design_performance* p, lm_blob* blob, lm_error* error)
{
	lm_status status = p->finished ? get_reports(p, blob, error) : lm_design_performance_load_run(p, blob, error);
	for (int32_t o = 0; o < p->count && status == LM_OK; ++o)
	{
		lm_design_performer* performer = &p->performers[o];
		lm_design_course_release(&performer->course);
		status = lm_design_course_load(&performer->course, blob, error);
		if (status == LM_OK && !p->finished && !has_piece(p, performer))
			status = lm_fail(error, LM_BAD_INPUT, "the checkpoint's performance is damaged");
	}
	return status;
}
