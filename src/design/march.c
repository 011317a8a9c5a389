// march.c: fast marching with a binary heap; see march.h.
#include "design/march.h"

#include "base/alloc.h"
#include "base/error.h"

enum
{
	FAR = -1,
	DONE = -2
};

lm_status lm_design_march_create(const lm_design_grid* grid, lm_design_march* march, lm_error* error)
{
	*march = (lm_design_march){ .grid = grid };
	march->heap = LM_NEW(&grid->host, grid->material, int32_t);
	march->place = LM_NEW(&grid->host, grid->material, int32_t);
	if (march->heap != NULL && march->place != NULL)
		return LM_OK;
	lm_design_march_release(march);
	return lm_fail_memory(error);
}

void lm_design_march_release(lm_design_march* march)
{
	if (march->grid == NULL)
		return;
	lm_free(&march->grid->host, march->heap);
	lm_free(&march->grid->host, march->place);
	*march = (lm_design_march){ 0 };
}

// ---- the heap ---------------------------------------------------------------------------------------------------

static void sift_up(lm_design_march* m, int32_t at)
{
	int32_t slot = m->heap[at];
	float d = m->d[slot];
	while (at > 0 && m->d[m->heap[(at - 1) / 2]] > d)
	{
		m->heap[at] = m->heap[(at - 1) / 2];
		m->place[m->heap[at]] = at;
		at = (at - 1) / 2;
	}
	m->heap[at] = slot;
	m->place[slot] = at;
}

static int32_t pop(lm_design_march* m)
{
	int32_t top = m->heap[0], slot = m->heap[--m->size], at = 0;
	m->place[top] = DONE;
	if (m->size == 0)
		return top;
	float d = m->d[slot];
	for (;;)
	{
		int32_t child = 2 * at + 1;
		if (child >= m->size)
			break;
		if (child + 1 < m->size && m->d[m->heap[child + 1]] < m->d[m->heap[child]])
			++child;
		if (m->d[m->heap[child]] >= d)
			break;
		m->heap[at] = m->heap[child];
		m->place[m->heap[at]] = at;
		at = child;
	}
	m->heap[at] = slot;
	m->place[slot] = at;
	return top;
}

static void push(lm_design_march* m, int32_t slot, float d)
{
	m->d[slot] = d;
	if (m->place[slot] == FAR)
	{
		m->heap[m->size] = slot;
		m->place[slot] = m->size++;
	}
	sift_up(m, m->place[slot]);
}

// ---- the upwind update ------------------------------------------------------------------------------------------

// One axis as a (d - t)^2: the nearer side's value, or with the voxel behind it (4 v1 - v2) / 3 and weight 9/4.
static bool upwind(const lm_design_march* m, int32_t slot, int axis, double* a, double* t)
{
	const lm_design_grid* g = m->grid;
	int32_t best = -1;
	int side = 0;
	for (int s = 2 * axis; s < 2 * axis + 2; ++s)
	{
		int32_t next = g->near[slot][s];
		if (next >= 0 && next < g->material && m->place[next] == DONE && (best < 0 || m->d[next] < m->d[best]))
			best = next, side = s;
	}
	if (best < 0)
		return false;
	int32_t behind = g->near[best][side];
	*a = 1, *t = m->d[best];
	if (behind >= 0 && behind < g->material && m->place[behind] == DONE && m->d[behind] <= m->d[best])
		*a = 2.25, *t = (4.0 * m->d[best] - m->d[behind]) / 3;
	return true;
}

// Largest root of sum a (d - t)^2 = h^2, over as many axes as give one that lies above all their t.
static double solve_upwind(const lm_design_march* m, int32_t slot)
{
	double a[3], t[3], h2 = m->grid->h * m->grid->h;
	int count = 0;
	for (int axis = 0; axis < 3; ++axis)
		if (upwind(m, slot, axis, &a[count], &t[count]))
			++count;
	while (count > 0)
	{
		double A = 0, B = 0, C = -h2;
		int last = 0;
		for (int i = 0; i < count; ++i)
		{
			A += a[i], B += a[i] * t[i], C += a[i] * t[i] * t[i];
			last = t[i] > t[last] ? i : last;
		}
		double discriminant = B * B - A * C;
		double d = discriminant >= 0 ? (B + sqrt(discriminant)) / A : -1;
		if (d >= t[last])
			return d;
		--count;
		a[last] = a[count], t[last] = t[count];
	}
	return INFINITY;
}

// Lets the front run over the material.
static void run(lm_design_march* m)
{
	while (m->size > 0)
	{
		int32_t slot = pop(m);
		for (int side = 0; side < 6; ++side)
		{
			int32_t next = m->grid->near[slot][side];
			if (next < 0 || next >= m->grid->material || m->place[next] == DONE)
				continue;
			float d = (float)solve_upwind(m, next);
			if (m->place[next] == FAR || d < m->d[next])
				push(m, next, d);
		}
	}
}

