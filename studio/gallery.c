// gallery.c: see gallery.h.
#include "gallery.h"

#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

struct gallery
{
	char folder[PATH_CAPACITY];
	char pictures[PATH_CAPACITY]; // folder; "": there is none
	glob_t scenes;
	json_t* list;
	pid_t child; // that draws pictures; 0: none
	bool* told;  // pages know the picture of a scene
	double looked;
};

// "/path/gallery/match/twist.json" -> "match/twist"
static void name_of(const gallery* g, size_t i, char* name, size_t capacity)
{
	const char* relative = g->scenes.gl_pathv[i] + strlen(g->folder) + 1;
	snprintf(name, capacity, "%.*s", (int)(strlen(relative) - strlen(".json")), relative);
}

static void picture_name(const char* name, char* file, size_t capacity)
{
	snprintf(file, capacity, "%s.png", name);
	for (char* c = file; *c != 0; ++c)
		*c = *c == '/' ? '-' : *c;
}

static json_t* describe(const gallery* g, size_t i)
{
	char name[256], picture[300];
	name_of(g, i, name, sizeof name);
	picture_name(name, picture, sizeof picture);
	json_t* scene = json_load_file(g->scenes.gl_pathv[i], 0, NULL);
	const char* description = json_string_value(json_object_get(scene, "description"));
	const char* slash = strchr(name, '/');
	json_t* item = json_pack("{s:s,s:s,s:s,s:s#}", "name", name, "title", slash != NULL ? slash + 1 : name,
	                         "description", description != NULL ? description : "", "engine", name,
	                         slash != NULL ? (int)(slash - name) : (int)strlen(name));
	char address[320];
	snprintf(address, sizeof address, "/gallery/%s", picture);
	json_object_set_new(item, "picture", json_string(address));
	json_decref(scene);
	return item;
}

static bool is_ready(const gallery* g, size_t i)
{
	char name[256], picture[300], path[PATH_CAPACITY];
	name_of(g, i, name, sizeof name);
	picture_name(name, picture, sizeof picture);
	return g->pictures[0] != 0 && path_join(g->pictures, picture, path, sizeof path) && file_exists(path);
}

static void find_cache(gallery* g)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char folder[PATH_CAPACITY] = "";
	if (cache != NULL && cache[0] == '/')
		snprintf(folder, sizeof folder, "%s", cache);
	else if (home != NULL && home[0] == '/')
		snprintf(folder, sizeof folder, "%.4000s/.cache", home);
	if (folder[0] == 0 ||
	    snprintf(g->pictures, sizeof g->pictures, "%.4000s/limber/gallery-%s", folder, lm_version()) < 0 ||
	    !folder_make(g->pictures))
		g->pictures[0] = 0;
}

gallery* gallery_create(const char* folder)
{
	gallery* g = calloc(1, sizeof *g);
	if (g == NULL)
		return NULL;
	g->list = json_array();
	if (folder == NULL)
		return g;
	char pattern[PATH_CAPACITY];
	snprintf(g->folder, sizeof g->folder, "%s", folder);
	if (path_join(folder, "*/*.json", pattern, sizeof pattern) && glob(pattern, 0, NULL, &g->scenes) != 0)
		g->scenes.gl_pathc = 0;
	for (size_t i = 0; i < g->scenes.gl_pathc; ++i)
		json_array_append_new(g->list, describe(g, i));
	g->told = calloc(g->scenes.gl_pathc + 1, sizeof *g->told);
	if (g->told == NULL)
		return gallery_destroy(g), NULL;
	find_cache(g);
	return g;
}

void gallery_destroy(gallery* g)
{
	if (g == NULL)
		return;
	gallery_stop(g);
	if (g->scenes.gl_pathv != NULL)
		globfree(&g->scenes);
	json_decref(g->list);
	free(g->told);
	free(g);
}

json_t* gallery_list(const gallery* g)
{
	json_t* list = json_deep_copy(g->list);
	for (size_t i = 0; i < json_array_size(list); ++i)
		json_object_set_new(json_array_get(list, i), "ready", json_boolean(is_ready(g, i)));
	return list;
}

bool gallery_find(const gallery* g, const char* wanted, char* path, size_t capacity)
{
	for (size_t i = 0; i < g->scenes.gl_pathc; ++i)
	{
		char name[256];
		name_of(g, i, name, sizeof name);
		if (strcmp(name, wanted) == 0)
			return snprintf(path, capacity, "%s", g->scenes.gl_pathv[i]) < (int)capacity;
	}
	return false;
}

bool gallery_name(const gallery* g, const char* file, char* name, size_t capacity)
{
	char stem[256];
	for (size_t i = 0; i < g->scenes.gl_pathc; ++i)
	{
		path_stem(g->scenes.gl_pathv[i], stem, sizeof stem);
		if (strcmp(stem, file) != 0 && !path_is_same(g->scenes.gl_pathv[i], file))
			continue;
		name_of(g, i, name, capacity);
		return true;
	}
	return false;
}

