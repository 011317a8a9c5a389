// reference.c: Koyama et al., "Real-Time Example-Based Elastic Deformation" (2012), as written.
//
//   region r = particle r and its one-ring;  m~_i = m_i / |N_i|;  q_i = x_i^0 - c_r^0
//   A_r = (sum m~_i p_i q_i^T) (sum m~_i q_i q_i^T)^-1       Eq. 1; p_i = x_i - c_r, or just x_i: sum m~_i q_i = 0
//   S_r = sqrt(A_r^T A_r), R_r = A_r S_r^-1                  by the eigenvectors of A_r^T A_r
//   w   = (L^T L)^-1 L^T (S - S^0)                           Eq. 6-7, per group; negative weights are removed
//   g_i = mean over r of R_r S~_r q_i + c_r                  Eq. 3
//   v  += alpha (g - x) / h + h f / m,  x += h v             Eq. 4-5
//
// Departures: where the paper's formulas have no value (an example equal to the rest pose, a collapsed region) a tiny
// number stands in for zero; the removal of negative weights, which can go on for ever, ends after 2 n rounds, and what
// is negative then is left out.
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reference
{
	int count, example_count, group_count;
	double alpha, beta, h, drag, friction, gravity[3];
	double *x, *v, *goal; // count x 3
	double* mean;         // 1 / |N_i|
	char* pinned;
	int* starts;            // of the members of each region, count + 1
	int* members;           // particles
	double *q, *mq;         // per member: q_i and m~_i q_i
	double* mass;           // m~ per particle
	double* inverse_mass;   // 1 / sum of m~, per region
	double* inverse_moment; // 3x3 per region
	double* eigenvectors;   // 3x3 per region, of the last step
	double *R, *S, *c;      // 9, 6, 3 per region
	double* L;              // S^k - S^0: 6 per region, example by example
	int* group;             // of each region
	double* inverse_gram;   // (L^T L)^-1 per group
	double *w, *right;      // per group and example
};

// ---- 3x3, row by row ----

static void multiply(const double* A, const double* B, double* C)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static void invert(const double* A, double* B)
{
	double c0 = A[4] * A[8] - A[5] * A[7], c1 = A[5] * A[6] - A[3] * A[8], c2 = A[3] * A[7] - A[4] * A[6];
	double det = A[0] * c0 + A[1] * c1 + A[2] * c2;
	double s = fabs(det) > 1e-300 ? 1 / det : 0;
	B[0] = s * c0, B[1] = s * (A[2] * A[7] - A[1] * A[8]), B[2] = s * (A[1] * A[5] - A[2] * A[4]);
	B[3] = s * c1, B[4] = s * (A[0] * A[8] - A[2] * A[6]), B[5] = s * (A[2] * A[3] - A[0] * A[5]);
	B[6] = s * c2, B[7] = s * (A[1] * A[6] - A[0] * A[7]), B[8] = s * (A[0] * A[4] - A[1] * A[3]);
}

// One Jacobi rotation of the symmetric M, rows p and q, r being the third; columns p and q of V turn along.
static inline void jacobi(double M[3][3], double* V, int p, int q, int r)
{
	if (fabs(M[p][q]) < 1e-9 * (M[p][p] + M[q][q]))
		return;
	double zeta = (M[q][q] - M[p][p]) / (2 * M[p][q]);
	double t = copysign(1 / (fabs(zeta) + sqrt(1 + zeta * zeta)), zeta), c = 1 / sqrt(1 + t * t), s = c * t;
	double mpr = M[p][r], mqr = M[q][r];
	M[p][p] -= t * M[p][q];
	M[q][q] += t * M[p][q];
	M[p][q] = M[q][p] = 0;
	M[p][r] = M[r][p] = c * mpr - s * mqr;
	M[q][r] = M[r][q] = s * mpr + c * mqr;
	for (int k = 0; k < 3; ++k)
	{
		double vp = V[3 * k + p], vq = V[3 * k + q];
		V[3 * k + p] = c * vp - s * vq;
		V[3 * k + q] = s * vp + c * vq;
	}
}

