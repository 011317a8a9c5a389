// dynamics.c: defaults and checks of what people say about dynamics.
#include "design/dynamics.h"

#include "base/error.h"

#include <math.h>

lm_dynamics lm_dynamics_default(void)
{
	return (lm_dynamics){ .frequency = 4, .damping = 0.1, .friction = 0.5, .release = 0.1 };
}

lm_performance_object lm_performance_object_default(void)
{
	return (lm_performance_object){ .motion = lm_motion_object_default(), .dynamics = lm_dynamics_default() };
}

lm_performance_settings lm_performance_settings_default(void)
{
	return (lm_performance_settings){ .motion = lm_motion_settings_default(), .gravity = { 0, -9.81, 0 }, .rate = 240 };
}

lm_status lm_dynamics_check(const lm_dynamics* d, int32_t object, lm_error* error)
{
	const struct
	{
		const char* name;
		double value, low, high;
	} numbers[5] = { { "frequency", d->frequency, 0.1, 100 },
		             { "damping", d->damping, 0, 10 },
		             { "friction", d->friction, 0, 1e6 },
		             { "secondary", d->secondary, 0, 10 },
		             { "release", d->release, 0, 10 } };
	for (int k = 0; k < 5; ++k)
		if (!(numbers[k].value >= numbers[k].low && numbers[k].value <= numbers[k].high))
			return lm_fail(error, LM_BAD_INPUT, "object %d: %s is %g, must be between %g and %g", object,
			               numbers[k].name, numbers[k].value, numbers[k].low, numbers[k].high);
	return LM_OK;
}
