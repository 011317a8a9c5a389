// number.h: decimal numbers in text, exact in both directions and the same in every locale.
#ifndef LM_IO_NUMBER_H
#define LM_IO_NUMBER_H

#include "limber/base.h"

// Reads the number at *text (zero-terminated) and moves *text behind it. The result is the double closest to the
// decimal; "inf", "infinity" and "nan" in any case are numbers too, and 1e999 is infinite: callers refuse what is not
// finite. False, with *text unmoved, when there is no number.
bool lm_number_read(const char** text, double* value);

#define LM_NUMBER_LENGTH 32

// Writes a finite number so that reading gives the same bits (at most 17 digits, fewer where they do). Returns the
// length; there is a zero byte behind.
int lm_number_write(double value, char text[LM_NUMBER_LENGTH]);

#endif
