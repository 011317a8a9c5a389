#include "contact/particle_easy.h"

void lm_push_easy_plain(const lm_particle_job* job, int64_t begin, int64_t end, lm_chunk_set* left)
{
	push_easy(job, begin, end, left);
}
