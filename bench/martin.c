// martin.c: Martin et al., "Example-Based Elastic Materials" (2011).
//
//   F = D_s D_m^-1,  E = (F^T F - I) / 2            Green strain of a tetrahedron of volume V
//   W(x; T, mu) = sum V mu |E(x) - T|^2             Poisson's ratio 0, mu = Young's modulus / 2
//   X(w) = argmin over X of W(X; w E_1, mu)         example manifold: the strains nearest to the blend's
//   w = argmin over 0 <= w <= 1 of sum V |E(x) - E(X(w))|^2      projection; dX/dw = H^-1 sum V 2 mu F E_1 D_m^-T
//   x' = argmin of |x - y|^2_M / (2 h^2) + W(x; 0, r mu) + W(x; E(X(w)), (1 - r) mu)     implicit Euler
//
// y is where the vertices would go without elastic forces. Both minimisations are Newton's method with a line search on
// a banded Cholesky factorisation, vertices in the order of the mesh's longest axis. One example; the projection is
// made once in a step, from the last X and w.
#include "martin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEWTON 20
#define PROJECTIONS 10

typedef struct element
{
	int v[4];
	double B[9], volume; // D_m^-1
} element;

struct martin
{
	int count, element_count, band; // of the matrix, below the diagonal
	int* order;                     // place of a vertex in the system
	element* elements;
	double mu, rest, drag, gravity[3];
	double *mass, *x, *v, *X, *y, *gradient, *step, *trial, *matrix;
	double *E1, *target; // 9 per element
	double w;
	char *pinned, *nothing;
	int64_t solves;
};

// ---- strains ----

static void gradient_of(const element* e, const double* x, double F[9])
{
	double D[9];
	for (int c = 0; c < 3; ++c)
		for (int i = 0; i < 3; ++i)
			D[3 * i + c] = x[3 * e->v[c + 1] + i] - x[3 * e->v[0] + i];
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			F[3 * i + j] = D[3 * i] * e->B[j] + D[3 * i + 1] * e->B[3 + j] + D[3 * i + 2] * e->B[6 + j];
}

static void strain_of(const double F[9], double E[9])
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			E[3 * i + j] = 0.5 * (F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j] - (i == j));
}

static void strains(const martin* b, const double* x, double* all)
{
	for (int e = 0; e < b->element_count; ++e)
	{
		double F[9];
		gradient_of(&b->elements[e], x, F);
		strain_of(F, all + 9 * e);
	}
}

// Rows of D_m^-1 as gradients of the four hat functions.
static void hats(const element* e, double g[4][3])
{
	for (int j = 0; j < 3; ++j)
	{
		g[0][j] = -e->B[j] - e->B[3 + j] - e->B[6 + j];
		for (int c = 0; c < 3; ++c)
			g[c + 1][j] = e->B[3 * c + j];
	}
}

// ---- the energy |x - y|^2_M inertia / 2 + W(x; target, mu) ----

static double energy(const martin* b, const double* x, double inertia)
{
	double sum = 0;
	for (int i = 0; i < 3 * b->count; ++i)
		sum += 0.5 * inertia * b->mass[i / 3] * (x[i] - b->y[i]) * (x[i] - b->y[i]);
	for (int e = 0; e < b->element_count; ++e)
	{
		double F[9], E[9], square = 0;
		gradient_of(&b->elements[e], x, F);
		strain_of(F, E);
		for (int k = 0; k < 9; ++k)
			square += (E[k] - b->target[9 * e + k]) * (E[k] - b->target[9 * e + k]);
		sum += b->elements[e].volume * b->mu * square;
	}
	return sum;
}

static double* entry(const martin* b, int row, int column)
{
	return &b->matrix[(size_t)row * (size_t)(b->band + 1) + (size_t)(b->band + column - row)];
}

// Second derivative of the energy of an element by vertices a and c: V 2 mu (g_a.(E - T) g_c I + F-part).
static void add_block(const martin* b, const element* e, const double* F, const double* S, double g[4][3], int a, int c)
{
	double Sg[3], Fa[3] = { 0 }, Fc[3] = { 0 }, geometric = 0, dot = 0, scale = 2 * b->mu * e->volume;
	for (int i = 0; i < 3; ++i)
	{
		Sg[i] = S[3 * i] * g[c][0] + S[3 * i + 1] * g[c][1] + S[3 * i + 2] * g[c][2];
		geometric += g[a][i] * Sg[i], dot += g[a][i] * g[c][i];
		for (int j = 0; j < 3; ++j)
			Fa[i] += F[3 * i + j] * g[a][j], Fc[i] += F[3 * i + j] * g[c][j];
	}
	int row = b->order[e->v[a]], column = b->order[e->v[c]];
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
		{
			double FF = F[3 * i] * F[3 * j] + F[3 * i + 1] * F[3 * j + 1] + F[3 * i + 2] * F[3 * j + 2];
			double value = scale * ((i == j) * geometric + 0.5 * (FF * dot + Fc[i] * Fa[j]));
			if (3 * column + j <= 3 * row + i)
				*entry(b, 3 * row + i, 3 * column + j) += value;
		}
}

