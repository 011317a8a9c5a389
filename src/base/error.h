// error.h: filling lm_error, and reporting progress.
#ifndef LM_BASE_ERROR_H
#define LM_BASE_ERROR_H

#include "limber/base.h"

// Each fills *error (which may be NULL) and returns status, so that callers write `return lm_fail(...)`.
lm_status lm_fail(lm_error* error, lm_status status, const char* format, ...) __attribute__((format(printf, 3, 4)));
lm_status lm_fail_at(lm_error* error, lm_status status, const char* file, const char* where, const char* format, ...)
	__attribute__((format(printf, 5, 6)));
lm_status lm_fail_line(lm_error* error, const char* file, int64_t line, const char* format, ...)
	__attribute__((format(printf, 4, 5))); // LM_BAD_INPUT at "line N"
lm_status lm_fail_element(lm_error* error, int64_t element, const char* format, ...)
	__attribute__((format(printf, 3, 4))); // LM_BAD_INPUT about a vertex, triangle, goal ... of this number
static inline lm_status lm_fail_memory(lm_error* error) // here, so that static analysis knows what follows
{
	lm_fail(error, LM_NO_MEMORY, "out of memory");
	return LM_NO_MEMORY;
}

// False also for what is not a number.
static inline bool lm_within(double value, double low, double high)
{
	return value >= low && value <= high;
}

// False when the host wants to cancel.
bool lm_progress(const lm_host* host, const char* what, double done);

void lm_log(const lm_host* host, lm_log_level level, const char* format, ...) __attribute__((format(printf, 3, 4)));

#endif
