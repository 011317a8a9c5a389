// take.c: a performance: every command with the frame before which it was given, and hashes on the way, so that it can
// be played again to the bit, and whoever plays it knows whether it was.
//
// As a file, JSON lines: first {"take": 1, "scene": fingerprint, "build": identity, "simd": level, "fps": frames per
// second}, then commands {"frame": 12, "do": ...} and hashes {"frame": 24, "hash": ...} in their order.
#include "world/take.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/identity.h"
#include "base/machine.h"
#include "format/syntax.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE ((size_t)1 << 30)
#define HASH_INTERVAL 24 // frames
#define VERSION 1

// ---- making ----

static lm_take* create(const lm_host* host)
{
	lm_take* take = LM_NEW(host, 1, lm_take);
	if (take != NULL)
		take->host = *host;
	return take;
}

lm_status lm_take_create(const lm_world* world, lm_take** result, lm_error* error)
{
	lm_take* take = create(&world->host);
	if (take == NULL)
		return lm_fail_memory(error);
	take->fingerprint = world->scene->fingerprint;
	take->build = lm_build_identity();
	take->simd = world->host.simd;
	take->fps = world->scene->fps;
	*result = take;
	return LM_OK;
}

void lm_take_destroy(lm_take* take)
{
	if (take == NULL)
		return;
	const lm_host host = take->host;
	lm_free(&host, take->entries);
	lm_free(&host, take);
}

static lm_status add(lm_take* take, const lm_take_entry* entry, lm_error* error)
{
	if (take->count > 0 && take->entries[take->count - 1].frame > entry->frame)
		return lm_fail(error, LM_BAD_INPUT,
		               "the take has something at frame %" PRId64 " already: cut it at frame %" PRId64 " first",
		               take->entries[take->count - 1].frame, entry->frame);
	void* entries = take->entries;
	if (!lm_grow(&take->host, &entries, &take->capacity, take->count + 1, sizeof *entry))
		return lm_fail_memory(error);
	take->entries = entries;
	take->entries[take->count++] = *entry;
	return LM_OK;
}

// The first entries that are about keys and handles, of the first frame.
static size_t count_planned(const lm_take* take, const lm_world* world)
{
	size_t count = 0;
	while (count < take->count && take->entries[count].frame == 0 && !take->entries[count].is_hash &&
	       lm_command_plans(world, &take->entries[count].command))
		++count;
	return count;
}

lm_status lm_take_command(lm_take* take, lm_world* world, const lm_command* command, lm_error* error)
{
	lm_status status = lm_world_command(world, command, error);
	lm_take_entry entry = { .frame = world->frame, .command = *command };
	if (status == LM_OK)
		status = add(take, &entry, error);
	if (status == LM_OK)
		take->planned = count_planned(take, world);
	return status;
}

lm_status lm_take_step(lm_take* take, lm_world* world, lm_error* error)
{
	lm_status status = lm_world_step(world, error);
	if (status != LM_OK || world->frame % HASH_INTERVAL != 0)
		return status;
	return lm_take_mark(take, world, error);
}

// Commands of this frame come after its hash: once one was given it is too late for one.
lm_status lm_take_mark(lm_take* take, const lm_world* world, lm_error* error)
{
	lm_take_entry entry = { .frame = world->frame, .is_hash = true, .hash = lm_world_motion_hash(world) };
	if (take->count > 0 && take->entries[take->count - 1].frame == world->frame)
		return LM_OK;
	return add(take, &entry, error);
}

void lm_take_cut(lm_take* take, int64_t frame)
{
	size_t kept = 0;
	for (size_t i = 0; i < take->count; ++i)
		if (take->entries[i].frame < frame || i < take->planned ||
		    (take->entries[i].is_hash && take->entries[i].frame == frame))
			take->entries[kept++] = take->entries[i];
	take->count = kept;
}

// ---- plans ----

// Entries, and then commands, all together: the motion is found once.
static lm_status give_plan(const lm_take_entry* entries, size_t count, const lm_command* more, size_t more_count,
                           lm_world* world, lm_error* error)
{
	lm_command* commands = LM_NEW(&world->host, count + more_count, lm_command);
	if (commands == NULL)
		return lm_fail_memory(error);
	for (size_t i = 0; i < count; ++i)
		commands[i] = entries[i].command;
	for (size_t i = 0; i < more_count; ++i)
		commands[count + i] = more[i];
	lm_status status = lm_world_plan(world, commands, (int32_t)(count + more_count), error);
	lm_free(&world->host, commands);
	return status;
}

static void forget_hashes(lm_take* take)
{
	size_t kept = 0;
	for (size_t i = 0; i < take->count; ++i)
		if (!take->entries[i].is_hash)
			take->entries[kept++] = take->entries[i];
	take->count = kept;
}

static lm_status check_first(const lm_world* world, lm_error* error)
{
	return world->frame == 0
	           ? LM_OK
	           : lm_fail(error, LM_BAD_INPUT, "the world is at frame %" PRId64 ", must be at its first", world->frame);
}

