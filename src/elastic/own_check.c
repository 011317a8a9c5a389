// own_check.c: compares the derivatives of a model with differences of the ones below them (fourth order), at shapes of
// one element of about unit size: near rest, far from it, and with x or X turned inside out.
#include "base/error.h"
#include "elastic/own.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST LM_ELASTIC_NUMBERS
#define STEP 3e-4
#define TRIALS 12

typedef struct trial
{
	const lm_elastic_model* model;
	int n, local; // numbers, and coordinates of the corners
	double x[MOST], X[MOST], initial[MOST], r[MOST];
	double size, stretch, volume;
} trial;

// All derivatives at one place.
typedef struct results
{
	double W, x[MOST], X[MOST];
	double xx[MOST * MOST], xX[MOST * MOST], XX[MOST * MOST];
	double r_xx[MOST * MOST], r_xX[MOST * MOST], r_XX[MOST * MOST];
} results;

static const char* const names[LM_ELASTIC_DERIVATIVES] = {
	"dW/dx", "dW/dX", "d2W/dx2", "d2W/dx dX", "d2W/dX2", "d2(r.dW/dx)/dx2", "d2(r.dW/dx)/dx dX", "d2(r.dW/dx)/dX2"
};

const char* lm_elastic_derivative_name(lm_elastic_derivative derivative)
{
	return derivative >= 0 && derivative < LM_ELASTIC_DERIVATIVES ? names[derivative] : "";
}

// In [-1, 1), the same at every call.
static double random_number(uint32_t* state)
{
	*state = *state * 1664525u + 1013904223u;
	return (double)(*state >> 8) * 0x1p-23 - 1;
}

// Corners of the element: initial, rest and present, as far as trial k asks.
static void choose(int k, int d, double* initial, double* X, double* x)
{
	uint32_t seed = 17u + (uint32_t)k;
	double far = k % 2 != 0 ? 0.25 : 0.03;
	int n = d * (d + 1);
	for (int i = 0; i < n; ++i)
	{
		bool one = i >= d && i % d == i / d - 1;
		initial[i] = (one ? 1 : 0) + 0.1 * random_number(&seed);
		X[i] = initial[i] + 0.1 * random_number(&seed);
		x[i] = X[i] + far * random_number(&seed);
	}
	for (int i = 0; i < n; i += d)
	{
		if (k % 6 == 2 || k % 6 == 3)
			x[i] = -x[i];
		if (k % 6 == 4 || k % 6 == 5)
			X[i] = -X[i];
	}
}

static double size_of(int d, const double* corners)
{
	double q;
	(d == 2 ? &lm_measure_area : &lm_measure_volume)->value(corners, &q);
	return q;
}

static lm_elastic_at at_of(const trial* t)
{
	return (lm_elastic_at){ t->model->data, t->n, t->x, t->X, t->initial, t->size, t->stretch, t->volume };
}

static void evaluate(const trial* t, results* r)
{
	lm_elastic_at at = at_of(t);
	memset(r, 0, sizeof *r);
	r->W = t->model->energy(&at);
	t->model->first(&at, r->x, r->X);
	t->model->second(&at, r->xx, r->xX, r->XX);
	if (t->model->third != NULL)
		t->model->third(&at, t->r, r->r_xx, r->r_xX, r->r_XX);
}

// What a derivative is compared with.
typedef struct comparison
{
	const double* given; // the derivative, rows x n
	int rows;
	bool by_rest; // what is varied
	int below;    // what is differentiated: 0 W, 1 dW/dx, 2 dW/dX, 3 r.d2W/dx2, 4 r.d2W/dx dX
} comparison;

