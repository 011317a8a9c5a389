// test.h: what every cmocka file includes first, and small things that tests share.
#ifndef LIMBER_TEST_H
#define LIMBER_TEST_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "limber/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// |a - b| <= tolerance, and says both when not. NaN fails.
#define assert_near(a, b, tolerance) assert_near_at((a), (b), (tolerance), #a, __FILE__, __LINE__)
static inline void assert_near_at(double a, double b, double tolerance, const char* text, const char* file, int line)
{
	if (!(fabs(a - b) <= tolerance))
	{
		print_error("%s = %.17g, expected %.17g within %g\n", text, a, b, tolerance);
		_fail(file, line);
	}
}

// Leaves a test that needs what is missing here. Where nothing may be missing (`make test-all`) that is a failure.
static inline void test_missing(const char* what)
{
	print_message("%s is missing\n", what);
	if (getenv("LIMBER_NO_SKIPS") != NULL)
		fail();
	skip();
}

// Deterministic numbers in [-1, 1): the tests must not change from run to run.
static inline double test_random(uint64_t* state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = *state;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return (double)(z >> 11) * 0x1p-52 - 1;
}

// The default host, at the SIMD level that the environment variable LIMBER_SIMD names.
static inline lm_host test_default_host(void)
{
	lm_host host = (lm_host_default)();
	const char* name = getenv("LIMBER_SIMD");
	lm_error error;
	if (name != NULL && name[0] != 0 && lm_simd_find(name, &host.simd, &error) != LM_OK)
	{
		print_error("LIMBER_SIMD: %s\n", error.message);
		exit(1);
	}
	return host;
}
#define lm_host_default() test_default_host()

// A host whose allocator fails at the n-th request (1-based; 0 never fails) and counts what is still held.
typedef struct test_memory
{
	int64_t requests, fail_at, held;
} test_memory;

static inline void* test_allocate(size_t size, void* context)
{
	test_memory* memory = context;
	if (++memory->requests == memory->fail_at)
		return NULL;
	void* block = malloc(size);
	memory->held += block != NULL;
	return block;
}

static inline void test_release(void* block, void* context)
{
	--((test_memory*)context)->held;
	free(block);
}

static inline lm_host test_host(test_memory* memory)
{
	lm_host host = lm_host_default();
	host.allocator = (lm_allocator){ test_allocate, test_release, memory };
	return host;
}

#endif