// A = R S; V holds eigenvectors of an earlier A^T A and is brought up to date. S: xx yy zz xy xz yz.
static void polar(const double* A, double* V, double* R, double* S)
{
	double AV[9], M[3][3];
	multiply(A, V, AV); // V^T A^T A V = (A V)^T (A V), nearly diagonal
	for (int i = 0; i < 3; ++i)
		for (int j = i; j < 3; ++j)
			M[i][j] = M[j][i] = AV[i] * AV[j] + AV[3 + i] * AV[3 + j] + AV[6 + i] * AV[6 + j];
	for (int sweep = 0; sweep < 10; ++sweep)
	{
		double off = M[0][1] * M[0][1] + M[0][2] * M[0][2] + M[1][2] * M[1][2];
		double trace = M[0][0] + M[1][1] + M[2][2];
		if (off <= 1e-14 * trace * trace)
			break;
		jacobi(M, V, 0, 1, 2);
		jacobi(M, V, 0, 2, 1);
		jacobi(M, V, 1, 2, 0);
	}
	double s[3], inverse[3];
	for (int k = 0; k < 3; ++k)
	{
		s[k] = sqrt(fmax(M[k][k], 1e-24));
		inverse[k] = 1 / s[k];
	}
	static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
	double T[6]; // S^-1
	for (int e = 0; e < 6; ++e)
	{
		const double *a = &V[3 * row[e]], *b = &V[3 * column[e]];
		double v0 = a[0] * b[0], v1 = a[1] * b[1], v2 = a[2] * b[2];
		S[e] = s[0] * v0 + s[1] * v1 + s[2] * v2;
		T[e] = inverse[0] * v0 + inverse[1] * v1 + inverse[2] * v2;
	}
	const double full[9] = { T[0], T[3], T[4], T[3], T[1], T[5], T[4], T[5], T[2] };
	multiply(A, full, R);
}

// ---- one time step ----

// Centre, A, R and S of each region at the positions x.
static void match_regions(reference* b, const double* x)
{
	for (int r = 0; r < b->count; ++r)
	{
		double cx = 0, cy = 0, cz = 0, P[9] = { 0 }, A[9];
		for (int k = b->starts[r]; k < b->starts[r + 1]; ++k)
		{
			int i = b->members[k];
			double m = b->mass[i], x0 = x[3 * i], x1 = x[3 * i + 1], x2 = x[3 * i + 2];
			const double* mq = &b->mq[3 * k];
			cx += m * x0, cy += m * x1, cz += m * x2;
			P[0] += x0 * mq[0], P[1] += x0 * mq[1], P[2] += x0 * mq[2];
			P[3] += x1 * mq[0], P[4] += x1 * mq[1], P[5] += x1 * mq[2];
			P[6] += x2 * mq[0], P[7] += x2 * mq[1], P[8] += x2 * mq[2];
		}
		double scale = b->inverse_mass[r];
		b->c[3 * r] = scale * cx, b->c[3 * r + 1] = scale * cy, b->c[3 * r + 2] = scale * cz;
		multiply(P, &b->inverse_moment[9 * r], A);
		polar(A, &b->eigenvectors[9 * r], &b->R[9 * r], &b->S[6 * r]);
	}
}

// "the smallest negative weight is chosen and set to zero, and its absolute value is divided by n and subtracted from
// all the other weights"; all weights, w_0 too.
static void remove_negative(int n, double* w)
{
	double all[65], rest = 1;
	for (int k = 0; k < n; ++k)
		rest -= all[k + 1] = w[k];
	all[0] = rest;
	for (int round = 0; round < 2 * n; ++round)
	{
		int least = 0;
		for (int k = 1; k <= n; ++k)
			if (all[k] < all[least])
				least = k;
		if (all[least] >= 0)
			break;
		double share = -all[least] / n;
		for (int k = 0; k <= n; ++k)
			all[k] = k == least ? 0 : all[k] - share;
	}
	double sum = 0;
	for (int k = 0; k <= n; ++k)
		sum += all[k] = fmax(0, all[k]);
	for (int k = 0; k < n; ++k)
		w[k] = all[k + 1] / sum;
}

