// Reading: a decimal is w * 10^k with an integer w. For at most 19 digits w fits 64 bits, and for |k| <= 27 so does
// 5^|k|. Then w * 5^k, or the quotient and remainder of w * 2^n / 5^-k, are exact in 128 bits and one rounding to 53
// bits gives the closest double. Everything else is left to the C library, in the "C" locale.
// Writing: x = f * 2^e is scaled to a 17-digit integer in 128 bits, exactly, then shortened as long as it reads back.
#define _GNU_SOURCE // strtod_l
#include "io/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 wide;

#define MAX_DIGITS 19
#define MAX_POWER 27 // 5^27 < 2^63

static uint64_t power_of_5(int n)
{
	uint64_t power = 1;
	for (uint64_t factor = 5; n > 0; n >>= 1, factor *= factor)
		if (n & 1)
			power *= factor;
	return power;
}

static int bit_length(wide number)
{
	uint64_t high = (uint64_t)(number >> 64), low = (uint64_t)number;
	return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}

// number * 2^exponent, rounded to nearest, ties to even; `more` says that a little was cut off below the last bit.
static double round_to_double(wide number, int exponent, bool more)
{
	int extra = bit_length(number) - 53;
	if (extra <= 0)
		return ldexp((double)(uint64_t)number, exponent);
	uint64_t kept = (uint64_t)(number >> extra);
	wide rest = number & (((wide)1 << extra) - 1), half = (wide)1 << (extra - 1);
	if (rest > half || (rest == half && (more || (kept & 1))))
		++kept;
	return ldexp((double)kept, exponent + extra);
}

// w * 10^power; only for |power| <= MAX_POWER.
static double exact(uint64_t w, int power)
{
	static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
		                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	if (w == 0)
		return 0;
	if (w < UINT64_C(1) << 53 && power >= -22 && power <= 22) // both exact: one rounding
		return power < 0 ? (double)w / tens[-power] : (double)w * tens[power];
	if (power >= 0)
		return round_to_double((wide)w * power_of_5(power), power, false);
	int shift = __builtin_clzll(w) + 64;
	wide numerator = (wide)w << shift;
	uint64_t divisor = power_of_5(-power);
	wide quotient = numerator / divisor; // at least 2^64: more than 53 bits are left to round
	return round_to_double(quotient, power - shift, quotient * divisor != numerator);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static double read_slowly(const char* text)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); // a constant in glibc: takes no memory
	if (plain == (locale_t)0)
		return NAN; // refused by every caller
	double value = strtod_l(text, NULL, plain);
	freelocale(plain);
	return value;
}

static bool read_word(const char** text, const char* word, double meaning, double sign, double* value)
{
	size_t length = strlen(word);
	if (strncasecmp(*text, word, length) != 0)
		return false;
	*text += length;
	*value = copysign(meaning, sign);
	return true;
}

// The digits at *next: the first MAX_DIGITS significant ones go into *w, the others are counted in *dropped.
static int64_t read_digits(const char** next, uint64_t* w, int* digits, int64_t* dropped, bool* lost)
{
	const char* start = *next;
	for (; is_digit(**next); ++*next)
	{
		unsigned digit = (unsigned)(**next - '0');
		if (*digits < MAX_DIGITS)
		{
			*w = *w * 10 + digit;
			*digits += *w != 0;
		}
		else
		{
			++*dropped;
			*lost |= digit != 0;
		}
	}
	return *next - start;
}

static int64_t read_exponent(const char** next)
{
	const char* p = *next;
	if (*p != 'e' && *p != 'E')
		return 0;
	++p;
	bool negative = *p == '-';
	if (*p == '-' || *p == '+')
		++p;
	if (!is_digit(*p))
		return 0; // the e belongs to whatever follows
	int64_t exponent = 0;
	for (; is_digit(*p); ++p)
		if (exponent < 1000000000)
			exponent = exponent * 10 + (*p - '0');
	*next = p;
	return negative ? -exponent : exponent;
}