// The derivative below: one or n numbers.
static void lower(const trial* t, int below, double* f)
{
	lm_elastic_at at = at_of(t);
	double A[MOST * MOST];
	memset(A, 0, sizeof A);
	if (below == 0)
		f[0] = t->model->energy(&at);
	else if (below <= 2)
		t->model->first(&at, below == 1 ? f : NULL, below == 2 ? f : NULL);
	else
	{
		t->model->second(&at, below == 3 ? A : NULL, below == 4 ? A : NULL, NULL);
		for (int j = 0; j < t->n; ++j)
		{
			f[j] = 0;
			for (int i = 0; i < t->n; ++i)
				f[j] += t->r[i] * A[i * t->n + j];
		}
	}
}

// expected: rows x n, the differences. Returns the largest number that was differentiated.
static double differentiate(trial* t, const comparison* c, double* expected)
{
	static const double offset[4] = { -2, -1, 1, 2 }, weight[4] = { 1. / 12, -2. / 3, 2. / 3, -1. / 12 };
	double *varied = c->by_rest ? t->X : t->x, largest = 0;
	memset(expected, 0, (size_t)(c->rows * t->n) * sizeof *expected);
	for (int j = 0; j < t->n; ++j)
	{
		double here = varied[j], f[MOST];
		for (int k = 0; k < 4; ++k)
		{
			varied[j] = here + offset[k] * STEP;
			lower(t, c->below, f);
			for (int i = 0; i < c->rows; ++i)
			{
				expected[i * t->n + j] += weight[k] * f[i] / STEP;
				largest = fmax(largest, fabs(f[i]));
			}
		}
		varied[j] = here;
	}
	return largest;
}

static void compare(trial* t, lm_elastic_derivative which, const comparison* c, lm_elastic_check_report* report)
{
	// Where a derivative is 0, differences are rounding: they count relative to what was differentiated.
	double expected[MOST * MOST], largest = fmax(1e-3 * differentiate(t, c, expected), 1e-300);
	for (int i = 0; i < c->rows * t->n; ++i)
		largest = fmax(largest, fabs(expected[i]));
	for (int i = 0; i < c->rows * t->n; ++i)
	{
		double off = fabs(c->given[i] - expected[i]) / largest;
		if (!isfinite(off))
			off = INFINITY;
		if (!(off > report->off[which]))
			continue;
		report->off[which] = off;
		report->row[which] = c->rows == 1 ? i : i / t->n;
		report->column[which] = c->rows == 1 ? 0 : i % t->n;
		report->given[which] = c->given[i];
		report->expected[which] = expected[i];
	}
}

static void compare_all(trial* t, lm_elastic_check_report* report)
{
	results r;
	evaluate(t, &r);
	int n = t->n;
	const comparison all[LM_ELASTIC_DERIVATIVES] = {
		{ r.x, 1, false, 0 }, { r.X, 1, true, 0 },     { r.xx, n, false, 1 },  { r.xX, n, true, 1 },
		{ r.XX, n, true, 2 }, { r.r_xx, n, false, 3 }, { r.r_xX, n, true, 3 }, { r.r_XX, n, true, 4 },
	};
	for (int k = 0; k < (t->model->third != NULL ? LM_ELASTIC_DERIVATIVES : LM_ELASTIC_R_XX); ++k)
		compare(t, (lm_elastic_derivative)k, &all[k], report);
}

// Forces at the corners where x = X, beside those where they differ.
static void look_at_rest(const trial* t, const double* X, const double* x, lm_elastic_check_report* report)
{
	lm_own own = { t->model, t->initial, t->size, t->stretch, t->volume };
	double here[MOST], there[MOST], force = 0, largest = 1e-12;
	lm_own_first(&own, X, x, there, NULL);
	lm_own_first(&own, X, X, here, NULL);
	for (int i = 0; i < t->local; ++i)
		force = fmax(force, fabs(here[i])), largest = fmax(largest, fabs(there[i]));
	report->rest = fmax(report->rest, force / largest);
}

// Turned by a right angle in the first two axes and then in the last two, and moved.
static void move(int d, double* x)
{
	for (int i = 0; i < d * (d + 1); i += d)
	{
		double a = x[i];
		x[i] = 0.7 - x[i + 1], x[i + 1] = a - 0.4;
		if (d == 3)
			a = x[i + 1], x[i + 1] = 0.3 - x[i + 2], x[i + 2] = a;
	}
}

