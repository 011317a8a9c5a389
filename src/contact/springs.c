#include "contact/springs.h"

double lm_spring_normal(double stiffness, double smoothing, double d, double* first, double* second)
{
	double x = (smoothing - d) / smoothing, N, N1, N2;
	if (!(x > 0))
		N = N1 = N2 = 0;
	else if (x < 1)
	{
		N = stiffness * smoothing * x * x * x * (1 - 0.5 * x);
		N1 = -stiffness * x * x * (3 - 2 * x);
		N2 = 6 * stiffness / smoothing * x * (1 - x);
	}
	else
		N = stiffness * (0.5 * smoothing - d), N1 = -stiffness, N2 = 0;
	if (first)
		*first = N1;
	if (second)
		*second = N2;
	return N;
}

double lm_spring_rest(double stiffness, double smoothing, double load)
{
	double scaled = load / (stiffness * smoothing), low = 0, high = 1;
	if (scaled >= 0.5)
		return smoothing * (0.5 - scaled);
	for (int i = 0; i < 60; ++i) // x^3 - x^4 / 2 rises from 0 to 1/2
	{
		double x = 0.5 * (low + high);
		if (x * x * x * (1 - 0.5 * x) < scaled)
			low = x;
		else
			high = x;
	}
	return smoothing * (1 - high);
}

// ---- friction

typedef struct friction_stretch
{
	lm_vec3 u, g;
	double r;
} friction_stretch;

static lm_vec3 without(lm_vec3 a, lm_vec3 unit)
{
	return lm_add_scaled(a, -lm_dot(a, unit), unit);
}

static friction_stretch friction_at(const lm_spring* spring, lm_vec3 p)
{
	lm_vec3 u = without(lm_sub(p, spring->anchor), spring->normal);
	double r = sqrt(lm_dot(u, u) + spring->slack * spring->slack);
	return (friction_stretch){ u, lm_scale(1 / r, u), r };
}

// I - n n^T
static lm_mat3 projection(lm_vec3 n)
{
	lm_mat3 P = lm_identity();
	lm_add_outer(&P, -1, n, n);
	return P;
}

static void add_scaled(lm_mat3* A, double s, const lm_mat3* B)
{
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			A->m[i][j] += s * B->m[i][j];
}

// ---- the whole

void lm_spring_evaluate_force(const lm_spring* spring, lm_vec3 p, lm_spring_force* result)
{
	lm_vec3 n;
	*result = (lm_spring_force){ .distance = lm_feature_distance(&spring->feature, p, &n, NULL) };
	result->normal = lm_spring_normal(spring->stiffness, spring->smoothing, result->distance, NULL, NULL);
	if (!(result->normal > 0))
		return;
	friction_stretch s = friction_at(spring, p);
	result->friction = lm_scale(-spring->friction * result->normal, s.g);
	result->f = lm_add_scaled(result->friction, result->normal, n);
}

void lm_spring_evaluate(const lm_spring* spring, lm_vec3 p, lm_spring_force* result)
{
	lm_spring_evaluate_force(spring, p, result);
	if (!(result->normal > 0))
		return;
	lm_vec3 n;
	lm_mat3 H, P = projection(spring->normal);
	double N = result->normal, mu = spring->friction, N1;
	lm_feature_distance(&spring->feature, p, &n, &H);
	lm_spring_normal(spring->stiffness, spring->smoothing, result->distance, &N1, NULL);
	friction_stretch s = friction_at(spring, p);
	lm_add_outer(&result->A, -N1, n, n);
	add_scaled(&result->A, -N, &H);
	lm_add_outer(&P, -1, s.g, s.g);
	add_scaled(&result->A, mu * N / s.r, &P);
	result->U = lm_scale(mu * N1, s.g);
	result->V = n;
}

// The Hessian of lambda . g, with l = P lambda.
static lm_mat3 friction_second(const lm_spring* spring, const friction_stretch* s, lm_vec3 l)
{
	lm_mat3 B = { 0 }, P = projection(spring->normal);
	double along = lm_dot(s->g, l), scale = 1 / (s->r * s->r);
	lm_add_outer(&B, -scale, l, s->g);
	lm_add_outer(&B, -scale, s->g, l);
	add_scaled(&B, -scale * along, &P);
	lm_add_outer(&B, 3 * scale * along, s->g, s->g);
	return B;
}

lm_mat3 lm_spring_second(const lm_spring* spring, lm_vec3 p, lm_vec3 lambda)
{
	lm_mat3 S = { 0 }, H;
	lm_vec3 n;
	double d = lm_feature_distance(&spring->feature, p, &n, &H), N1, N2, mu = spring->friction;
	double N = lm_spring_normal(spring->stiffness, spring->smoothing, d, &N1, &N2);
	if (!(N > 0))
		return S;
	friction_stretch s = friction_at(spring, p);
	lm_vec3 l = without(lambda, spring->normal);
	lm_vec3 b = lm_scale(1 / s.r, lm_add_scaled(l, -lm_dot(s.g, l), s.g));
	lm_vec3 c = lm_add_scaled(lm_mul_v(H, lambda), -mu, b);
	double w = lm_dot(lambda, n) - mu * lm_dot(lambda, s.g);
	lm_add_outer(&S, N2 * w, n, n);
	add_scaled(&S, N1 * w, &H);
	lm_add_outer(&S, N1, n, c);
	lm_add_outer(&S, N1, c, n);
	lm_mat3 third = lm_feature_third(&spring->feature, p, lambda), B = friction_second(spring, &s, l);
	add_scaled(&S, N, &third);
	add_scaled(&S, -N * mu, &B);
	return S;
}

lm_vec3 lm_spring_slide(const lm_spring* spring, lm_vec3 p)
{
	lm_vec3 u = without(lm_sub(p, spring->anchor), spring->normal);
	double length = lm_length(u), limit = LM_SPRING_STRETCH * spring->slack;
	return lm_add_scaled(p, length > limit ? -limit / length : -1, u);
}