// ---- pictures ----

#define FOLDERS_MAX 12

static bool has_folder(const gallery* g, const char* folder)
{
	bool has = false;
	for (size_t i = 0; i < g->scenes.gl_pathc && !has; ++i)
	{
		char name[256];
		name_of(g, i, name, sizeof name);
		has = strncmp(name, folder, strlen(folder)) == 0 && name[strlen(folder)] == '/';
	}
	return has;
}

static int add_folder(const char* folder, char names[][64], char* words[], int count)
{
	for (int i = 0; i < count; ++i)
		if (strcmp(names[i], folder) == 0)
			return count;
	if (count == FOLDERS_MAX)
		return count;
	snprintf(names[count], sizeof names[count], "%.63s", folder);
	words[count] = names[count];
	return count + 1;
}

// Folders of scenes, those that the page shows first first.
static void list_folders(const gallery* g, char names[][64], char* words[])
{
	static const char* const first[] = { "match", "act", "together", "track", "design" };
	int count = 0;
	for (size_t i = 0; i < sizeof first / sizeof first[0]; ++i)
		if (has_folder(g, first[i]))
			count = add_folder(first[i], names, words, count);
	for (size_t i = 0; i < g->scenes.gl_pathc; ++i)
	{
		char name[256];
		name_of(g, i, name, sizeof name);
		name[strcspn(name, "/")] = 0;
		count = add_folder(name, names, words, count);
	}
	words[count] = NULL;
}

void gallery_draw_pictures(gallery* g)
{
	if (g->child > 0 || g->pictures[0] == 0 || g->scenes.gl_pathc == 0)
		return;
	char names[FOLDERS_MAX][64];
	char* words[5 + FOLDERS_MAX + 1] = { "limber", "gallery", "--pictures", g->pictures, "--quiet" };
	list_folders(g, names, words + 5);
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_t attributes;
	sigset_t none;
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	setenv("LIMBER_GALLERY", g->folder, 1);
	if (posix_spawn(&g->child, "/proc/self/exe", &actions, &attributes, words, environ) != 0)
		g->child = 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
}

static void add_name(const gallery* g, size_t i, json_t* names)
{
	char name[256];
	name_of(g, i, name, sizeof name);
	json_array_append_new(names, json_string(name));
}

// One message, however many there are.
static void send_names(json_t* names, outlet* out, int client)
{
	json_t* news = json_pack("{s:s,s:O}", "kind", "pictures", "names", names);
	char* text = json_array_size(names) > 0 ? json_dumps(news, JSON_COMPACT) : NULL;
	if (text != NULL)
		outlet_send(out, client, message_of_text(text));
	free(text);
	json_decref(news);
}

static void tell_new_pictures(gallery* g, outlet* out)
{
	json_t* names = json_array();
	for (size_t i = 0; i < g->scenes.gl_pathc; ++i)
		if (!g->told[i] && is_ready(g, i))
		{
			g->told[i] = true;
			add_name(g, i, names);
		}
	send_names(names, out, EVERYBODY);
	json_decref(names);
}

void gallery_tell_all(const gallery* g, outlet* out, int client)
{
	json_t* names = json_array();
	for (size_t i = 0; i < g->scenes.gl_pathc; ++i)
		if (is_ready(g, i))
			add_name(g, i, names);
	send_names(names, out, client);
	json_decref(names);
}

void gallery_tell_pictures(gallery* g, outlet* out)
{
	double now = lm_clock_seconds();
	if (g->child <= 0 || now - g->looked < 1)
		return;
	g->looked = now;
	tell_new_pictures(g, out);
	if (waitpid(g->child, NULL, WNOHANG) != 0)
		g->child = 0;
}

void gallery_stop(gallery* g)
{
	if (g->child <= 0)
		return;
	kill(g->child, SIGKILL); // pictures are written under temporary names
	waitpid(g->child, NULL, 0);
	g->child = 0;
}

message* gallery_picture(const gallery* g, const char* file)
{
	char path[PATH_CAPACITY];
	size_t size;
	if (g->pictures[0] == 0 || !name_is_safe(file) || !path_join(g->pictures, file, path, sizeof path))
		return NULL;
	char* bytes = file_read(path, (size_t)8 << 20, &size);
	message* m = bytes != NULL ? message_create(size, true) : NULL;
	if (m != NULL)
		memcpy(m->bytes, bytes, size);
	free(bytes);
	return m;
}

json_t* gallery_files(const char* folder)
{
	json_t* list = json_array();
	DIR* entries = opendir(folder);
	for (struct dirent* e; entries != NULL && json_array_size(list) < 200 && (e = readdir(entries)) != NULL;)
		if (name_is_safe(e->d_name) && (name_has_ending(e->d_name, ".json") || lm_mesh_can_read(e->d_name)))
			json_array_append_new(list, json_string(e->d_name));
	if (entries != NULL)
		closedir(entries);
	return list;
}
