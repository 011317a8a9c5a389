// drag_metric.c: see drag_metric.h.
#include "design/drag_metric.h"

#include "base/alloc.h"
#include "base/machine.h"

#include <math.h>

static const lm_design_drag_kernels* find_kernels(lm_simd simd)
{
#if defined(LM_X86)
	if (lm_simd_allows(simd, LM_SIMD_AVX2))
		return &lm_design_drag_kernels_avx2;
#endif
	(void)simd;
	return &lm_design_drag_kernels_plain;
}

bool lm_design_drag_metric_create(lm_design_drag_metric* m, const lm_host* host, int32_t nodes)
{
	int32_t n = 3 * nodes, padded = (n + LM_DRAG_LANES - 1) / LM_DRAG_LANES * LM_DRAG_LANES;
	size_t room = (size_t)padded, panels = room / LM_DRAG_LANES;
	*m = (lm_design_drag_metric){ .kernels = find_kernels(host->simd), .nodes = nodes, .n = n, .padded = padded };
	m->panels = LM_NEW(host, room * (room + LM_DRAG_LANES) / 2 + LM_DRAG_LANES, float);
	m->inverse = LM_NEW(host, panels * 2 * LM_DRAG_LANES * LM_DRAG_LANES, float);
	m->scale = LM_NEW(host, (3 + 2 * LM_DRAG_MEMORY) * room, float);
	if (m->panels == NULL || m->inverse == NULL || m->scale == NULL)
		return false;
	m->q = m->scale + room, m->x = m->q + room, m->s = m->x + room, m->y = m->s + LM_DRAG_MEMORY * room;
	return true;
}

void lm_design_drag_metric_release(lm_design_drag_metric* m, const lm_host* host)
{
	lm_free(host, m->panels);
	lm_free(host, m->inverse);
	lm_free(host, m->scale);
	*m = (lm_design_drag_metric){ 0 };
}

bool lm_design_drag_metric_factorize(lm_design_drag_metric* m, const float* blocks)
{
	m->count = m->first = 0;
	for (int32_t i = 0; i < m->padded; ++i)
		m->scale[i] = 1;
	for (int32_t b = 0; b < m->nodes; ++b)
	{
		const float* A = blocks + LM_ELASTIC_BLOCK * lm_design_block(m->nodes, b, b);
		float mean = (A[0] + A[5] + A[10]) / 3;
		if (!(mean > 1e-30f) || !(mean < 1e30f))
			return false;
		m->scale[3 * b] = m->scale[3 * b + 1] = m->scale[3 * b + 2] = 1 / sqrtf(mean);
	}
	return m->kernels->factorize(m, blocks);
}
