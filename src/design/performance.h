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

struct lm_design_performance
{
	lm_host host;
	lm_design_performance_settings settings;
	double start;
	const lm_colliders* colliders; // borrowed while it is found
	int32_t count;
	lm_design_performer* performers;
	bool dynamic; // anything is simulated
	lm_design_motion* stage;
	lm_design_sim* sim;
	lm_design_performance_report report;
};

#define LM_SAME_TIME 1e-9

// Hands over the course of an object, which is gone from the performance then.
void lm_design_performance_take_course(lm_design_performance* performance, int32_t object, lm_design_course* course);

// ---- performance_parts.c ----
// Divides the time of an object; tells what is wrong.
lm_status lm_design_performance_divide(lm_design_performance* performance, int32_t object, lm_error* error);
// Whether a key lies in a part (and not only at its end, where the next one begins).
bool lm_design_part_has(const lm_design_part* part, const lm_design_motion_key* key);

// ---- performance_design.c ----
// Finds the designed parts that begin now, together.
lm_status lm_design_performance_design(lm_design_performance* performance, double time, lm_error* error);

// ---- performance_simulate.c ----
// Simulates all that are, from a time to another.
lm_status lm_design_performance_run(lm_design_performance* performance, double time, double until, lm_error* error);

// ---- performance_check.c ----
// Errors at keys and depths of the whole as it is played, at ten times the frame rate.
lm_status lm_design_performance_check(lm_design_performance* performance, lm_error* error);

#endif