static void look_at_motions(trial* t, lm_elastic_check_report* report)
{
	lm_elastic_at at = at_of(t);
	double kept[MOST], W = t->model->energy(&at), largest = fmax(fabs(W), 1e-12 * (t->stretch + t->volume));
	double* shapes[2] = { t->x, t->X };
	for (int k = 0; k < 2; ++k)
	{
		memcpy(kept, shapes[k], sizeof kept);
		move(t->model->dimension, shapes[k]);
		double off = fabs(t->model->energy(&at) - W) / largest;
		report->rigid = fmax(report->rigid, isfinite(off) ? off : INFINITY);
		memcpy(shapes[k], kept, sizeof kept);
	}
}

static lm_status judge(const lm_elastic_model* model, const lm_elastic_check_report* r, double tolerance,
                       lm_error* error)
{
	const char* name = model->name != NULL ? model->name : "";
	for (int k = 0; k < LM_ELASTIC_DERIVATIVES; ++k)
	{
		char place[48];
		if (r->off[k] <= tolerance)
			continue;
		if (k <= LM_ELASTIC_REST)
			snprintf(place, sizeof place, "entry %d", r->row[k]);
		else
			snprintf(place, sizeof place, "row %d, column %d", r->row[k], r->column[k]);
		return lm_fail(
			error, LM_BAD_INPUT,
			"%s of the elastic model \"%s\" is wrong: in %s it gives %g, and differences %g, which is off by "
			"%.2g of the largest entry",
			names[k], name, place, r->given[k], r->expected[k], r->off[k]);
	}
	if (!(r->rest <= tolerance))
		return lm_fail(error, LM_BAD_INPUT,
		               "the elastic model \"%s\" has forces at rest, where x = X: %.2g of those elsewhere, must be 0",
		               name, r->rest);
	if (!(r->rigid <= tolerance))
		return lm_fail(error, LM_BAD_INPUT,
		               "the energy of the elastic model \"%s\" changes by %.2g of itself when x or X is moved rigidly; "
		               "it must not",
		               name, r->rigid);
	return LM_OK;
}

lm_status lm_elastic_check(const lm_elastic_model* model, double stretch, double volume, double tolerance,
                           lm_elastic_check_report* report, lm_error* error)
{
	lm_elastic_check_report found;
	memset(&found, 0, sizeof found);
	if (report != NULL)
		*report = found;
	lm_status status = lm_own_check(model, error);
	if (status != LM_OK)
		return status;
	if (!(stretch > 0 && stretch <= 1e15 && volume >= 0 && volume <= 1e15 && tolerance > 0))
		return lm_fail(error, LM_BAD_INPUT,
		               "the check has stretch %g, volume %g and tolerance %g; stretch and tolerance must be above 0, "
		               "volume 0 or more, and stiffnesses at most 1e15",
		               stretch, volume, tolerance);
	int d = model->dimension;
	for (int k = 0; k < TRIALS; ++k)
	{
		double initial[MOST], X[MOST], x[MOST];
		uint32_t seed = 5u + (uint32_t)k;
		choose(k, d, initial, X, x);
		trial t = {
			.model = model, .n = lm_own_count(model), .local = d * (d + 1), .stretch = stretch, .volume = volume
		};
		t.size = size_of(d, initial);
		lm_own_numbers(model, initial, t.initial);
		lm_own_numbers(model, X, t.X);
		lm_own_numbers(model, x, t.x);
		for (int i = 0; i < t.n; ++i)
			t.r[i] = random_number(&seed);
		compare_all(&t, &found);
		look_at_rest(&t, X, x, &found);
		if (model->form == LM_ELASTIC_CORNERS)
			look_at_motions(&t, &found);
	}
	if (report != NULL)
		*report = found;
	return judge(model, &found, tolerance, error);
}