// Gradient into b->gradient, in the order of the system; the matrix too when asked for.
static void differentiate(martin* b, const double* x, double inertia, bool matrix)
{
	int n = 3 * b->count;
	if (matrix)
		memset(b->matrix, 0, (size_t)n * (size_t)(b->band + 1) * sizeof(double));
	for (int i = 0; i < b->count; ++i)
		for (int k = 0; k < 3; ++k)
		{
			int row = 3 * b->order[i] + k;
			b->gradient[row] = inertia * b->mass[i] * (x[3 * i + k] - b->y[3 * i + k]);
			if (matrix)
				*entry(b, row, row) = inertia * b->mass[i];
		}
	for (int index = 0; index < b->element_count; ++index)
	{
		const element* e = &b->elements[index];
		double F[9], S[9], FS[9], g[4][3];
		gradient_of(e, x, F);
		strain_of(F, S);
		for (int k = 0; k < 9; ++k)
			S[k] -= b->target[9 * index + k];
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				FS[3 * i + j] = F[3 * i] * S[j] + F[3 * i + 1] * S[3 + j] + F[3 * i + 2] * S[6 + j];
		hats(e, g);
		for (int a = 0; a < 4; ++a)
			for (int i = 0; i < 3; ++i)
				b->gradient[3 * b->order[e->v[a]] + i] +=
					2 * b->mu * e->volume * (FS[3 * i] * g[a][0] + FS[3 * i + 1] * g[a][1] + FS[3 * i + 2] * g[a][2]);
		for (int a = 0; matrix && a < 4; ++a)
			for (int c = 0; c < 4; ++c)
				add_block(b, e, F, S, g, a, c);
	}
}

// ---- linear systems ----

static void hold(martin* b, const char* fixed)
{
	for (int i = 0; i < b->count; ++i)
		for (int k = 0; fixed[i] && k < 3; ++k)
		{
			int row = 3 * b->order[i] + k, n = 3 * b->count;
			b->gradient[row] = 0;
			for (int c = row > b->band ? row - b->band : 0; c < row; ++c)
				*entry(b, row, c) = 0;
			for (int r = row + 1; r < n && r <= row + b->band; ++r)
				*entry(b, r, row) = 0;
			*entry(b, row, row) = 1;
		}
}

static bool factorise(martin* b)
{
	for (int i = 0; i < 3 * b->count; ++i)
	{
		int first = i > b->band ? i - b->band : 0;
		for (int j = first; j <= i; ++j)
		{
			int from = j > b->band && j - b->band > first ? j - b->band : first;
			const double *row = entry(b, i, from), *other = entry(b, j, from);
			double sum = *entry(b, i, j);
			for (int k = 0; k < j - from; ++k)
				sum -= row[k] * other[k];
			if (i == j && !(sum > 0))
				return false;
			*entry(b, i, j) = i == j ? sqrt(sum) : sum / *entry(b, j, j);
		}
	}
	return true;
}

static void substitute(martin* b, double* x)
{
	int n = 3 * b->count;
	for (int i = 0; i < n; ++i)
	{
		for (int k = i > b->band ? i - b->band : 0; k < i; ++k)
			x[i] -= *entry(b, i, k) * x[k];
		x[i] /= *entry(b, i, i);
	}
	for (int i = n - 1; i >= 0; --i)
	{
		x[i] /= *entry(b, i, i);
		for (int k = i > b->band ? i - b->band : 0; k < i; ++k)
			x[k] -= *entry(b, i, k) * x[i];
	}
	++b->solves;
}

// The matrix at x, factorised; more of the masses on its diagonal until it is positive definite.
static void prepare(martin* b, const double* x, double inertia, const char* fixed)
{
	double shift = 0;
	for (int k = 0; k < 30; ++k)
	{
		differentiate(b, x, inertia, true);
		for (int i = 0; i < b->count; ++i)
			for (int c = 0; c < 3; ++c)
				*entry(b, 3 * b->order[i] + c, 3 * b->order[i] + c) += shift * b->mass[i];
		hold(b, fixed);
		if (factorise(b))
			return;
		shift = shift > 0 ? 4 * shift : fmax(0.01 * inertia, 1);
	}
}

