// Constraints of a step: how far they are from met, what they add to the merit and to the linear system, and which of
// them give way; see solver.h.
#include "math/vec.h"
#include "track/solver_parts.h"

#include <string.h>

static const double round_off = 1e-8; // d of constraints that give way, metres: where one counts as met

static double length3(const double* a)
{
	return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static double soft_length(const double* c)
{
	return sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + round_off * round_off);
}

static bool is_loose(const lm_track_run* r, int32_t row)
{
	return r->s->loose[row];
}

// c = C x - b; zero for rows that are off.
void lm_track_measure_rows(const lm_track_run* r, const double* x, double* c)
{
	int32_t rows = r->s->rows;
	if (rows == 0)
		return;
	lm_rows_apply(r->p->C, x, c);
	for (int64_t i = 0; i < 3 * (int64_t)rows; ++i)
		c[i] = lm_track_row_is_on(r->p, (int32_t)(i / 3)) ? c[i] - r->p->b[i] : 0;
}

// mu |c_i|, or w (sqrt(|c_i|^2 + d^2) - d).
double lm_track_row_merit(const lm_track_run* r, const double* c)
{
	double sum = 0;
	for (int32_t i = 0; i < r->s->rows; ++i)
		if (lm_track_row_is_on(r->p, i))
			sum += is_loose(r, i) ? r->p->strength[i] * (soft_length(c + 3 * (int64_t)i) - round_off)
			                      : r->mu * length3(c + 3 * (int64_t)i);
	return sum;
}

// A whole step meets all that are held; the others change with the direction.
double lm_track_row_slope(const lm_track_run* r)
{
	const lm_track_solver* s = r->s;
	double sum = 0;
	for (int32_t row = 0; row < s->rows; ++row)
	{
		const double* c = s->c + 3 * (int64_t)row;
		if (!lm_track_row_is_on(r->p, row))
			continue;
		if (!is_loose(r, row))
		{
			sum -= r->mu * length3(c);
			continue;
		}
		double force = r->p->strength[row] / soft_length(c);
		for (int64_t e = r->p->C->start[row]; e < r->p->C->start[row + 1]; ++e)
			for (int k = 0; k < 3; ++k)
				sum += force * c[k] * r->p->C->value[e] * s->solution[3 * (int64_t)r->p->C->index[e] + k];
	}
	return sum;
}

// ---- the linear system -------------------------------------------------------------------------------------------

// D of constraints that are held: small against C H^-1 C^T, only there so that pivots are not zero.
static double held_block(const lm_track_run* r)
{
	double mass = 0;
	for (int32_t v = 0; v < r->s->n; ++v)
		mass += r->p->masses[v] / r->s->n;
	double stretch = 0;
	for (int32_t k = 0; k < r->p->part_count; ++k)
		stretch = fmax(stretch, r->p->parts[k].material.stretch);
	return 1e-8 / (mass / (r->p->h * r->p->h) + stretch);
}

static bool invert_symmetric(double K[3][3], double inverse[9])
{
	lm_mat3 A = { { { K[0][0], K[0][1], K[0][2] }, { K[1][0], K[1][1], K[1][2] }, { K[2][0], K[2][1], K[2][2] } } };
	lm_vec3 a = lm_column(A, 0), b = lm_column(A, 1), c = lm_column(A, 2);
	double det = lm_det(A);
	if (!(det > 0))
		return false;
	lm_vec3 rows[3] = { lm_cross(b, c), lm_cross(c, a), lm_cross(a, b) };
	for (int i = 0; i < 3; ++i)
		inverse[3 * i] = rows[i].x / det, inverse[3 * i + 1] = rows[i].y / det, inverse[3 * i + 2] = rows[i].z / det;
	return true;
}

// K = w/s (1.001 I - sym(q c^T) / (w s)), D = K^-1.
static void loose_block(const lm_track_run* r, int32_t i, double D[9])
{
	const double *c = r->s->c + 3 * (int64_t)i, *q = r->q + 3 * (int64_t)i;
	double w = r->p->strength[i], l = soft_length(c), K[3][3];
	for (int a = 0; a < 3; ++a)
		for (int b = 0; b < 3; ++b)
			K[a][b] = w / l * (1.001 * (a == b) - (q[a] * c[b] + q[b] * c[a]) / (2 * w * l));
	if (!invert_symmetric(K, D))
		for (int a = 0; a < 3; ++a)
			D[4 * a] = l / w;
}

