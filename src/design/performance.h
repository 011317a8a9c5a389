// performance.h: the inside of lm_design_performance: who is designed and who is simulated when, and the state while
// all of it is found in the order of time.
#ifndef LM_DESIGN_PERFORMANCE_H
#define LM_DESIGN_PERFORMANCE_H

#include "design/course.h"
#include "design/secondary.h"

// A stretch of time in which an object is designed, or simulated.
typedef struct lm_design_part
{
	double begin, end;
	bool designed;
} lm_design_part;

typedef struct lm_design_performer
{
	const lm_design_performance_object* object; // borrowed while it is found
	int32_t part_count;
	lm_design_part* parts;
	int32_t part;                       // the one that is going on
	lm_design_motion_key* keys;         // of the part that is begun: shifted, with the state that it starts from
	double* state;                      // nodes and velocities, metres
	double* faded;                      // [nodes x 3] acceleration that is let go of, own lengths / s^2
	lm_design_prestrain *ease, *easing; // the pose that is let go of; what is left of it
	double released;                    // when
	double* middle_before;              // [nodes x 3] velocities in the middle of the last step but one
	lm_design_course course;
	lm_design_performance_report report;
} lm_design_performer;

// A time between two changes of any object: who is designed in it and who is simulated stays so.
typedef struct lm_design_span
{
	bool begun; // what is designed from its beginning on is known
	double begin, end;
	int64_t steps, taken; // of the simulation, as planned for all of it; 0: nothing is simulated
	double at;            // where the simulation has come to
} lm_design_span;

struct lm_design_performance
{
	lm_host host;
	lm_design_performance_settings settings;
	double start;
	const lm_colliders* colliders; // borrowed while it is found
	int32_t count;
	lm_design_performer* performers;
	bool dynamic; // anything is simulated
	bool finished;
	lm_design_span span;
	int64_t moments; // that have been checked
	lm_design_motion* stage;
	lm_design_sim* sim;
	lm_design_performance_report report;
};

#define LM_SAME_TIME 1e-9

// As lm_design_performance_create, but nothing is found yet: that is for lm_design_performance_advance. The objects and
// what they point to must last until the performance is finished.
lm_status lm_design_performance_begin(const lm_design_performance_object* objects, int32_t count,
                                      const lm_colliders* colliders, double start,
                                      const lm_design_performance_settings* settings, const lm_host* host,
                                      lm_design_performance** performance, lm_error* error);
// Goes on until all is known up to a time, and with what is designed as far as no simulation comes before it. exactly:
// simulation takes steps that end there, so that what touches it besides can be told from step to step; else its steps
// are the same however often this is called. Finished at the end of the whole.
lm_status lm_design_performance_advance(lm_design_performance* performance, double until, bool exactly,
                                        lm_error* error);

// One that has been finished before, whose courses are to be loaded: of objects with these models.
lm_status lm_design_performance_create_finished(const lm_design_model* const* models, int32_t count,
                                                const lm_host* host, lm_design_performance** performance,
                                                lm_error* error);

// ---- performance_parts.c ----
// Divides the time of an object; tells what is wrong.
lm_status lm_design_performance_divide(lm_design_performance* performance, int32_t object, lm_error* error);
// Whether a key lies in a part (and not only at its end, where the next one begins).
bool lm_design_part_has(const lm_design_part* part, const lm_design_motion_key* key);

// ---- performance_design.c ----
// Finds the designed parts that begin now, together.
lm_status lm_design_performance_design(lm_design_performance* performance, double time, lm_error* error);

// ---- performance_simulate.c ----
// Plans the steps of the span, and starts what is simulated from its beginning on.
lm_status lm_design_performance_release(lm_design_performance* performance, double first_step, lm_error* error);
// Simulates until a time, or the end of the span.
lm_status lm_design_performance_run(lm_design_performance* performance, double until, bool exactly, lm_error* error);
// Parts that end with the span: the velocity there.
void lm_design_performance_stop(lm_design_performance* performance);
// Steps from where the simulation is that are not kept: the caller saves and loads it around them.
lm_status lm_design_performance_try(lm_design_performance* performance, double h, lm_error* error);
bool lm_design_performer_is_simulated(const lm_design_performer* performer);

// ---- performance_state.c: as far as it has come, courses apart ----
void lm_design_performance_save_run(const lm_design_performance* performance, lm_blob* blob);
lm_status lm_design_performance_load_run(lm_design_performance* performance, lm_blob* blob, lm_error* error);
bool lm_design_performance_is_report_sound(lm_design_performance_report* report);
void lm_design_performance_save(const lm_design_performance* performance, lm_blob* blob); // courses too
lm_status lm_design_performance_load(lm_design_performance* performance, lm_blob* blob, lm_error* error);

// ---- performance_check.c ----
// Depths of what is played, at ten times the frame rate, from where it was last checked to a time.
lm_status lm_design_performance_check(lm_design_performance* performance, double until, lm_error* error);
// Errors at the keys up to a time.
void lm_design_performance_check_keys(lm_design_performance* performance, double until);

#endif