// Eq. 6-7 and beta: the weights of each group.
static void project(reference* b)
{
	int n = b->example_count;
	memset(b->right, 0, (size_t)(b->group_count * n) * sizeof(double));
	for (int k = 0; k < n; ++k)
		for (int r = 0; r < b->count; ++r)
		{
			const double *S = &b->S[6 * r], *L = &b->L[6 * (k * b->count + r)];
			b->right[b->group[r] * n + k] +=
				L[0] * (S[0] - 1) + L[1] * (S[1] - 1) + L[2] * (S[2] - 1) + L[3] * S[3] + L[4] * S[4] + L[5] * S[5];
		}
	for (int g = 0; g < b->group_count; ++g)
	{
		double* w = &b->w[g * n];
		for (int k = 0; k < n; ++k)
		{
			w[k] = 0;
			for (int l = 0; l < n; ++l)
				w[k] += b->inverse_gram[(g * n + k) * n + l] * b->right[g * n + l];
		}
		remove_negative(n, w);
	}
}

// Eq. 3, summed over the regions.
static void add_goals(reference* b)
{
	memset(b->goal, 0, 3 * (size_t)b->count * sizeof(double));
	for (int r = 0; r < b->count; ++r)
	{
		double S[6] = { 1, 1, 1, 0, 0, 0 }, G[9];
		for (int k = 0; k < b->example_count; ++k)
		{
			double w = b->beta * b->w[b->group[r] * b->example_count + k];
			const double* L = &b->L[6 * (k * b->count + r)];
			for (int e = 0; e < 6; ++e)
				S[e] += w * L[e];
		}
		const double full[9] = { S[0], S[3], S[4], S[3], S[1], S[5], S[4], S[5], S[2] }, *c = &b->c[3 * r];
		multiply(&b->R[9 * r], full, G);
		for (int k = b->starts[r]; k < b->starts[r + 1]; ++k)
		{
			const double* q = &b->q[3 * k];
			double* g = &b->goal[3 * b->members[k]];
			g[0] += G[0] * q[0] + G[1] * q[1] + G[2] * q[2] + c[0];
			g[1] += G[3] * q[0] + G[4] * q[1] + G[5] * q[2] + c[1];
			g[2] += G[6] * q[0] + G[7] * q[1] + G[8] * q[2] + c[2];
		}
	}
}

void reference_place(reference_colliders* places, const lm_colliders* colliders, const lm_collider_def* defs)
{
	places->all = colliders;
	places->defs = defs;
	places->count = lm_colliders_count(colliders);
	for (int32_t i = 0; i < places->count; ++i)
	{
		double q[4], *R = places->places[i].axes;
		lm_colliders_placement(colliders, i, places->places[i].position, q);
		double w = q[0], x = q[1], y = q[2], z = q[3];
		const double axes[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y + w * z),     2 * (x * z - w * y),
			                     2 * (x * y - w * z),     1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
			                     2 * (x * z + w * y),     2 * (y * z - w * x),     1 - 2 * (x * x + y * y) };
		memcpy(R, axes, sizeof axes);
	}
}

static inline bool is_inside(const reference_colliders* c, int32_t i, const double* x)
{
	const lm_collider_def* def = &c->defs[i];
	const double *p = c->places[i].position, *R = c->places[i].axes, d[3] = { x[0] - p[0], x[1] - p[1], x[2] - p[2] };
	double ly = R[3] * d[0] + R[4] * d[1] + R[5] * d[2];
	if (def->shape == LM_SHAPE_PLANE)
		return ly < 0;
	double lx = R[0] * d[0] + R[1] * d[1] + R[2] * d[2], lz = R[6] * d[0] + R[7] * d[1] + R[8] * d[2];
	if (def->shape == LM_SHAPE_BOX)
		return fabs(lx) < def->half[0] && fabs(ly) < def->half[1] && fabs(lz) < def->half[2];
	if (def->shape == LM_SHAPE_MESH)
		return true;
	double off = def->shape == LM_SHAPE_CAPSULE ? fmax(fabs(ly) - def->half_length, 0) : ly;
	return lx * lx + off * off + lz * lz < def->radius * def->radius;
}