lm_status lm_take_plan(lm_take* take, lm_world* world, const lm_command* commands, int32_t count, lm_error* error)
{
	lm_status status = check_first(world, error);
	void* entries = take->entries;
	if (status == LM_OK &&
	    !lm_grow(&take->host, &entries, &take->capacity, take->count + (size_t)count, sizeof *take->entries))
		status = lm_fail_memory(error);
	else
		take->entries = entries;
	if (status == LM_OK)
		status = give_plan(take->entries, take->planned, commands, (size_t)count, world, error);
	if (status != LM_OK)
		return status;
	forget_hashes(take);
	lm_take_entry* at = take->entries + take->planned;
	memmove(at + count, at, (take->count - take->planned) * sizeof *at);
	for (int32_t i = 0; i < count; ++i)
		at[i] = (lm_take_entry){ .command = commands[i] };
	take->count += (size_t)count, take->planned += (size_t)count;
	return LM_OK;
}

lm_status lm_take_unplan(lm_take* take, lm_world* world, int32_t count, lm_error* error)
{
	lm_status status = check_first(world, error);
	size_t left = (size_t)count < take->planned ? take->planned - (size_t)count : 0;
	if (status == LM_OK)
		status = give_plan(take->entries, left, NULL, 0, world, error);
	if (status != LM_OK)
		return status;
	forget_hashes(take);
	memmove(take->entries + left, take->entries + take->planned, (take->count - take->planned) * sizeof *take->entries);
	take->count -= take->planned - left, take->planned = left;
	return LM_OK;
}

int32_t lm_take_plan_count(const lm_take* take)
{
	return (int32_t)take->planned;
}

int64_t lm_take_command_count(const lm_take* take)
{
	int64_t count = 0;
	for (size_t i = 0; i < take->count; ++i)
		count += !take->entries[i].is_hash;
	return count;
}

bool lm_take_is_ours(const lm_take* take)
{
	return take->build == lm_build_identity();
}

lm_simd lm_take_simd(const lm_take* take)
{
	return take->simd;
}

int64_t lm_take_frames(const lm_take* take)
{
	const lm_take_entry* last = take->count > 0 ? &take->entries[take->count - 1] : NULL;
	return last != NULL ? last->frame + !last->is_hash : 0;
}

