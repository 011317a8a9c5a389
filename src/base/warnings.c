#include "base/warnings.h"

#include <stdio.h>
#include <string.h>

static void keep(lm_warnings* warnings, const char* message)
{
	char text[sizeof warnings->texts[0]];
	snprintf(text, sizeof text, "%s", message);
	for (int32_t i = 0; i < warnings->count; ++i)
		if (strcmp(warnings->texts[i], text) == 0)
			return;
	if (warnings->count < LM_WARNINGS_MAX)
		memcpy(warnings->texts[warnings->count++], text, sizeof text);
	else
		++warnings->left_out;
}

static void pass_on(lm_log_level level, const char* message, void* context)
{
	lm_warnings* warnings = context;
	if (level == LM_LOG_WARNING)
		keep(warnings, message);
	if (warnings->to.log != NULL)
		warnings->to.log(level, message, warnings->to.log_context);
}

void lm_warnings_listen(lm_warnings* warnings, lm_host* host)
{
	*warnings = (lm_warnings){ .to = *host };
	host->log = pass_on;
	host->log_context = warnings;
}