// Newton's method from x.
static void minimise(martin* b, double* x, double inertia, const char* fixed, double tolerance)
{
	int n = 3 * b->count;
	double here = energy(b, x, inertia);
	for (int round = 0; round < NEWTON; ++round)
	{
		prepare(b, x, inertia, fixed);
		memcpy(b->step, b->gradient, (size_t)n * sizeof(double));
		substitute(b, b->step);
		double slope = 0, longest = 0, next = here, t = 1;
		for (int i = 0; i < n; ++i)
			slope += b->gradient[i] * b->step[i], longest = fmax(longest, fabs(b->step[i]));
		for (int halving = 0; halving < 20; ++halving, t *= 0.5)
		{
			for (int i = 0; i < n; ++i)
				b->trial[i] = x[i] - t * b->step[3 * b->order[i / 3] + i % 3];
			next = energy(b, b->trial, inertia);
			if (next <= here - 1e-4 * t * slope)
				break;
		}
		if (next > here)
			return;
		memcpy(x, b->trial, (size_t)n * sizeof(double));
		here = next;
		if (t * longest < tolerance)
			return;
	}
}

// ---- a time step ----

// X(w) from the last X; what has no strain (moving it as a whole) stays where it is.
static void reconstruct(martin* b, double tolerance)
{
	for (int k = 0; k < 9 * b->element_count; ++k)
		b->target[k] = b->w * b->E1[k];
	memcpy(b->y, b->X, 3 * (size_t)b->count * sizeof(double));
	minimise(b, b->X, 1e-3, b->nothing, tolerance);
}

// How w has to change, by Gauss and Newton: the change of the strains of X with w against what they lack.
static double improve(martin* b)
{
	int n = 3 * b->count;
	prepare(b, b->X, 1e-3, b->nothing);
	memset(b->step, 0, (size_t)n * sizeof(double));
	for (int index = 0; index < b->element_count; ++index)
	{
		const element* e = &b->elements[index];
		const double* T = b->E1 + 9 * index;
		double F[9], g[4][3];
		gradient_of(e, b->X, F);
		hats(e, g);
		for (int a = 0; a < 4; ++a)
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					b->step[3 * b->order[e->v[a]] + i] +=
						2 * b->mu * e->volume * (F[3 * i] * T[j] + F[3 * i + 1] * T[3 + j] + F[3 * i + 2] * T[6 + j]) *
						g[a][j];
	}
	substitute(b, b->step);
	for (int i = 0; i < n; ++i)
		b->trial[i] = b->step[3 * b->order[i / 3] + i % 3];
	double along = 0, square = 0;
	for (int index = 0; index < b->element_count; ++index)
	{
		const element* e = &b->elements[index];
		double F[9], E[9], now[9], dF[9] = { 0 }, FX[9], g[4][3];
		gradient_of(e, b->X, FX);
		strain_of(FX, E);
		gradient_of(e, b->x, F);
		strain_of(F, now);
		hats(e, g);
		for (int a = 0; a < 4; ++a)
			for (int k = 0; k < 9; ++k)
				dF[k] += b->trial[3 * e->v[a] + k / 3] * g[a][k % 3];
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
			{
				double dE = 0;
				for (int k = 0; k < 3; ++k)
					dE += 0.5 * (dF[3 * k + i] * FX[3 * k + j] + FX[3 * k + i] * dF[3 * k + j]);
				along += e->volume * dE * (now[3 * i + j] - E[3 * i + j]);
				square += e->volume * dE * dE;
			}
	}
	return square > 0 ? along / square : 0;
}

static void project(martin* b, double tolerance)
{
	for (int round = 0; round < PROJECTIONS; ++round)
	{
		reconstruct(b, tolerance);
		double w = fmin(1, fmax(0, b->w + improve(b))), change = fabs(w - b->w);
		b->w = w;
		if (change < 1e-3)
			break;
	}
	reconstruct(b, tolerance);
}

void martin_step(martin* b, double h)
{
	int n = 3 * b->count;
	double size = cbrt(b->elements[0].volume), tolerance = 1e-4 * size, keep = exp(-b->drag * h);
	project(b, tolerance);
	strains(b, b->X, b->target);
	for (int k = 0; k < 9 * b->element_count; ++k)
		b->target[k] *= 1 - b->rest; // r |E|^2 + (1 - r) |E - T|^2 = |E - (1 - r) T|^2 + constant
	for (int i = 0; i < n; ++i)
		b->y[i] = b->pinned[i / 3] ? b->x[i] : b->x[i] + h * (keep * b->v[i] + h * b->gravity[i % 3]);
	memcpy(b->v, b->x, (size_t)n * sizeof(double));
	minimise(b, b->x, 1 / (h * h), b->pinned, tolerance);
	for (int i = 0; i < n; ++i)
		b->v[i] = (b->x[i] - b->v[i]) / h;
}

void martin_pin(martin* b, int32_t vertex)
{
	b->pinned[vertex] = 1;
}

const double* martin_positions(const martin* b)
{
	return b->x;
}

double martin_weight(const martin* b)
{
	return b->w;
}

