// gmres.h: linear systems by minimal residuals over a Krylov space (Saad and Schultz 1986; the flexible form of Saad
// 1993), for matrices that differ little, or in few directions, from one whose factorisation is at hand: a correction
// of rank k needs at most k + 1 iterations.
#ifndef LM_SOLVE_GMRES_H
#define LM_SOLVE_GMRES_H

#include <stdbool.h>
#include <stdint.h>

#define LM_GMRES_MOST 96

typedef struct lm_gmres_problem
{
	void* context;
	int64_t n;
	void (*multiply)(void* context, const double* x, double* y);     // y = A x
	bool (*precondition)(void* context, const double* x, double* y); // y = about A^-1 x; false when it cannot
} lm_gmres_problem;

typedef struct lm_gmres_report
{
	bool converged;
	int iterations;
	double residual; // |b - A x| / |b|, as the recurrence has it
} lm_gmres_report;

// Solves A x = b from x = 0 until |b - A x| <= tolerance |b|, in at most `most` iterations (1 .. LM_GMRES_MOST); x is
// the best of those tried, and finite. b and x may not overlap. work holds lm_gmres_work(n, most) numbers.
lm_gmres_report lm_gmres_solve(const lm_gmres_problem* problem, const double* b, double tolerance, int most, double* x,
                               double* work);

static inline int64_t lm_gmres_work(int64_t n, int most)
{
	return (2 * (int64_t)most + 1) * n;
}

#endif
