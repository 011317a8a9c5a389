// problems.c: the list of everything that is wrong with a scene, each at its JSON path.
#include "base/alloc.h"
#include "base/error.h"
#include "format/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A file with more mistakes than this is not a scene.
enum
{
	MOST_PROBLEMS = 500,
	MOST_LEVELS = 16
};

void lm_problems_release(lm_problems* problems)
{
	if (problems->items != NULL)
		lm_free(&problems->host, problems->items);
	problems->items = NULL;
	problems->count = 0;
}

// ---- the place ----

static size_t append(lm_reader* reader, const char* format, const char* key, int64_t index)
{
	size_t mark = reader->path_length;
	size_t left = mark < sizeof reader->path ? sizeof reader->path - mark : 0;
	char* end = left > 0 ? reader->path + mark : NULL;
	int length =
		key != NULL ? snprintf(end, left, "%s%s", format, key) : snprintf(end, left, "[%lld]", (long long)index);
	reader->path_length += (size_t)length;
	return mark;
}

size_t lm_reader_enter(lm_reader* reader, const char* key)
{
	return append(reader, reader->path_length > 0 ? "." : "", key, 0);
}

size_t lm_reader_enter_item(lm_reader* reader, int64_t index)
{
	return append(reader, "", NULL, index);
}

void lm_reader_leave(lm_reader* reader, size_t mark)
{
	reader->path_length = mark;
	if (mark < sizeof reader->path)
		reader->path[mark] = 0;
}

void lm_reader_no_memory(lm_reader* reader)
{
	reader->status = LM_NO_MEMORY;
}

static void* take_zeroed(lm_reader* reader, lm_arena* arena, size_t count, size_t size)
{
	void* memory = lm_arena_take(arena, count, size);
	if (memory != NULL)
		memset(memory, 0, count * size);
	else
		lm_reader_no_memory(reader);
	return memory;
}

void* lm_reader_take(lm_reader* reader, size_t count, size_t size)
{
	return take_zeroed(reader, &reader->arena, count, size);
}

void* lm_reader_keep(lm_reader* reader, size_t count, size_t size)
{
	return take_zeroed(reader, reader->memory, count, size);
}

const char* lm_reader_keep_text(lm_reader* reader, const char* text)
{
	char* copy = lm_reader_keep(reader, strlen(text) + 1, 1);
	return copy != NULL ? strcpy(copy, text) : "";
}

// ---- adding ----

// Room for one more: the list doubles whenever its count is a power of two from 16 on.
static lm_error* add(lm_reader* reader)
{
	lm_problems* problems = reader->problems;
	if (problems->count >= MOST_PROBLEMS)
		return NULL;
	size_t count = (size_t)problems->count;
	if (count == 0 || (count >= 16 && (count & (count - 1)) == 0))
	{
		size_t capacity = count;
		void* items = problems->items;
		size_t wanted = count == 0 ? 16 : 2 * count;
		if (!lm_grow(&reader->host, &items, &capacity, wanted, sizeof(lm_error)))
		{
			lm_reader_no_memory(reader);
			return NULL;
		}
		problems->items = items;
	}
	lm_error* error = &problems->items[problems->count++];
	if (problems->count == MOST_PROBLEMS)
	{
		lm_fail_at(error, LM_BAD_INPUT, reader->file, "", "there are more problems than the %d above; is this a scene?",
		           MOST_PROBLEMS - 1);
		return NULL;
	}
	return error;
}

static void add_text(lm_reader* reader, const char* format, va_list arguments)
{
	lm_error* error = add(reader);
	if (error == NULL)
		return;
	char message[sizeof error->message];
	vsnprintf(message, sizeof message, format, arguments);
	lm_fail_at(error, LM_BAD_INPUT, reader->file, reader->path, "%s", message);
}

void lm_problem(lm_reader* reader, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	add_text(reader, format, arguments);
	va_end(arguments);
}

void lm_problem_key(lm_reader* reader, const char* key, const char* format, ...)
{
	size_t mark = lm_reader_enter(reader, key);
	va_list arguments;
	va_start(arguments, format);
	add_text(reader, format, arguments);
	va_end(arguments);
	lm_reader_leave(reader, mark);
}

void lm_problem_from(lm_reader* reader, const char* key, const lm_error* error)
{
	if (error->status == LM_NO_MEMORY || error->status == LM_CANCELLED)
	{
		reader->status = error->status;
		return;
	}
	char text[sizeof error->message];
	lm_error_format(error, text, sizeof text);
	lm_problem_key(reader, key, "%s", text);
}

// ---- the order of the file ----

typedef struct place
{
	int32_t index[MOST_LEVELS]; // which child, level by level; -1 where the path ends or leads nowhere
	int32_t problem;
} place;

// The key of `object` that the path goes on with; the longest, should keys contain dots.
static json_t* step_into_object(json_t* object, const char** path, int32_t* index)
{
	const char* rest = **path == '.' ? *path + 1 : *path;
	json_t *value, *found = NULL;
	const char* key;
	size_t best = 0;
	int32_t i = 0;
	json_object_foreach(object, key, value)
	{
		size_t length = strlen(key);
		if (strncmp(rest, key, length) == 0 && (found == NULL || length > best) &&
		    (rest[length] == 0 || rest[length] == '.' || rest[length] == '['))
		{
			found = value;
			best = length;
			*index = i;
		}
		++i;
	}
	*path = rest + best;
	return found;
}

static json_t* step_into(json_t* value, const char** path, int32_t* index)
{
	if (json_is_object(value))
		return step_into_object(value, path, index);
	long long item;
	int used = 0;
	if (!json_is_array(value) || sscanf(*path, "[%lld]%n", &item, &used) != 1 || used == 0 || item < 0)
		return NULL;
	*path += used;
	*index = (int32_t)item;
	return json_array_get(value, (size_t)item);
}

static place find_place(json_t* root, const char* path, int32_t problem)
{
	place found = { .problem = problem };
	for (int level = 0; level < MOST_LEVELS; ++level)
		found.index[level] = -1;
	json_t* value = root;
	for (int level = 0; level < MOST_LEVELS && value != NULL && *path != 0; ++level)
		value = step_into(value, &path, &found.index[level]);
	return found;
}

static bool comes_after(const place* a, const place* b)
{
	for (int level = 0; level < MOST_LEVELS; ++level)
	{
		if (a->index[level] != b->index[level])
			return a->index[level] > b->index[level];
	}
	return a->problem > b->problem;
}

void lm_problems_sort(lm_problems* problems, json_t* root)
{
	place places[MOST_PROBLEMS];
	int32_t count = problems->count;
	if (count == MOST_PROBLEMS)
		--count; // its last line stays last
	for (int32_t i = 0; i < count; ++i)
	{
		place next = find_place(root, problems->items[i].where, i);
		lm_error error = problems->items[i];
		int32_t k = i;
		for (; k > 0 && comes_after(&places[k - 1], &next); --k)
		{
			places[k] = places[k - 1];
			problems->items[k] = problems->items[k - 1];
		}
		places[k] = next;
		problems->items[k] = error;
	}
}

void lm_text_free(const lm_host* host, char* text)
{
	lm_free(host, text);
}
