#include "contact/particle_simd.h"

void lm_push_simd_plain(const lm_particle_job* job, int64_t begin, int64_t end, lm_chunk_set* left)
{
	push_simd(job, begin, end, left);
}
