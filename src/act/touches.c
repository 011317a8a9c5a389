// touches.c: what a body touches, and what friction remembers of it from step to step.
#include "act/equation.h"

#include <string.h>

void lm_act_equation_forget_touches(lm_act* body)
{
	(void)body;
}

uint64_t lm_act_equation_hash(const lm_act* body, uint64_t hash)
{
	(void)body;
	return hash;
}

void lm_act_equation_save(const lm_act* body, lm_blob* blob)
{
	(void)body, (void)blob;
}

bool lm_act_equation_fits(const lm_act* body, lm_blob* blob)
{
	(void)body;
	return !blob->failed;
}

void lm_act_equation_load(lm_act* body, lm_blob* blob)
{
	(void)body, (void)blob;
}

void lm_act_contact_forces(const lm_act* body, double* normal_forces)
{
	memset(normal_forces, 0, (size_t)body->vertex_count * sizeof *normal_forces);
}
