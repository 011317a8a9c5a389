#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char* lm_version(void)
{
	return TEXT(LM_VERSION_MAJOR) "." TEXT(LM_VERSION_MINOR) "." TEXT(LM_VERSION_PATCH);
}

const char* lm_status_text(lm_status status)
{
	switch (status)
	{
		case LM_OK: return "success";
		case LM_BAD_INPUT: return "bad input";
		case LM_NO_MEMORY: return "out of memory";
		case LM_IO_FAILED: return "reading or writing failed";
		case LM_CANCELLED: return "cancelled";
		case LM_UNSUPPORTED: return "not supported here";
	}
	return "unknown status";
}

int lm_error_format(const lm_error* error, char* text, size_t capacity)
{
	return snprintf(text, capacity, "%s%s%s%s%s", error->file, error->file[0] ? ": " : "", error->where,
	                error->where[0] ? ": " : "", error->message);
}

static lm_status fill(lm_error* error, lm_status status, const char* file, const char* where, const char* format,
                      va_list arguments)
{
	if (error != NULL)
	{
		*error = (lm_error){ .status = status, .element = -1 };
		snprintf(error->file, sizeof error->file, "%s", file);
		snprintf(error->where, sizeof error->where, "%s", where);
		vsnprintf(error->message, sizeof error->message, format, arguments);
	}
	return status;
}

lm_status lm_fail(lm_error* error, lm_status status, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fill(error, status, "", "", format, arguments);
	va_end(arguments);
	return status;
}

lm_status lm_fail_at(lm_error* error, lm_status status, const char* file, const char* where, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fill(error, status, file, where, format, arguments);
	va_end(arguments);
	return status;
}

lm_status lm_fail_line(lm_error* error, const char* file, int64_t line, const char* format, ...)
{
	char where[32];
	snprintf(where, sizeof where, "line %" PRId64, line);
	va_list arguments;
	va_start(arguments, format);
	fill(error, LM_BAD_INPUT, file, where, format, arguments);
	va_end(arguments);
	return LM_BAD_INPUT;
}

lm_status lm_fail_element(lm_error* error, int64_t element, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fill(error, LM_BAD_INPUT, "", "", format, arguments);
	va_end(arguments);
	if (error != NULL)
		error->element = element;
	return LM_BAD_INPUT;
}

bool lm_progress(const lm_host* host, const char* what, double done)
{
	return host->progress == NULL || host->progress(what, done, host->progress_context);
}

void lm_log(const lm_host* host, lm_log_level level, const char* format, ...)
{
	if (host->log == NULL)
		return;
	char message[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	host->log(level, message, host->log_context);
}