int64_t martin_solves(const martin* b)
{
	return b->solves;
}

// ---- set-up ----

typedef struct sorted
{
	double place; // along the longest axis
	int vertex;
} sorted;

static int along_axis(const void* a, const void* b)
{
	const sorted *i = a, *j = b;
	return i->place < j->place ? -1 : i->place > j->place ? 1 : i->vertex - j->vertex;
}

static bool number_vertices(martin* b, const lm_mesh* mesh)
{
	double low[3], high[3];
	lm_mesh_bounds(mesh->positions, b->count, low, high);
	int axis = 0;
	for (int k = 1; k < 3; ++k)
		axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
	sorted* list = calloc((size_t)b->count, sizeof *list);
	for (int i = 0; list && i < b->count; ++i)
		list[i] = (sorted){ mesh->positions[3 * i + axis], i };
	if (!list)
		return false;
	qsort(list, (size_t)b->count, sizeof *list, along_axis);
	for (int i = 0; i < b->count; ++i)
		b->order[list[i].vertex] = i;
	free(list);
	for (int e = 0; e < mesh->tet_count; ++e)
		for (int a = 0; a < 4; ++a)
			for (int c = 0; c < 4; ++c)
			{
				int apart = 3 * (b->order[mesh->tets[4 * e + a]] - b->order[mesh->tets[4 * e + c]]) + 2;
				b->band = apart > b->band ? apart : b->band;
			}
	return true;
}

static void build_elements(martin* b, const lm_mesh* mesh, double density)
{
	for (int index = 0; index < b->element_count; ++index)
	{
		element* e = &b->elements[index];
		double D[9];
		for (int c = 0; c < 4; ++c)
			e->v[c] = mesh->tets[4 * index + c];
		for (int c = 0; c < 3; ++c)
			for (int i = 0; i < 3; ++i)
				D[3 * i + c] = mesh->positions[3 * e->v[c + 1] + i] - mesh->positions[3 * e->v[0] + i];
		double c0 = D[4] * D[8] - D[5] * D[7], c1 = D[5] * D[6] - D[3] * D[8], c2 = D[3] * D[7] - D[4] * D[6];
		double det = D[0] * c0 + D[1] * c1 + D[2] * c2;
		const double adjugate[9] = { c0, D[2] * D[7] - D[1] * D[8], D[1] * D[5] - D[2] * D[4],
			                         c1, D[0] * D[8] - D[2] * D[6], D[2] * D[3] - D[0] * D[5],
			                         c2, D[1] * D[6] - D[0] * D[7], D[0] * D[4] - D[1] * D[3] };
		for (int k = 0; k < 9; ++k)
			e->B[k] = adjugate[k] / det;
		e->volume = fabs(det) / 6;
		for (int c = 0; c < 4; ++c)
			b->mass[e->v[c]] += density * e->volume / 4;
	}
}

martin* martin_create(const martin_def* def)
{
	martin* b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->count = def->mesh->vertex_count, b->element_count = def->mesh->tet_count;
	b->mu = def->young / 2, b->rest = def->rest, b->drag = def->drag;
	memcpy(b->gravity, def->gravity, sizeof b->gravity);
	size_t n = 3 * (size_t)b->count, tensors = 9 * (size_t)b->element_count;
	double** const vectors[] = { &b->mass, &b->x, &b->v, &b->X, &b->y, &b->gradient, &b->step, &b->trial };
	bool enough = true;
	for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
		enough = (*vectors[k] = calloc(n, sizeof(double))) && enough;
	b->E1 = calloc(tensors, sizeof(double)), b->target = calloc(tensors, sizeof(double));
	b->order = calloc((size_t)b->count, sizeof *b->order);
	b->elements = calloc((size_t)b->element_count, sizeof *b->elements);
	b->pinned = calloc((size_t)b->count, 1), b->nothing = calloc((size_t)b->count, 1);
	enough = enough && b->E1 && b->target && b->order && b->elements && b->pinned && b->nothing &&
	         number_vertices(b, def->mesh);
	if (enough)
		b->matrix = calloc(n * (size_t)(b->band + 1), sizeof(double));
	if (!enough || !b->matrix)
	{
		martin_destroy(b);
		return NULL;
	}
	build_elements(b, def->mesh, def->density);
	memcpy(b->x, def->mesh->positions, n * sizeof(double));
	memcpy(b->X, def->mesh->positions, n * sizeof(double));
	strains(b, def->example, b->E1);
	return b;
}

void martin_destroy(martin* b)
{
	if (!b)
		return;
	void* all[] = { b->mass,   b->x,  b->v,      b->X,     b->y,        b->gradient, b->step,    b->trial,
		            b->matrix, b->E1, b->target, b->order, b->elements, b->pinned,   b->nothing, b };
	for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
		free(all[k]);
}
