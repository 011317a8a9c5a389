// bytes.h: numbers in files of either byte order, on machines of either.
#ifndef LM_IO_BYTES_H
#define LM_IO_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LM_BIG_ENDIAN true
#else
#define LM_BIG_ENDIAN false
#endif

static inline uint16_t lm_load_16(const unsigned char* data, bool big_endian)
{
	uint16_t value;
	memcpy(&value, data, sizeof value);
	return big_endian == LM_BIG_ENDIAN ? value : __builtin_bswap16(value);
}

static inline uint32_t lm_load_32(const unsigned char* data, bool big_endian)
{
	uint32_t value;
	memcpy(&value, data, sizeof value);
	return big_endian == LM_BIG_ENDIAN ? value : __builtin_bswap32(value);
}

static inline uint64_t lm_load_64(const unsigned char* data, bool big_endian)
{
	uint64_t value;
	memcpy(&value, data, sizeof value);
	return big_endian == LM_BIG_ENDIAN ? value : __builtin_bswap64(value);
}

static inline float lm_load_float(const unsigned char* data, bool big_endian)
{
	uint32_t bits = lm_load_32(data, big_endian);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline double lm_load_double(const unsigned char* data, bool big_endian)
{
	uint64_t bits = lm_load_64(data, big_endian);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline void lm_store_32(unsigned char* data, uint32_t value, bool big_endian)
{
	uint32_t bits = big_endian == LM_BIG_ENDIAN ? value : __builtin_bswap32(value);
	memcpy(data, &bits, sizeof bits);
}

static inline void lm_store_float(unsigned char* data, float value, bool big_endian)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	lm_store_32(data, bits, big_endian);
}

static inline void lm_store_double(unsigned char* data, double value, bool big_endian)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	bits = big_endian == LM_BIG_ENDIAN ? bits : __builtin_bswap64(bits);
	memcpy(data, &bits, sizeof bits);
}

#endif
