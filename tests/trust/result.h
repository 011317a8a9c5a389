// result.h: figures of a test for tests/trust/figures.py, in the build's folder trust.
#ifndef TESTS_TRUST_RESULT_H
#define TESTS_TRUST_RESULT_H

#include <stdio.h>
#include <sys/stat.h>

// `json`: {"tries": 12}
static inline void keep_result(const char* name, const char* json)
{
	char path[1000];
	mkdir(LIMBER_BUILD "/trust", 0777);
	snprintf(path, sizeof path, LIMBER_BUILD "/trust/%s.json", name);
	FILE* file = fopen(path, "w");
	if (file == NULL)
		return;
	fputs(json, file);
	fclose(file);
}

#endif
