// mutate_json.h: libFuzzer's mutations for JSON. Bytes changed at random mostly make texts that are no JSON; here
// values are taken out, copied to other places, renamed and made strange, and what comes out is JSON again.
#ifndef LIMBER_FUZZ_MUTATE_JSON_H
#define LIMBER_FUZZ_MUTATE_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

// Where a value is: a member of an object, or an item of a list.
typedef struct json_place
{
	json_t* parent;
	const char* key; // NULL: an item
	size_t index;
} json_place;

typedef struct json_places
{
	json_place items[4096];
	size_t count;
	uint32_t random;
} json_places;

static inline size_t pick(json_places* all, size_t count)
{
	all->random = all->random * 1664525u + 1013904223u;
	return (size_t)(all->random >> 8) % (count > 0 ? count : 1);
}

static inline json_t* value_at(const json_place* place)
{
	return place->key != NULL ? json_object_get(place->parent, place->key)
	                          : json_array_get(place->parent, place->index);
}

static inline void add_places(json_places* all, json_t* value)
{
	const char* key;
	json_t* member;
	json_object_foreach(value, key, member)
	{
		if (all->count < 4096)
			all->items[all->count++] = (json_place){ value, key, 0 };
		add_places(all, member);
	}
	for (size_t i = 0; i < json_array_size(value); ++i)
	{
		if (all->count < 4096)
			all->items[all->count++] = (json_place){ value, NULL, i };
		add_places(all, json_array_get(value, i));
	}
}

static inline json_t* strange_value(json_places* all)
{
	static const double numbers[] = { 0, -1, 1, 2, 0.5, -0.5, 1e-300, 1e300, 1e9, -1e9, 0.1, 3, 100 };
	static const json_int_t whole[] = { 0, 1, 2, 3, 7, 8, -1, 2147483647, 4294967296, 1000000 };
	switch (pick(all, 8))
	{
		case 0: return json_null();
		case 1: return json_boolean(pick(all, 2) == 0);
		case 2: return json_array();
		case 3: return json_object();
		case 4: return json_string("");
		case 5: return json_integer(whole[pick(all, sizeof whole / sizeof whole[0])]);
		default: return json_real(numbers[pick(all, sizeof numbers / sizeof numbers[0])]);
	}
}

static inline void put_value(const json_place* place, json_t* value) // takes it
{
	if (place->key != NULL)
		json_object_set_new(place->parent, place->key, value);
	else
		json_array_set_new(place->parent, place->index, value);
}

static inline void change(json_places* all)
{
	const json_place *place = &all->items[pick(all, all->count)], *other = &all->items[pick(all, all->count)];
	json_t* value = value_at(place);
	switch (pick(all, 6))
	{
		case 0:
			if (place->key != NULL)
				json_object_del(place->parent, place->key);
			else
				json_array_remove(place->parent, place->index);
			break;
		case 1: put_value(place, strange_value(all)); break;
		case 2: put_value(place, json_deep_copy(value_at(other))); break;
		case 3: // among its like: one word for another
			for (int k = 0; k < 50 && json_typeof(value_at(other)) != json_typeof(value); ++k)
				other = &all->items[pick(all, all->count)];
			put_value(place, json_deep_copy(value_at(other)));
			break;
		case 4:
			if (place->key == NULL)
				json_array_insert_new(place->parent, place->index, json_deep_copy(value));
			else if (other->key != NULL)
				json_object_set_new(place->parent, other->key, json_deep_copy(value));
			break;
		default:
			if (json_is_integer(value))
				put_value(place, json_integer(json_integer_value(value) + (json_int_t)pick(all, 5) - 2));
			else if (json_is_real(value))
				put_value(place, json_real(json_real_value(value) * (pick(all, 2) == 0 ? -1 : 0.1)));
			else
				json_array_clear(value);
			break;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed)
{
	static json_places all; // too large for the stack
	all.random = seed;
	json_t* root = pick(&all, 16) > 0 ? json_loadb((const char*)data, size, 0, NULL) : NULL;
	for (size_t times = 1 + pick(&all, 4); root != NULL && times > 0; --times)
	{
		all.count = 0;
		add_places(&all, root);
		if (all.count > 0)
			change(&all);
	}
	size_t written = root != NULL ? json_dumpb(root, (char*)data, max_size, JSON_COMPACT) : 0;
	json_decref(root);
	return written > 0 && written <= max_size ? written : LLVMFuzzerMutate(data, size, max_size);
}

#endif
