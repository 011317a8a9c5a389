// reference.c: the tables of keys.h as a page of Markdown, with an introduction by hand.
#include "base/alloc.h"
#include "base/blob.h"
#include "scene/document.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char introduction[] =
	"# Scene files\n"
	"\n"
	"A scene is a JSON file. `limber check SCENE.json` names every problem in it at once, each with its place;\n"
	"`limber run SCENE.json` brings it to life. y is up; metres, kilograms and seconds throughout. Names of files are\n"
	"relative to the scene file. Unknown keys are errors, so that a slip of the finger is never silently ignored.\n"
	"\n"
	"This page is made from the same table that checks scenes; so is the JSON Schema beside it, `scene.schema.json`,\n"
	"which editors use to complete and check as you type when the scene says where it is (`\"$schema\"`).\n"
	"\n"
	"## An example\n"
	"\n"
	"A soft box that prefers to be twisted, falling on a plane while one end is held for a second:\n"
	"\n"
	"```json\n"
	"{\n"
	"  \"limber\": 1,\n"
	"  \"seconds\": 4,\n"
	"  \"camera\": { \"direction\": [-0.5, -0.3, -1] },\n"
	"  \"colliders\": [\n"
	"    { \"name\": \"ground\", \"shape\": \"plane\", \"friction\": 0.8 }\n"
	"  ],\n"
	"  \"objects\": [\n"
	"    {\n"
	"      \"name\": \"box\",\n"
	"      \"engine\": \"match\",\n"
	"      \"mesh\": \"box.msh\",\n"
	"      \"position\": [0, 1, 0],\n"
	"      \"rotation\": { \"axis\": [0, 0, 1], \"degrees\": 20 },\n"
	"      \"color\": \"#e0663f\",\n"
	"      \"groups\": { \"end\": { \"box\": [[0.4, -1, -1], [0.5, 1, 1]] } },\n"
	"      \"pins\": [ { \"group\": \"end\", \"end\": 1 } ],\n"
	"      \"match\": {\n"
	"        \"frequency\": 12,\n"
	"        \"examples\": [ { \"mesh\": \"box-twisted.msh\", \"strength\": [[0, 0], [1, 1]] } ]\n"
	"      }\n"
	"    }\n"
	"  ]\n"
	"}\n"
	"```\n"
	"\n"
	"## Values\n"
	"\n"
	"| written as | means |\n"
	"| --- | --- |\n"
	"| file | a name relative to the scene file: .obj, .ply, .stl, .node (with .ele), .msh |\n"
	"| colour | `\"#rrggbb\"`, as in a browser |\n"
	"| rotation | a quaternion `[w, x, y, z]`, or `{\"axis\": [x, y, z], \"degrees\": angle}` |\n"
	"| keyed number | a number, or `[[time, value], ...]`: linear between the keys, constant before and after |\n"
	"| keyed vector | `[x, y, z]`, or `[[time, x, y, z], ...]` |\n"
	"| vertices | `[0, 7, 12]`: vertices of the simulation mesh, counted from 0 |\n"
	"\n"
	"Numbers lie between -1e9 and 1e9 where nothing else is said.\n"
	"\n"
	"Lengths inside mesh files are metres, too, unless `scale` says otherwise. The simulation mesh of an object is\n"
	"its `mesh` when that has tetrahedra. A surface is wrapped in a lattice of tetrahedra first, is itself what\n"
	"pictures show, and everything that is said of it carries over: its groups, and example or start poses with the\n"
	"vertices of the surface (poses with the vertices of the lattice are taken as they are). What touches things is "
	"the\n"
	"lattice, which stands out from the surface by up to the length of an edge: more vertices come closer.\n";

static void put(lm_blob* blob, const char* text)
{
	lm_blob_put(blob, text, strlen(text));
}