void lm_track_set_row_blocks(lm_track_run* r)
{
	lm_track_solver* s = r->s;
	double held = held_block(r);
	memset(s->D, 0, 9 * (size_t)s->rows * sizeof(double));
	for (int32_t i = 0; i < s->rows; ++i)
		if (lm_track_row_is_on(r->p, i) && is_loose(r, i))
			loose_block(r, i, s->D + 9 * (int64_t)i);
		else if (lm_track_row_is_on(r->p, i))
			for (int k = 0; k < 3; ++k)
				s->D[9 * (int64_t)i + 4 * k] = held;
}

// right = -(g + C^T q) and, held, -c, or, loose, -D (w c / s - q): the solution is (dx, dq).
void lm_track_set_right(lm_track_run* r)
{
	lm_track_solver* s = r->s;
	int64_t vertices = 3 * (int64_t)s->n;
	for (int64_t i = 0; i < vertices; ++i)
		s->right[i] = -s->gradient[i];
	for (int32_t row = 0; row < s->rows; ++row)
	{
		double *q = r->q + 3 * (int64_t)row, *right = s->right + vertices + 3 * (int64_t)row;
		const double* c = s->c + 3 * (int64_t)row;
		bool on = lm_track_row_is_on(r->p, row);
		for (int k = 0; k < 3 && !on; ++k)
			q[k] = right[k] = 0;
		for (int64_t e = r->p->C->start[row]; on && e < r->p->C->start[row + 1]; ++e)
			for (int k = 0; k < 3; ++k)
				s->right[3 * (int64_t)r->p->C->index[e] + k] -= r->p->C->value[e] * q[k];
		double pull[3], l = soft_length(c);
		for (int k = 0; k < 3; ++k)
			pull[k] = r->p->strength[row] * c[k] / l - q[k];
		for (int k = 0; k < 3 && on; ++k)
		{
			const double* D = s->D + 9 * (int64_t)row + 3 * k;
			right[k] = is_loose(r, row) ? -(D[0] * pull[0] + D[1] * pull[1] + D[2] * pull[2]) : -c[k];
		}
	}
}

// ---- multipliers -------------------------------------------------------------------------------------------------

static void limit_multiplier(lm_track_run* r, int32_t i)
{
	double *q = r->q + 3 * (int64_t)i, l = length3(q), w = r->p->strength[i];
	for (int k = 0; k < 3 && l > w; ++k)
		q[k] = w > 0 ? q[k] * w / l : 0;
}

void lm_track_update_multipliers(lm_track_run* r, double fraction)
{
	const double* dq = r->s->solution + 3 * (int64_t)r->s->n;
	for (int64_t i = 0; i < 3 * (int64_t)r->s->rows; ++i)
		r->q[i] += fraction * dq[i];
	for (int32_t i = 0; i < r->s->rows; ++i)
		if (is_loose(r, i))
			limit_multiplier(r, i);
}

// The merit is exact for mu above the largest multiplier of what is held.
void lm_track_update_mu(lm_track_run* r)
{
	double most = 0;
	for (int32_t i = 0; i < r->s->rows; ++i)
	{
		double q[3];
		for (int k = 0; k < 3; ++k)
			q[k] = r->q[3 * (int64_t)i + k] + r->s->solution[3 * ((int64_t)r->s->n + i) + k];
		most = is_loose(r, i) ? most : fmax(most, length3(q));
	}
	r->mu = fmax(r->mu / 2, 1.2 * most);
}

// ---- giving way --------------------------------------------------------------------------------------------------

static bool any_too_strong(const lm_track_run* r, int32_t first, int32_t count)
{
	for (int32_t i = first; i < first + count; ++i)
		if (lm_track_row_is_on(r->p, i) && !is_loose(r, i) && length3(r->q + 3 * (int64_t)i) > r->p->strength[i])
			return true;
	return false;
}

bool lm_track_rows_too_strong(const lm_track_run* r)
{
	return any_too_strong(r, 0, r->s->rows);
}

bool lm_track_exceeds_bound(const lm_track_run* r)
{
	for (int32_t k = 0; r->p->bounded && k < r->p->part_count; ++k)
	{
		const lm_track_part* part = &r->p->parts[k];
		if (part->bounded && any_too_strong(r, part->first_row, part->row_count))
			return true;
	}
	return false;
}

