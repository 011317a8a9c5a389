// line_search.h: backtracking line search along a descent direction.
#ifndef LM_SOLVE_LINE_SEARCH_H
#define LM_SOLVE_LINE_SEARCH_H

// The merit at a step along the direction; anything that is not finite means that there is no such point.
typedef double lm_line_fn(void* context, double step);

typedef struct lm_line
{
	double value;  // merit at step 0
	double slope;  // its derivative there, negative
	double first;  // step to begin with
	double armijo; // least decrease as a share of the predicted one, in (0, 1/2)
	double shortest;
} lm_line;

typedef struct lm_line_result
{
	double step, value; // step 0 and the first value when no step is accepted
	int trials;
} lm_line_result;

// Backtracks from the first step to one with merit(step) <= value + armijo step slope (Armijo's condition), guided by
// the parabola through what is known, cutting each time by a factor between 2 and 10. Always ends.
lm_line_result lm_line_search(const lm_line* line, lm_line_fn* merit, void* context);

#endif
