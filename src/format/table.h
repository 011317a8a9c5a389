// table.h: tables that describe the keys of input files.
//
// A table lists the keys of one JSON object: name, kind, range, unit, meaning and the place in a C struct that the
// value goes to. From the tables come the checks and the filling (fill.c), the suggestions for misspelt keys, the JSON
// Schema (schema.c) and the reference page (reference.c). Defaults have one home as well: each table has a function
// that makes an item with defaults, and the documents print what they find in it.
#ifndef LM_FORMAT_TABLE_H
#define LM_FORMAT_TABLE_H

#include "limber/format.h"

#include <stddef.h>

typedef enum lm_key_kind
{
	LM_KEY_NUMBER,   // double
	LM_KEY_INTEGER,  // int32_t
	LM_KEY_FLAG,     // bool
	LM_KEY_TEXT,     // const char*, "" when it is not given
	LM_KEY_FILE,     // likewise: the name of a file, relative to the scene file
	LM_KEY_CHOICE,   // int: index into `choices`
	LM_KEY_VECTOR,   // double[width]
	LM_KEY_INTEGERS, // int32_t[width]
	LM_KEY_BOX,      // double[2][3]: lowest and highest corner
	LM_KEY_ROTATION, // double[4]: unit quaternion, w first
	LM_KEY_COLOR,    // float[3], linear
	LM_KEY_KEYED,    // lm_keyed of `width` values
	LM_KEY_INDICES,  // int32_t* and its int32_t count
	LM_KEY_NUMBERS,  // double* and its int32_t count: numbers, or (width above 1) rows of so many
	LM_KEY_TEXTS,    // const char** and its int32_t count
	LM_KEY_TABLE,    // the struct of `table`, in place
	LM_KEY_POINTER,  // pointer to the struct of `table`, NULL when it is not given
	LM_KEY_INCLUDE,  // the keys of `table`, whose struct is in place, stand among the others; has no name of its own
	LM_KEY_LIST,     // array of the structs of `table`, and its int32_t count
	LM_KEY_MAP       // likewise, from an object whose keys are names; the struct begins with const char* name
} lm_key_kind;

typedef enum lm_key_flags
{
	LM_KEY_REQUIRED = 1,
	LM_KEY_ABOVE = 2, // `low` itself is not allowed
	LM_KEY_OR_FALSE =
		4, // a table or a list of names may be switched off by writing false; the bool at `off` becomes true
	LM_KEY_DECIDES = 8,   // what else is right depends on this choice: LM_NO_CHOICE when it is missing or wrong
	LM_KEY_EMPTY = 32,    // a text may be empty; else that is a problem, so that "" means: not given, or wrong
	LM_KEY_CONSTANT = 16, // a keyed value that is not given gets one key, `preset`; else it has none
	// A number, vector or flag may be given by keys in time; they go to the lm_keyed_settings at `off`, and the first
	// to the place of the value. Of an include: all of its keys that can.
	LM_KEY_IN_TIME = 64,
	LM_KEY_FIXED = 128 // of settings that can change while a world moves: this one cannot
} lm_key_flags;

// An invalid choice. Checks that depend on the choice ask lm_is_chosen first and are skipped: one mistake makes one
// problem, not one for every key that would be right.
#define LM_NO_CHOICE (-1)

static inline bool lm_is_chosen(int choice)
{
	return choice != LM_NO_CHOICE;
}

// Numbers beyond this are typing errors, and sums of their squares lose all precision.
#define LM_KEY_LIMIT 1e9

typedef struct lm_table lm_table;

typedef struct lm_key
{
	const char* name;
	lm_key_kind kind;
	int flags;
	int32_t width;              // of vectors and keyed values
	double low, high;           // range of every number (both 0: -LM_KEY_LIMIT .. LM_KEY_LIMIT); of counts for lists
	double preset[4];           // default: of a number, of each number of a vector, of a flag or choice its value
	size_t offset;              // of the value in the item
	size_t count;               // of the int32_t count, for lists
	size_t off;                 // see LM_KEY_OR_FALSE and LM_KEY_IN_TIME
	const char* unit;           // NULL: none
	const char* help;           // one sentence
	const char* usual;          // the default in words, where it is not simply a value
	const char* const* choices; // NULL-terminated; for LM_KEY_CHOICE, and for texts that must be one of these
	const lm_table* table;
} lm_key;

struct lm_table
{
	const char* name; // "object": used in messages ("an object has no key ...") and as heading
	const char* article;
	const char* help;
	size_t size;                  // of the struct
	size_t given;                 // of the uint64_t that has a bit for each key that the file names; 0: not wanted
	void (*defaults)(void* item); // what presets cannot say; after them. NULL: nothing
	const char* short_key;        // a value that is not an object stands for {short_key: value}; NULL: not allowed
	const lm_key* keys;
	int32_t key_count;
};

typedef struct lm_read_rotation
{
	double axis[3];
	double degrees;
} lm_read_rotation;

extern const lm_table lm_rotation_table;

// Shorthands for tables.
#define LM_AT(type, field) .offset = offsetof(type, field)
#define LM_COUNT_AT(type, field) .count = offsetof(type, field)
#define LM_KEYS(list) .keys = list, .key_count = (int32_t)(sizeof(list) / sizeof(list)[0])

// The keys of a table, those of tables that it includes among them: how many, and each with its place in the item of
// `table`. At most LM_KEYS_MAX.
#define LM_KEYS_MAX 64
int32_t lm_table_count(const lm_table* table);
lm_key lm_table_key(const lm_table* table, int32_t i);
// The number of the key of this name, or -1.
int32_t lm_table_find(const lm_table* table, const char* name);

// A fresh item: zeros, presets, then what `defaults` says. Texts become "".
void lm_table_defaults(const lm_table* table, void* item);

// Whether the file gave a key: LM_GIVEN(lm_match_table, match, settings.gravity), by the place of its value.
#define LM_GIVEN(table, item, field) lm_key_given(&(table), (item), offsetof(__typeof__(*(item)), field))
bool lm_key_given(const lm_table* table, const void* item, size_t offset);

// Whether all plain values of an item (numbers, vectors, choices) are in their range; otherwise the error says which is
// not: "the damping is 3, must be between 0 and 2".
lm_status lm_table_check(const lm_table* table, const void* item, lm_error* error);

// Whether the value of a key may be given by keys in time, and how many numbers it has at each.
bool lm_key_in_time(const lm_key* key);
int32_t lm_key_width(const lm_key* key);
// Numbers of a value, four at most, from its place and to it (numbers, whole numbers, flags, choices and vectors);
// false when a whole number is none.
void lm_key_get(const lm_key* key, const void* place, double* numbers);
bool lm_key_put(const lm_key* key, const double* numbers, void* place);

double lm_key_low(const lm_key* key);
double lm_key_high(const lm_key* key);

// "between 0 and 1", "at least 0", "above 0 and at most 1000"; "" when any number will do.
void lm_key_range_text(const lm_key* key, char* text, size_t capacity);

// Whether a number is in the range; and what it must be where it is not: as above, or "at most 1e9".
bool lm_key_allows(const lm_key* key, double x);
void lm_key_wanted_text(const lm_key* key, double x, char* text, size_t capacity);

// What the value of a key must be: "a number", "a list of 3 numbers", "one of \"plane\", \"sphere\"".
void lm_key_expected(const lm_key* key, char* text, size_t capacity);

#endif