bool lm_number_read(const char** text, double* value)
{
	const char* start = *text;
	const char* next = start;
	double sign = *next == '-' ? -1 : 1;
	if (*next == '-' || *next == '+')
		++next;
	uint64_t w = 0;
	int digits = 0;
	int64_t dropped = 0, dropped_fraction = 0;
	bool lost = false;
	int64_t whole = read_digits(&next, &w, &digits, &dropped, &lost), fraction = 0;
	if (*next == '.' && (whole > 0 || is_digit(next[1])))
	{
		++next;
		fraction = read_digits(&next, &w, &digits, &dropped_fraction, &lost);
	}
	if (whole + fraction == 0)
	{
		if (!read_word(&next, "infinity", INFINITY, sign, value) && !read_word(&next, "inf", INFINITY, sign, value) &&
		    !read_word(&next, "nan", NAN, sign, value))
			return false;
		*text = next;
		return true;
	}
	int64_t power = read_exponent(&next) + dropped - (fraction - dropped_fraction);
	*text = next;
	if (w == 0)
		*value = copysign(0, sign);
	else if (!lost && power >= -MAX_POWER && power <= MAX_POWER)
		*value = sign * exact(w, (int)power);
	else
		*value = read_slowly(start);
	return true;
}

// What the range of write_scaled does not cover: very small and very large numbers.
static int write_slowly(double value, char text[LM_NUMBER_LENGTH])
{
	char local[LM_NUMBER_LENGTH];
	snprintf(local, sizeof local, "%.17g", value);
	int length = 0;
	for (const char* p = local; *p != 0; ++p)
		if (is_digit(*p) || *p == '-' || *p == '+' || *p == 'e')
			text[length++] = *p;
		else if (length == 0 || text[length - 1] != '.') // the decimal point of any locale, one byte or several
			text[length++] = '.';
	text[length] = 0;
	return length;
}

// digits * 10^-scale as plain decimals.
static int write_decimals(uint64_t digits, int scale, char* text)
{
	for (; scale > 0 && digits % 10 == 0; --scale)
		digits /= 10;
	char reversed[24];
	int count = 0;
	for (; digits > 0 || count <= scale; digits /= 10)
		reversed[count++] = (char)('0' + digits % 10);
	int length = 0;
	while (count > 0)
	{
		text[length++] = reversed[--count];
		if (count == scale && count > 0)
			text[length++] = '.';
	}
	text[length] = 0;
	return length;
}

int lm_number_write(double value, char text[LM_NUMBER_LENGTH])
{
	double size = fabs(value);
	if (value == 0)
		return snprintf(text, LM_NUMBER_LENGTH, "%s", signbit(value) ? "-0" : "0");
	if (!(size >= 1e-6 && size < 0x1p53))
		return write_slowly(value, text);
	int exponent;
	uint64_t mantissa = (uint64_t)ldexp(frexp(size, &exponent), 53); // size = mantissa * 2^(exponent - 53)
	int places = 22;                                                 // of 17 digits, behind the point
	for (double bound = 1e-5; size >= bound && places > 1; bound *= 10)
		--places;
	wide scaled = (wide)mantissa * power_of_5(places); // < 2^(53 + 52), and 2^places below: < 2^127
	scaled <<= places;
	int shift = 53 - exponent;
	if (shift > 0)
		scaled = (scaled + ((wide)1 << (shift - 1))) >> shift;
	uint64_t digits = (uint64_t)scaled;
	int negative = value < 0;
	text[0] = '-';
	for (int dropped = 2; dropped > 0; --dropped)
	{
		uint64_t unit = dropped == 2 ? 100 : 10, shorter = (digits + unit / 2) / unit;
		if (places >= dropped && exact(shorter, dropped - places) == size)
			return negative + write_decimals(shorter, places - dropped, text + negative);
	}
	return negative + write_decimals(digits, places, text + negative);
}