size_t lm_take_find(const lm_take* take, int64_t frame)
{
	size_t low = 0, high = take->count;
	while (low < high)
	{
		size_t middle = low + (high - low) / 2;
		if (take->entries[middle].frame < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// ---- playing ----

lm_status lm_take_fits(const lm_take* take, const lm_world* world, lm_error* error)
{
	if (take->fingerprint != world->scene->fingerprint || take->fps != world->scene->fps)
		return lm_fail(error, LM_BAD_INPUT, "the take is of another scene, or the scene has changed since");
	if (take->simd != world->host.simd)
		return lm_fail(error, LM_BAD_INPUT, "the take was recorded at the SIMD level %s, the world is made for %s",
		               lm_simd_name(take->simd), lm_simd_name(world->host.simd));
	return LM_OK;
}

lm_status lm_take_play(const lm_take* take, lm_world* world, lm_error* error)
{
	lm_status status = LM_OK;
	size_t i = lm_take_find(take, world->frame);
	while (status == LM_OK && i < take->count && take->entries[i].frame == world->frame)
		status = lm_take_give(take, &i, world, error);
	return status;
}

// The motion that several keys and handles in a row ask for is found once.
lm_status lm_take_give(const lm_take* take, size_t* i, lm_world* world, lm_error* error)
{
	const lm_take_entry* entry = &take->entries[*i];
	size_t count = 0;
	while (*i + count < take->count && !entry[count].is_hash && entry[count].frame == entry->frame &&
	       lm_command_plans(world, &entry[count].command))
		++count;
	*i += count > 0 ? count : 1;
	if (count > 0)
		return give_plan(entry, count, NULL, 0, world, error);
	return entry->is_hash ? LM_OK : lm_world_command(world, &entry->command, error);
}

bool lm_take_agrees(const lm_take* take, const lm_world* world)
{
	for (size_t i = lm_take_find(take, world->frame); i < take->count && take->entries[i].frame == world->frame; ++i)
		if (take->entries[i].is_hash)
			return take->entries[i].hash == lm_world_motion_hash(world);
	return true;
}

// ---- files ----

static json_t* entry_to_json(const lm_world* world, const lm_take_entry* entry)
{
	char hash[17];
	snprintf(hash, sizeof hash, "%016" PRIx64, entry->hash);
	json_t* json = entry->is_hash ? json_pack("{s:s}", "hash", hash) : lm_command_to_json(world, &entry->command);
	json_object_set_new(json, "frame", json_integer(entry->frame));
	return json;
}

static bool put_line(FILE* file, json_t* json)
{
	char* text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
	bool good = text != NULL && fprintf(file, "%s\n", text) > 0;
	free(text);
	json_decref(json);
	return good;
}

lm_status lm_take_write(const lm_take* take, const lm_world* world, const char* path, lm_error* error)
{
	lm_output output;
	lm_status status = lm_output_open(&take->host, path, &output, error);
	if (status != LM_OK)
		return status;
	char fingerprint[17], build[17];
	snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, take->fingerprint);
	snprintf(build, sizeof build, "%016" PRIx64, take->build);
	bool good = put_line(output.file, json_pack("{s:i,s:s,s:s,s:s,s:f}", "take", VERSION, "scene", fingerprint, "build",
	                                            build, "simd", lm_simd_name(take->simd), "fps", take->fps));
	for (size_t i = 0; good && i < take->count; ++i)
		good = put_line(output.file, entry_to_json(world, &take->entries[i]));
	(void)good; // what could not be written is seen when the file is closed
	return lm_output_commit(&output, error);
}

static bool hex_number(const json_t* json, uint64_t* number)
{
	const char* text = json_string_value(json);
	char* end;
	if (text == NULL || strlen(text) != 16)
		return false;
	*number = strtoull(text, &end, 16);
	return *end == 0;
}

static lm_status read_head(lm_take* take, json_t* json, lm_error* error)
{
	const char* simd = json_string_value(json_object_get(json, "simd"));
	take->fps = json_number_value(json_object_get(json, "fps"));
	json_int_t version = json_integer_value(json_object_get(json, "take"));
	if (version > VERSION)
		return lm_fail(error, LM_BAD_INPUT,
		               "is a take of version %" JSON_INTEGER_FORMAT
		               ", this limber knows %d: repeat it with the one that recorded it",
		               version, VERSION);
	if (version != VERSION)
		return lm_fail(error, LM_BAD_INPUT, "is not a take: its first line must be {\"take\": %d, ...}", VERSION);
	if (!hex_number(json_object_get(json, "build"), &take->build))
		take->build = 0; // of before takes said so
	if (!hex_number(json_object_get(json, "scene"), &take->fingerprint) || simd == NULL || !(take->fps > 0))
		return lm_fail(error, LM_BAD_INPUT, "has no scene, simd or fps in its first line");
	return lm_simd_find(simd, &take->simd, error);
}

static lm_status read_entry(lm_take* take, const lm_world* world, json_t* json, lm_error* error)
{
	json_t* frame = json_object_get(json, "frame");
	lm_take_entry entry = { .frame = json_integer_value(frame) };
	if (!json_is_integer(frame) || entry.frame < 0 ||
	    (take->count > 0 && entry.frame < take->entries[take->count - 1].frame))
		return lm_fail(error, LM_BAD_INPUT, "has no frame, or one before that of the line above");
	json_object_del(json, "frame");
	entry.is_hash = json_object_get(json, "hash") != NULL;
	lm_status status = LM_OK;
	if (entry.is_hash && !hex_number(json_object_get(json, "hash"), &entry.hash))
		return lm_fail(error, LM_BAD_INPUT, "has a hash that is not 16 hexadecimal digits");
	if (!entry.is_hash)
		status = lm_command_from_json(world, json, &entry.command, error);
	return status == LM_OK ? add(take, &entry, error) : status;
}

// Line by line; world NULL: only the head. Errors name the line.
static lm_status read_lines(lm_take* take, const lm_world* world, const char* path, const char* text, size_t size,
                            lm_error* error)
{
	int64_t line = 0;
	lm_status status = size > 0 ? LM_OK : lm_fail_at(error, LM_BAD_INPUT, path, "", "is empty");
	for (size_t at = 0; status == LM_OK && at < size; ++line)
	{
		const char* end = memchr(text + at, '\n', size - at);
		size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
		lm_error found = { 0 };
		json_t* json = lm_json_parse(path, text + at, length, &found);
		status = json == NULL ? found.status
		         : line == 0  ? read_head(take, json, &found)
		                      : read_entry(take, world, json, &found);
		json_decref(json);
		char where[32];
		snprintf(where, sizeof where, "line %" PRId64, line + 1);
		if (status != LM_OK)
			lm_fail_at(error, status, path, where, "%s", found.message);
		if (line == 0 && world == NULL)
			return status;
		at += length + 1;
	}
	return status;
}

static lm_status read_file(const char* path, const lm_world* world, const lm_host* host, lm_take** result,
                           lm_error* error)
{
	unsigned char* data;
	size_t size;
	lm_status status = lm_file_read(host, path, LARGEST_FILE, &data, &size, error);
	if (status != LM_OK)
		return status;
	lm_take* take = create(host);
	status = take != NULL ? read_lines(take, world, path, (const char*)data, size, error) : lm_fail_memory(error);
	lm_free(host, data);
	if (status == LM_OK && world != NULL)
		take->planned = count_planned(take, world);
	if (status == LM_OK)
		*result = take;
	else
		lm_take_destroy(take);
	return status;
}

lm_status lm_take_read(const char* path, const lm_world* world, lm_take** take, lm_error* error)
{
	return read_file(path, world, &world->host, take, error);
}

lm_status lm_take_level(const char* path, const lm_host* host, lm_simd* simd, lm_error* error)
{
	lm_take* take;
	lm_status status = read_file(path, NULL, host, &take, error);
	if (status != LM_OK)
		return status;
	*simd = take->simd;
	lm_take_destroy(take);
	return LM_OK;
}
