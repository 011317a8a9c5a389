#include "act/control.h"

lm_status lm_act_optimizer_create(lm_act* body, lm_act_optimizer** optimizer, lm_error* error)
{
	(void)body, (void)optimizer, (void)error;
	return LM_OK;
}

void lm_act_optimizer_destroy(lm_act_optimizer* optimizer)
{
	(void)optimizer;
}

lm_status lm_act_optimizer_reserve(lm_act* body, int32_t goals, lm_error* error)
{
	(void)body, (void)goals, (void)error;
	return LM_OK;
}

void lm_act_control_step(lm_act* body, double h)
{
	(void)h;
	body->report.outcome = LM_ACT_KEPT;
}
