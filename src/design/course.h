// course.h: everything that one object does, piece by piece: designed parts (timelines, with what secondary motion
// adds) and simulated ones (recordings).
#ifndef LM_DESIGN_COURSE_H
#define LM_DESIGN_COURSE_H

#include "base/blob.h"
#include "design/timeline.h"

// Nodes at times, cubic in between: a recording of a simulation, or of deviations from a timeline.
typedef struct lm_design_recording
{
	int32_t count;
	size_t capacity, y_capacity, v_capacity;
	double* times; // seconds, ascending
	double* y;     // [count x nodes x 3] own lengths
	double* v;     // beside y, own lengths / s
} lm_design_recording;

// Adds zeros at a time after all others; the last of them is returned. NULL when out of memory.
double* lm_design_recording_add(lm_design_recording* recording, const lm_host* host, int32_t nodes, double time);
// Velocities from the parabolas through three samples; those of the first and last stay as they are.
void lm_design_recording_smooth(lm_design_recording* recording, int32_t nodes);
// That of the last but one alone, once another has been added.
void lm_design_recording_smooth_last(lm_design_recording* recording, int32_t nodes);

typedef struct lm_design_course_piece
{
	double begin, end; // seconds
	bool designed;
	double seconds; // designed: that the whole of the timeline's time takes
	lm_design_timeline timeline;
	lm_design_recording recording; // positions, or deviations when it is designed; may be empty then
} lm_design_course_piece;

typedef struct lm_design_course
{
	lm_host host;
	const lm_design_model* model;
	int32_t count;
	size_t capacity;
	lm_design_course_piece* pieces; // one begins where the one before ends
} lm_design_course;

void lm_design_course_release(lm_design_course* course);
// A new piece at the end. NULL when out of memory.
lm_design_course_piece* lm_design_course_add(lm_design_course* course, double begin, double end, bool designed);

// Nodes in own coordinates and their velocities in own lengths / s (may be NULL) at a time in seconds.
void lm_design_course_at(const lm_design_course* course, double time, double* y, double* v);
// Of one piece, also at its end, where the next one begins.
void lm_design_course_piece_at(const lm_design_course_piece* piece, double time, double* y, double* v);
// The same without what secondary motion adds.
void lm_design_course_piece_designed(const lm_design_course_piece* piece, double time, double* y, double* v);
// Nodes in metres, velocities (may be NULL) in m/s.
void lm_design_course_nodes(const lm_design_course* course, double time, double* nodes, double* velocities);

void lm_design_course_save(const lm_design_course* course, lm_blob* blob);
// course has host and model, and no pieces.
lm_status lm_design_course_load(lm_design_course* course, lm_blob* blob, lm_error* error);

#endif