// Out of the collider, and Coulomb friction on the way.
static void touch(const reference* b, const reference_colliders* colliders, double* x, double* v)
{
	bool inside = false;
	for (int32_t i = 0; !inside && i < colliders->count; ++i)
		inside = is_inside(colliders, i, x);
	if (!inside)
		return;
	lm_touch t = lm_colliders_query(colliders->all, x, 0);
	if (t.collider < 0 || t.distance >= 0)
		return;
	double normal = 0, slide = 0, u[3];
	for (int d = 0; d < 3; ++d)
	{
		x[d] -= t.distance * t.normal[d];
		u[d] = v[d] - t.velocity[d];
		normal += u[d] * t.normal[d];
	}
	if (normal >= 0)
		return;
	for (int d = 0; d < 3; ++d)
	{
		u[d] -= normal * t.normal[d];
		slide += u[d] * u[d];
	}
	double grip = sqrt(b->friction * t.friction) * -normal, speed = sqrt(slide);
	double keep = speed > grip ? 1 - grip / speed : 0;
	for (int d = 0; d < 3; ++d)
		v[d] = t.velocity[d] + keep * u[d];
}

// Eq. 4-5.
static void integrate(reference* b, const reference_colliders* colliders)
{
	double pull = b->alpha / b->h, slow = exp(-b->drag * b->h);
	for (int i = 0; i < b->count; ++i)
	{
		if (b->pinned[i])
			continue;
		double *x = &b->x[3 * i], *v = &b->v[3 * i];
		for (int d = 0; d < 3; ++d)
		{
			v[d] = slow * v[d] + pull * (b->goal[3 * i + d] * b->mean[i] - x[d]) + b->h * b->gravity[d];
			x[d] += b->h * v[d];
		}
		if (colliders)
			touch(b, colliders, x, v);
	}
}

void reference_step(reference* b, const reference_colliders* colliders)
{
	match_regions(b, b->x);
	project(b);
	add_goals(b);
	integrate(b, colliders);
}

void reference_restart(reference* b, const double* positions, const double* velocities)
{
	size_t bytes = 3 * (size_t)b->count * sizeof(double);
	memcpy(b->x, positions, bytes);
	memcpy(b->v, velocities, bytes);
	for (int i = 0; i < 9 * b->count; ++i)
		b->eigenvectors[i] = i % 9 % 4 == 0;
}

void reference_pin(reference* b, int32_t vertex)
{
	b->pinned[vertex] = 1;
}

const double* reference_positions(const reference* b)
{
	return b->x;
}

const double* reference_weights(const reference* b, int32_t group)
{
	return &b->w[group * b->example_count];
}

// ---- set-up ----

static int by_value(const void* a, const void* b)
{
	return *(const int*)a - *(const int*)b;
}

