// everything.h: everything.json, a scene in which every key is used, with made-up files.
#ifndef TEST_SCENE_EVERYTHING_H
#define TEST_SCENE_EVERYTHING_H

#include "base/file.h"
#include "fake_files.h"
#include "test.h"

// The text of everything.json, in which every key is used.
static inline char* everything_text(const lm_host* host, size_t* size)
{
	unsigned char* text = NULL;
	assert_int_equal(lm_file_read(host, LIMBER_SOURCE "/tests/scene/everything.json", 1 << 20, &text, size, NULL),
	                 LM_OK);
	return (char*)text;
}

// The scene of everything.json; must be good.
static inline lm_scene* everything_scene(const lm_host* host)
{
	size_t size;
	char* text = everything_text(host, &size);
	lm_scene_files files = fake_files();
	lm_scene* scene = NULL;
	lm_problems problems;
	if (lm_scene_parse("scene.json", text, size, &files, host, &scene, &problems) != LM_OK)
		fail_msg("%s: %s", problems.items[0].where, problems.items[0].message);
	lm_free(host, text);
	return scene;
}

#endif
