// Decimal numbers against the C library, and back.
#include "test.h"

#include "io/number.h"

#include <inttypes.h>
#include <locale.h>

static double bits_to_double(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static void assert_reads(const char* text, double expected, int length)
{
	const char* p = text;
	double value = 42;
	assert_true(lm_number_read(&p, &value));
	if (memcmp(&value, &expected, sizeof value) != 0 || p - text != length)
	{
		print_error("%s: read %.17g (%td characters), expected %.17g (%d)\n", text, value, p - text, expected, length);
		fail();
	}
}

static void plain_numbers(void** state)
{
	(void)state;
	static const char* const texts[] = { "0",
		                                 "-0",
		                                 "1",
		                                 "+1",
		                                 "1.",
		                                 ".5",
		                                 "-.5e1",
		                                 "1e22",
		                                 "1e23",
		                                 "9007199254740993",
		                                 "9007199254740992.5",
		                                 "1e-5",
		                                 "123456789012345678",
		                                 "1234567890123456789",
		                                 "12345678901234567890",
		                                 "123456789012345678901234567890",
		                                 "0.1000000000000000055511151231257827",
		                                 "0.000000000000000000000000000000000001",
		                                 "1e400",
		                                 "-1e400",
		                                 "1e-400",
		                                 "2.2250738585072011e-308",
		                                 "4.9e-324",
		                                 "2.4703282292062327e-324",
		                                 "2.4703282292062328e-324",
		                                 "1.7976931348623157e308",
		                                 "1.7976931348623159e308",
		                                 "9.5367431640625e-07",
		                                 "00000000000000000000000001.5",
		                                 "0.00000000000000000000000000000012345678901234567890123",
		                                 "1e1000000000000",
		                                 "1e-1000000000000",
		                                 "8.5e27",
		                                 "18446744073709551615",
		                                 "18446744073709551616",
		                                 "9999999999999999999e27",
		                                 "9999999999999999999e-27",
		                                 "1000000000000000000000000000000000000000000000000000000e-60",
		                                 "36893488147419107329" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
		assert_reads(texts[i], strtod(texts[i], NULL), (int)strlen(texts[i]));
}

static void where_a_number_ends(void** state)
{
	(void)state;
	assert_reads("1.5x", 1.5, 3);
	assert_reads("1e", 1, 1);
	assert_reads("1e+", 1, 1);
	assert_reads("2e-7,", 2e-7, 4);
	assert_reads("1..2", 1, 2);
	assert_reads("0x10", 0, 1);
	assert_reads("-inf", -INFINITY, 4);
	assert_reads("Infinity", INFINITY, 8);
	static const char* const none[] = { "", ".", "-", "+.", "e5", "x", "-e", "--1", ".e1" };
	for (size_t i = 0; i < sizeof none / sizeof *none; ++i)
	{
		const char* p = none[i];
		double value;
		assert_false(lm_number_read(&p, &value));
		assert_ptr_equal(p, none[i]);
	}
	const char* p = "NaN";
	double value = 0;
	assert_true(lm_number_read(&p, &value));
	assert_true(isnan(value));
}

// Digits and exponents at random, against strtod.
static void random_decimals(void** state)
{
	(void)state;
	uint64_t seed = 1;
	for (int i = 0; i < 300000; ++i)
	{
		char text[64];
		int digits = 1 + (int)(fabs(test_random(&seed)) * 21), length = 0;
		int point = (int)(fabs(test_random(&seed)) * digits);
		for (int d = 0; d < digits; ++d)
		{
			text[length++] = (char)('0' + (int)(fabs(test_random(&seed)) * 10));
			if (d == point)
				text[length++] = '.';
		}
		length += sprintf(text + length, "e%d", (int)(test_random(&seed) * (i % 3 == 0 ? 330 : 30)));
		assert_reads(text, strtod(text, NULL), length);
	}
}

// A double and the decimal exactly between it and the next: ties go to even.
static void halfway_decimals(void** state)
{
	(void)state;
	uint64_t seed = 2;
	for (int i = 0; i < 20000; ++i)
	{
		double value = 1 + fabs(test_random(&seed));
		char text[128];
		sprintf(text, "%.17g", value);
		assert_reads(text, value, (int)strlen(text));
		sprintf(text, "%" PRIu64, (UINT64_C(1) << 53) + 1 + 2 * (uint64_t)i); // ends in a half of the last bit
		assert_reads(text, strtod(text, NULL), (int)strlen(text));
	}
}

static void assert_round_trip(double value)
{
	char text[LM_NUMBER_LENGTH];
	memset(text, 'x', sizeof text);
	int length = lm_number_write(value, text);
	assert_true(length > 0 && length < LM_NUMBER_LENGTH);
	assert_int_equal(strlen(text), length);
	assert_null(strchr(text, ','));
	assert_reads(text, value, length);
	if (strcmp(setlocale(LC_NUMERIC, NULL), "C") == 0)
		assert_true(strtod(text, NULL) == value);
}

static void writing_reads_back(void** state)
{
	(void)state;
	uint64_t seed = 3;
	static const double special[] = { 0,
		                              -0.0,
		                              1,
		                              -1,
		                              0.1,
		                              0.1 + 0.2,
		                              1e-6,
		                              0.99e-6,
		                              9007199254740992,
		                              9007199254740991,
		                              1e15,
		                              123456.789,
		                              5e-324,
		                              1.7976931348623157e308,
		                              0.1f,
		                              1e-5,
		                              9.9999999999999995e-6,
		                              99999999999999.984,
		                              1e22,
		                              0.5 };
	for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
		assert_round_trip(special[i]);
	for (int i = 0; i < 200000; ++i)
	{
		assert_round_trip(test_random(&seed) * pow(10, (int)(test_random(&seed) * 20)));
		assert_round_trip((float)test_random(&seed));
		uint64_t bits = 0;
		for (int k = 0; k < 4; ++k)
			bits = bits << 16 | (uint64_t)(fabs(test_random(&seed)) * 65536);
		double any = bits_to_double(bits);
		if (isfinite(any))
			assert_round_trip(any);
	}
}

static void writing_is_short(void** state)
{
	(void)state;
	static const struct
	{
		double value;
		const char* text;
	} cases[] = { { 0.1, "0.1" },         { -2.5, "-2.5" },    { 1000, "1000" },
		          { 0.3, "0.3" },         { 1e-5, "0.00001" }, { 1e15, "1000000000000000" },
		          { 123.456, "123.456" }, { -0.0, "-0" },      { 0.1 + 0.2, "0.30000000000000004" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
	{
		char text[LM_NUMBER_LENGTH];
		lm_number_write(cases[i].value, text);
		assert_string_equal(text, cases[i].text);
	}
}

// A locale with a decimal comma must change nothing.
static void locale_does_not_matter(void** state)
{
	(void)state;
	static const char* const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
	bool found = false;
	for (size_t i = 0; i < sizeof names / sizeof *names && !found; ++i)
		found = setlocale(LC_NUMERIC, names[i]) != NULL;
	if (!found)
		test_missing("a locale with a decimal comma");
	assert_round_trip(1.5);
	assert_round_trip(1.2345e-300);
	assert_reads("12345678901234567890.5e-300", 1.23456789012345678905e-281, 27);
	assert_reads("1.5", 1.5, 3);
	setlocale(LC_NUMERIC, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_numbers),          cmocka_unit_test(where_a_number_ends),
		cmocka_unit_test(random_decimals),        cmocka_unit_test(halfway_decimals),
		cmocka_unit_test(writing_reads_back),     cmocka_unit_test(writing_is_short),
		cmocka_unit_test(locale_does_not_matter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