// Values as the intro's table calls them.
// A heading as the address of a link: "key of design" is #key-of-design.
static void put_anchor(lm_blob* blob, const char* heading)
{
	for (const char* c = heading; *c != 0; ++c)
		lm_blob_put(blob, *c == ' ' ? "-" : c, 1);
}

static void put_kind(lm_blob* blob, const lm_key* key)
{
	char text[300];
	switch (key->kind)
	{
		case LM_KEY_FILE: put(blob, "file"); return;
		case LM_KEY_COLOR: put(blob, "colour"); return;
		case LM_KEY_ROTATION: put(blob, "rotation"); return;
		case LM_KEY_KEYED: put(blob, key->width == 1 ? "keyed number" : "keyed vector"); return;
		case LM_KEY_INDICES: put(blob, "vertices"); return;
		case LM_KEY_TABLE:
		case LM_KEY_LIST:
		case LM_KEY_MAP:
			put(blob, key->kind == LM_KEY_TABLE ? "" : key->kind == LM_KEY_LIST ? "list of " : "by name: ");
			put(blob, "[");
			put(blob, key->table->name);
			put(blob, "](#");
			put_anchor(blob, key->table->name);
			put(blob, key->flags & LM_KEY_OR_FALSE ? ") or `false`" : ")");
			return;
		default: break;
	}
	lm_key_expected(key, text, sizeof text);
	put(blob, text);
}

static void put_range(lm_blob* blob, const lm_key* key)
{
	char text[100];
	bool counted = key->kind == LM_KEY_LIST || key->kind == LM_KEY_MAP || key->kind == LM_KEY_TEXTS;
	if (counted || key->kind == LM_KEY_INDICES || key->kind == LM_KEY_TABLE)
		return;
	if (key->low == key->high && key->low != 0) // said already
		return;
	lm_key_range_text(key, text, sizeof text);
	if (text[0] != 0)
		put(blob, ", ");
	put(blob, text);
}

static void put_default(lm_blob* blob, const lm_key* key, const void* item)
{
	json_t* value = lm_key_default(key, item);
	char* text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;
	if (key->flags & LM_KEY_REQUIRED)
		put(blob, "**required**");
	else if (text != NULL)
	{
		put(blob, "`");
		put(blob, text);
		put(blob, "`");
	}
	else if (key->usual != NULL)
		put(blob, key->usual);
	free(text);
	json_decref(value);
}

static void put_table(lm_blob* blob, const lm_table* table, const void* item)
{
	put(blob, "\n## ");
	put(blob, table->name);
	put(blob, "\n\n");
	put(blob, table->help);
	put(blob, "\n\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n");
	for (int32_t i = 0; i < table->key_count; ++i)
	{
		const lm_key* key = &table->keys[i];
		put(blob, "| `");
		put(blob, key->name);
		put(blob, "` | ");
		put_kind(blob, key);
		put_range(blob, key);
		if (key->unit != NULL)
		{
			put(blob, "; ");
			put(blob, key->unit);
		}
		put(blob, " | ");
		put_default(blob, key, item);
		put(blob, " | ");
		put(blob, key->help);
		put(blob, " |\n");
	}
}

char* lm_scene_reference(const lm_host* host)
{
	lm_blob blob;
	lm_blob_init(&blob, host);
	put(&blob, introduction);
	const lm_table* tables[LM_MOST_TABLES];
	int32_t count = lm_all_tables(tables, LM_MOST_TABLES);
	for (int32_t i = 0; i < count; ++i)
	{
		void* item = lm_alloc(host, 1, tables[i]->size);
		if (item != NULL)
		{
			lm_table_defaults(tables[i], item);
			put_table(&blob, tables[i], item);
		}
		blob.failed |= item == NULL;
		lm_free(host, item);
	}
	char* text = blob.failed ? NULL : lm_alloc(host, blob.size + 1, 1);
	if (text != NULL)
		memcpy(text, blob.data, blob.size);
	lm_blob_release(&blob);
	return text;
}