// The particle itself and its neighbours along edges of tetrahedra, sorted.
static bool build_regions(reference* b, const lm_mesh* mesh)
{
	int n = b->count;
	int* fill = calloc((size_t)n + 1, sizeof *fill);
	int* raw = malloc(sizeof *raw * ((size_t)n + 12 * (size_t)mesh->tet_count));
	b->starts = malloc(sizeof *b->starts * ((size_t)n + 1));
	b->members = malloc(sizeof *b->members * ((size_t)n + 12 * (size_t)mesh->tet_count));
	bool enough = fill && raw && b->starts && b->members;
	if (enough)
	{
		for (int t = 0; t < 4 * mesh->tet_count; ++t)
			fill[mesh->tets[t] + 1] += 3;
		for (int i = 0; i < n; ++i)
			fill[i + 1] += fill[i] + 1;
		for (int i = 0; i < n; ++i)
			raw[fill[i]] = i, b->starts[i] = fill[i] + 1; // next free place, for now
		for (int t = 0; t < mesh->tet_count; ++t)
			for (int a = 0; a < 4; ++a)
				for (int c = 0; c < 4; ++c)
					if (a != c)
						raw[b->starts[mesh->tets[4 * t + a]]++] = mesh->tets[4 * t + c];
		int total = 0;
		for (int i = 0; i < n; ++i)
		{
			qsort(&raw[fill[i]], (size_t)(fill[i + 1] - fill[i]), sizeof *raw, by_value);
			b->starts[i] = total;
			for (int k = fill[i]; k < fill[i + 1]; ++k)
				if (k == fill[i] || raw[k] != raw[k - 1])
					b->members[total++] = raw[k];
		}
		b->starts[n] = total;
	}
	free(fill);
	free(raw);
	return enough;
}

static void effective_masses(reference* b, const lm_mesh* mesh, double density)
{
	for (int t = 0; t < mesh->tet_count; ++t)
	{
		const int32_t* v = &mesh->tets[4 * t];
		double e[9];
		for (int k = 0; k < 3; ++k)
			for (int d = 0; d < 3; ++d)
				e[3 * k + d] = mesh->positions[3 * v[k + 1] + d] - mesh->positions[3 * v[0] + d];
		double volume = (e[0] * (e[4] * e[8] - e[5] * e[7]) + e[1] * (e[5] * e[6] - e[3] * e[8]) +
		                 e[2] * (e[3] * e[7] - e[4] * e[6])) /
		                6;
		for (int k = 0; k < 4; ++k)
			b->mass[v[k]] += density * volume / 4;
	}
	for (int i = 0; i < b->count; ++i)
	{
		b->mean[i] = 1.0 / (b->starts[i + 1] - b->starts[i]);
		b->mass[i] = (b->mass[i] > 0 ? b->mass[i] : 1e-9) * b->mean[i];
	}
}

static void rest_moments(reference* b, const double* rest)
{
	for (int r = 0; r < b->count; ++r)
	{
		double total = 0, c[3] = { 0 }, moment[9] = { 0 };
		for (int k = b->starts[r]; k < b->starts[r + 1]; ++k)
		{
			double m = b->mass[b->members[k]];
			total += m;
			for (int d = 0; d < 3; ++d)
				c[d] += m * rest[3 * b->members[k] + d];
		}
		b->inverse_mass[r] = 1 / total;
		for (int k = b->starts[r]; k < b->starts[r + 1]; ++k)
		{
			double *q = &b->q[3 * k], *mq = &b->mq[3 * k];
			for (int d = 0; d < 3; ++d)
			{
				q[d] = rest[3 * b->members[k] + d] - c[d] / total;
				mq[d] = b->mass[b->members[k]] * q[d];
			}
			for (int i = 0; i < 3; ++i)
				for (int j = 0; j < 3; ++j)
					moment[3 * i + j] += mq[i] * q[j];
		}
		invert(moment, &b->inverse_moment[9 * r]);
		for (int i = 0; i < 9; ++i)
			b->eigenvectors[9 * r + i] = i % 4 == 0; // no earlier step to start from
	}
}

// Gauss-Jordan on the n x n matrix with a tiny ridge, so that equal examples do not divide by zero.
static void invert_gram(int n, double* gram)
{
	double A[64][128], largest = 1e-30;
	for (int i = 0; i < n; ++i)
		largest = fmax(largest, gram[i * n + i]);
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
		{
			A[i][j] = gram[i * n + j] + (i == j) * 1e-9 * largest;
			A[i][n + j] = i == j;
		}
	for (int p = 0; p < n; ++p)
		for (int i = 0; i < n; ++i)
		{
			double factor = A[i][p] / A[p][p];
			for (int j = 0; i != p && j < 2 * n; ++j)
				A[i][j] -= factor * A[p][j];
		}
	for (int i = 0; i < n; ++i)
		for (int j = 0; j < n; ++j)
			gram[i * n + j] = A[i][n + j] / A[i][i];
}