// Exact distances within three voxels, over material that hangs together there; all of them are done, and the front
// starts around them.
static void start_exactly(lm_design_march* m, lm_vec3 point, int32_t seed)
{
	const lm_design_grid* g = m->grid;
	double reach = 3 * g->h;
	int32_t first = 0, last = 0; // the heap's memory serves as the queue
	m->heap[last++] = seed;
	m->place[seed] = DONE;
	while (first < last)
	{
		int32_t slot = m->heap[first++];
		m->d[slot] = (float)lm_distance(lm_design_grid_center(g, slot), point);
		for (int side = 0; side < 6; ++side)
		{
			int32_t next = g->near[slot][side];
			if (next < 0 || next >= g->material || m->place[next] == DONE ||
			    lm_distance(lm_design_grid_center(g, next), point) > reach)
				continue;
			m->place[next] = DONE;
			m->heap[last++] = next;
		}
	}
}

// Puts every slot that touches a finished one on the heap.
static void start_front(lm_design_march* m)
{
	m->size = 0;
	for (int32_t slot = 0; slot < m->grid->material; ++slot)
	{
		if (m->place[slot] == DONE)
			continue;
		bool touches = false;
		for (int side = 0; side < 6; ++side)
		{
			int32_t next = m->grid->near[slot][side];
			touches |= next >= 0 && next < m->grid->material && m->place[next] == DONE;
		}
		if (touches)
			push(m, slot, (float)solve_upwind(m, slot));
	}
}

// d(x) = d(y) + grad d(y) . (x - y) with y the nearest voxel of the material; the slope by differences there.
static void extend(const lm_design_grid* g, float* d)
{
	for (int32_t s = g->material; s < g->count; ++s)
	{
		int32_t from = g->nearest[s];
		lm_vec3 way = lm_sub(lm_design_grid_center(g, s), lm_design_grid_center(g, from));
		double step[3] = { way.x / g->h, way.y / g->h, way.z / g->h }, value = d[from];
		for (int axis = 0; axis < 3; ++axis)
		{
			int32_t low = g->near[from][2 * axis], high = g->near[from][2 * axis + 1];
			bool has_low = low >= 0 && low < g->material, has_high = high >= 0 && high < g->material;
			double slope = has_low && has_high ? 0.5 * (d[high] - d[low])
			               : has_high          ? (double)d[high] - d[from]
			               : has_low           ? (double)d[from] - d[low]
			                                   : 0;
			value += step[axis] * fmax(-g->h, fmin(g->h, slope));
		}
		d[s] = (float)fmax(value, 0);
	}
}

void lm_design_march_from(lm_design_march* m, lm_vec3 point, int32_t seed, float* d)
{
	const lm_design_grid* g = m->grid;
	m->d = d;
	for (int32_t s = 0; s < g->material; ++s)
		d[s] = 1e3f, m->place[s] = FAR;
	start_exactly(m, point, seed);
	start_front(m);
	run(m);
	extend(g, d);
}

// First order along the faces is enough to choose points; only slots that come nearer are visited.
void lm_design_march_improve(lm_design_march* m, int32_t seed, float* best)
{
	const lm_design_grid* g = m->grid;
	m->d = best;
	m->size = 0;
	for (int32_t s = 0; s < g->material; ++s)
		m->place[s] = FAR;
	push(m, seed, 0);
	while (m->size > 0)
	{
		int32_t slot = pop(m);
		for (int side = 0; side < 6; ++side)
		{
			int32_t next = g->near[slot][side];
			if (next < 0 || next >= g->material || m->place[next] == DONE)
				continue;
			float d = (float)solve_upwind(m, next);
			if (d < best[next])
				push(m, next, d);
		}
	}
}

void lm_design_march_divide(lm_design_march* m, const int32_t* seeds, int32_t count, float* best, int32_t* labels)
{
	const lm_design_grid* g = m->grid;
	m->d = best;
	m->size = 0;
	for (int32_t s = 0; s < g->material; ++s)
		best[s] = INFINITY, m->place[s] = FAR, labels[s] = -1;
	for (int32_t p = 0; p < count; ++p)
	{
		labels[seeds[p]] = p;
		push(m, seeds[p], 0);
	}
	while (m->size > 0)
	{
		int32_t slot = pop(m), from = -1;
		for (int side = 0; side < 6; ++side)
		{
			int32_t next = g->near[slot][side];
			if (next < 0 || next >= g->material)
				continue;
			if (m->place[next] == DONE)
				from = from < 0 || best[next] < best[from] ? next : from;
			else
			{
				float d = (float)solve_upwind(m, next);
				if (d < best[next])
					push(m, next, d);
			}
		}
		if (labels[slot] < 0 && from >= 0)
			labels[slot] = labels[from];
	}
}
