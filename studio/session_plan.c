// session_plan.c: keys of designed objects. Whatever frame is shown, the motion is another one from its beginning: the
// commands stand before all else in the take, and the performance is computed again up to where it was.
#include "session_inside.h"

#include <stdlib.h>
#include <string.h>

bool session_plans(const session* s, const lm_command* command)
{
	bool designed = command->object >= 0 && command->object < s->scene->object_count &&
	                s->scene->objects[command->object].design != NULL;
	bool frees = command->kind == LM_COMMAND_FREE && command->key[0] == 0 && command->example < 0 && designed;
	return command->kind >= LM_COMMAND_KEY || frees;
}

// What is done to the take with the world at its first frame; false leaves all as it was.
typedef lm_status plan_step(session* s, const void* context, lm_error* found);

static bool from_beginning(session* s, plan_step* step, const void* context, char* error, size_t capacity)
{
	int64_t frame = lm_world_frame(s->world);
	const lm_snapshot* first = history_find(s->past, 0);
	lm_snapshot* here;
	lm_error found;
	if (first == NULL || s->take == NULL)
		return session_refuse(error, capacity, "the motion is not known yet");
	if (lm_world_snapshot(s->world, &here, &found) != LM_OK)
		return session_fail(&found, error, capacity);
	lm_status status = lm_world_restore(s->world, first, &found);
	s->preparing = true; // what is asked for meanwhile waits
	if (status == LM_OK)
		status = step(s, context, &found);
	s->preparing = false;
	s->busy[0] = 0;
	lm_error ignored;
	if (status != LM_OK)
		lm_world_restore(s->world, here, &ignored);
	lm_snapshot_destroy(here);
	if (status != LM_OK)
		return session_fail(&found, error, capacity);
	history_cut(s->past, 0); // the first frame, before its commands, is as it was
	session_go_to(s, frame, error, capacity);
	s->state_changed = true;
	return true;
}

typedef struct planned
{
	const lm_command* commands;
	int32_t count;
} planned;

static lm_status put(session* s, const void* context, lm_error* found)
{
	const planned* p = context;
	lm_status status = lm_take_plan(s->take, s->world, p->commands, p->count, found);
	for (int32_t i = 0; status == LM_OK && i < p->count; ++i)
		journal_plan(s->log, s->world, &p->commands[i]);
	return status;
}

static lm_status take_back(session* s, const void* context, lm_error* found)
{
	const planned* p = context;
	lm_status status = lm_take_unplan(s->take, s->world, p->count, found);
	if (status == LM_OK)
		journal_unplan(s->log, p->count);
	return status;
}

void session_forget_plan(session* s)
{
	free(s->plan);
	s->plan = NULL, s->plan_count = 0;
}

static bool append(session* s, const lm_command* commands, int32_t count)
{
	lm_command* grown = realloc(s->plan, (size_t)(s->plan_count + count + 1) * sizeof *grown);
	if (grown == NULL)
		return false;
	s->plan = grown;
	memcpy(grown + s->plan_count, commands, (size_t)count * sizeof *grown);
	s->plan_count += count;
	return true;
}

bool session_put_plan(session* s, const lm_command* commands, int32_t count)
{
	session_forget_plan(s);
	return append(s, commands, count);
}

bool session_plan(session* s, const lm_command* commands, int32_t count, char* error, size_t capacity)
{
	return from_beginning(s, put, &(planned){ commands, count }, error, capacity) &&
	       (append(s, commands, count) || session_refuse(error, capacity, "out of memory"));
}

bool session_unplan(session* s, int32_t count, char* error, size_t capacity)
{
	if (count > s->plan_count)
		return session_refuse(error, capacity, "the performance is another one now");
	if (!from_beginning(s, take_back, &(planned){ NULL, count }, error, capacity))
		return false;
	s->plan_count -= count;
	return true;
}

void session_plan_again(session* s)
{
	char error[1024];
	if (s->plan_count == 0 || from_beginning(s, put, &(planned){ s->plan, s->plan_count }, error, sizeof error))
		return;
	session_forget_plan(s);
	session_tell(s, EVERYBODY, "error", error, NULL, NULL);
}

// {"figure": [[12, "key"], [30, "via"]]}: keys of the whole object, by frame.
json_t* session_list_keys(session* s)
{
	json_t* all = json_object();
	for (int32_t i = 0; i < s->scene->object_count; ++i)
	{
		int32_t count = lm_world_keys(s->world, i, NULL, 0);
		lm_world_key* keys = calloc((size_t)count + 1, sizeof *keys);
		if (count == 0 || keys == NULL)
		{
			free(keys);
			continue;
		}
		lm_world_keys(s->world, i, keys, count);
		json_t* list = json_array();
		for (int32_t k = 0; k < count; ++k)
			if (!keys[k].part)
				json_array_append_new(list,
				                      json_pack("[f,s]", keys[k].time * s->scene->fps, keys[k].via ? "via" : "key"));
		json_object_set_new(all, s->scene->objects[i].name, list);
		free(keys);
	}
	return all;
}