static void learn_examples(reference* b, const double* const* examples)
{
	int n = b->example_count;
	for (int k = 0; k < n; ++k)
	{
		match_regions(b, examples[k]);
		double* L = &b->L[6 * (size_t)k * (size_t)b->count];
		for (int e = 0; e < 6 * b->count; ++e)
			L[e] = b->S[e] - (e % 6 < 3);
	}
	for (int k = 0; k < n; ++k)
		for (int l = 0; l < n; ++l)
			for (int r = 0; r < b->count; ++r)
				for (int e = 0; e < 6; ++e)
					b->inverse_gram[(b->group[r] * n + k) * n + l] +=
						b->L[6 * (k * b->count + r) + e] * b->L[6 * (l * b->count + r) + e];
	for (int g = 0; g < b->group_count; ++g)
		invert_gram(n, &b->inverse_gram[g * n * n]);
}

static double* zeros(size_t count, bool* enough)
{
	double* memory = calloc(count ? count : 1, sizeof(double));
	*enough = *enough && memory;
	return memory;
}

static bool allocate(reference* b)
{
	size_t n = (size_t)b->count, members = (size_t)b->starts[n], k = (size_t)b->example_count;
	size_t groups = (size_t)b->group_count;
	bool enough = true;
	b->x = zeros(3 * n, &enough), b->v = zeros(3 * n, &enough), b->goal = zeros(3 * n, &enough);
	b->mean = zeros(n, &enough), b->mass = zeros(n, &enough), b->inverse_mass = zeros(n, &enough);
	b->q = zeros(3 * members, &enough), b->mq = zeros(3 * members, &enough);
	b->inverse_moment = zeros(9 * n, &enough), b->eigenvectors = zeros(9 * n, &enough);
	b->R = zeros(9 * n, &enough), b->S = zeros(6 * n, &enough), b->c = zeros(3 * n, &enough);
	b->L = zeros(6 * n * k, &enough), b->inverse_gram = zeros(groups * k * k, &enough);
	b->w = zeros(groups * k, &enough), b->right = zeros(groups * k, &enough);
	b->group = calloc(n, sizeof *b->group);
	b->pinned = calloc(n, 1);
	return enough && b->group && b->pinned;
}

reference* reference_create(const reference_def* def)
{
	reference* b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->count = def->mesh->vertex_count, b->example_count = def->example_count;
	b->group_count = def->groups ? def->group_count : 1;
	b->alpha = def->alpha, b->beta = def->beta, b->h = def->h, b->drag = def->drag, b->friction = def->friction;
	memcpy(b->gravity, def->gravity, sizeof b->gravity);
	if (!build_regions(b, def->mesh) || !allocate(b))
	{
		reference_destroy(b);
		return NULL;
	}
	for (int i = 0; def->groups && i < b->count; ++i)
		b->group[i] = def->groups[i];
	effective_masses(b, def->mesh, def->density);
	rest_moments(b, def->mesh->positions);
	learn_examples(b, def->examples);
	size_t bytes = 3 * (size_t)b->count * sizeof(double);
	memcpy(b->x, def->start ? def->start : def->mesh->positions, bytes);
	if (def->velocities)
		memcpy(b->v, def->velocities, bytes);
	return b;
}

void reference_destroy(reference* b)
{
	if (!b)
		return;
	void* all[] = { b->x,
		            b->v,
		            b->goal,
		            b->mean,
		            b->pinned,
		            b->starts,
		            b->members,
		            b->q,
		            b->mq,
		            b->mass,
		            b->inverse_mass,
		            b->inverse_moment,
		            b->eigenvectors,
		            b->R,
		            b->S,
		            b->c,
		            b->L,
		            b->group,
		            b->inverse_gram,
		            b->w,
		            b->right,
		            b };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		free(all[i]);
}