void lm_track_give_way(lm_track_run* r)
{
	r->relaxed = r->report.relaxed = true;
	for (int32_t i = 0; i < r->s->rows; ++i)
	{
		r->s->loose[i] = true;
		limit_multiplier(r, i);
	}
}

// ---- one by one --------------------------------------------------------------------------------------------------

// A region may give way this often in a step; then it does for good.
#define MOST_TIMES 2
// One that pulls with less than this share of its strength need not give way.
static const double hold_share = 0.9;

static void loosen(lm_track_run* r, int32_t i)
{
	r->s->loose[i] = true, ++r->s->loosened[i];
	r->relaxed = r->report.relaxed = true;
	limit_multiplier(r, i);
}

static bool may_loosen(const lm_track_run* r, int32_t i)
{
	return lm_track_row_is_on(r->p, i) && !r->s->loose[i] && r->s->loosened[i] < MOST_TIMES;
}

void lm_track_loosen_strong(lm_track_run* r)
{
	for (int32_t i = 0; i < r->s->rows; ++i)
		if (may_loosen(r, i) && length3(r->q + 3 * (int64_t)i) > r->p->strength[i])
			loosen(r, i);
}

void lm_track_loosen_missed(lm_track_run* r)
{
	if (r->s->rows == 0 || r->p->b_start == NULL)
		return;
	lm_rows_apply(r->p->C, r->x, r->s->c);
	for (int32_t i = 0; i < r->s->rows; ++i)
	{
		double c[3];
		for (int k = 0; k < 3; ++k)
			c[k] = r->s->c[3 * (int64_t)i + k] - r->p->b_start[3 * (int64_t)i + k];
		if (may_loosen(r, i) && length3(c) > r->limits->constraint)
			loosen(r, i);
	}
}

// s->trial lends the marks of vertices.
int32_t lm_track_loosen_touching(lm_track_run* r)
{
	lm_track_solver* s = r->s;
	double* touched = s->trial;
	int32_t count = 0, pairs = r->p->clearance != NULL ? lm_clearance_pair_count(r->p->clearance) : 0;
	memset(touched, 0, (size_t)(s->n + s->obstacles) * sizeof *touched);
	for (int32_t i = 0; i < pairs; ++i)
		for (int k = 0; k < 4; ++k)
			touched[lm_clearance_pairs(r->p->clearance)[i].v[k]] = 1;
	for (int32_t i = 0; i < s->rows; ++i)
	{
		bool touches = false;
		for (int64_t e = r->p->C->start[i]; e < r->p->C->start[i + 1] && !touches; ++e)
			touches = touched[r->p->C->index[e]] > 0;
		if (touches && may_loosen(r, i))
			loosen(r, i), ++count;
	}
	return count;
}

void lm_track_hold_again(lm_track_run* r)
{
	bool any = false;
	for (int32_t i = 0; i < r->s->rows; ++i)
	{
		double pull = length3(r->q + 3 * (int64_t)i);
		if (r->s->loose[i] && r->s->loosened[i] < MOST_TIMES && pull < hold_share * r->p->strength[i])
			r->s->loose[i] = false;
		any = any || r->s->loose[i];
	}
	r->relaxed = any;
}

bool lm_track_rows_missed(lm_track_run* r, double limit)
{
	lm_track_measure_rows(r, r->x, r->s->c);
	for (int32_t i = 0; i < r->s->rows; ++i)
	{
		bool pulls = r->s->loose[i] && length3(r->q + 3 * (int64_t)i) >= hold_share * r->p->strength[i];
		if (lm_track_row_is_on(r->p, i) && !pulls && length3(r->s->c + 3 * (int64_t)i) > limit)
			return true;
	}
	return false;
}

lm_track_row_report lm_track_report_rows(const lm_track_solver* s, const lm_track_problem* p, int32_t first,
                                         int32_t count, double limit)
{
	lm_track_row_report report = { 0 };
	for (int32_t i = first; i < first + count; ++i)
	{
		double l = length3(s->c + 3 * (int64_t)i);
		if (!lm_track_row_is_on(p, i))
			continue;
		bool met = l <= limit;
		report.residual = fmax(report.residual, l);
		report.gave_way += !met;
		report.missed += met ? 0 : l;
		report.met_residual = met ? fmax(report.met_residual, l) : report.met_residual;
	}
	return report;
}
