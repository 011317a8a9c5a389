// ipopt_step.h: one control step solved by IPOPT (Waechter and Biegler 2006), with the same exact sparse derivatives,
// from the same start: an oracle for tests and a reference for benchmarks.
#ifndef LIMBER_TEST_ACT_IPOPT_STEP_H
#define LIMBER_TEST_ACT_IPOPT_STEP_H

#include "act/body.h"

typedef struct ipopt_step_report
{
	int status; // of IPOPT: 0 solved, 1 solved to acceptable level, 5 stopped because the wanted objective was reached
	int iterations;
	double objective; // with the physics as well fulfilled as `violation` says
	double violation; // largest number of c relative to the weight
	double seconds;   // in IpoptSolve
} ipopt_step_report;

typedef struct ipopt_step_options
{
	double wanted; // it stops once the objective is not above this (-INFINITY: never), the physics fulfilled to 1e-6 of
				   // the weight
	double tolerance;
	bool gauss_newton; // the Hessian is ours: without the curvature of the physics
	// Constraints' multipliers (ipopt_step_rows of them), NULL: none are known. IPOPT is started warm from those that
	// are there, and leaves its own.
	double* multipliers;
} ipopt_step_options;

int ipopt_step_rows(const lm_act* body);

// The body is as lm_act_optimize_step has left it: the optimiser holds the step's goals and its start, from which IPOPT
// starts, too. p: where it ended, if not NULL. The body is not changed but for scratch.
ipopt_step_report ipopt_step_solve(lm_act* body, const ipopt_step_options* options, double* p);

#endif
