// warnings.h: keeps the warnings that go through a host's log, for those who ask later.
#ifndef LM_BASE_WARNINGS_H
#define LM_BASE_WARNINGS_H

#include "limber/base.h"

#define LM_WARNINGS_MAX 32

typedef struct lm_warnings
{
	lm_host to; // where they go on to
	int32_t count;
	int32_t left_out; // when there were too many
	char texts[LM_WARNINGS_MAX][320];
} lm_warnings;

// From now on what is logged through `host` is kept and goes on to where it went. `warnings` must stay where it is.
void lm_warnings_listen(lm_warnings* warnings, lm_host* host);

#endif
