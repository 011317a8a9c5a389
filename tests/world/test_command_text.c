// Commands as JSON: the spellings that are read, the same command back to the bit, and mistakes in words.
#include "test.h"

#include "world/worlds.h"

static lm_command parse(const lm_world* world, const char* text)
{
	lm_command command = { 0 };
	lm_error error;
	if (lm_command_parse(world, text, strlen(text), &command, &error) != LM_OK)
		fail_msg("%s: %s", text, error.message);
	return command;
}

static void other_spellings_are_read(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, PARTS);
	lm_command c = parse(world, "{\"do\":\"command\",\"object\":\"actor\",\"kind\":\"hop\",\"velocity\":[1,2,0]}");
	assert_true(c.kind == LM_COMMAND_DO && c.object == ACTOR && c.act.behaviour == LM_ACT_HOP);
	assert_true(c.act.velocity[1] == 2 && c.act.crouch_seconds == lm_act_command_default(LM_ACT_HOP).crouch_seconds);
	c = parse(world, "{\"do\":\"command\",\"object\":\"actor\",\"behaviour\":\"crawl\"}");
	assert_true(c.act.behaviour == LM_ACT_CRAWL && c.act.lift == 0.015);
	c = parse(world, "{\"do\":\"push\",\"object\":\"block\",\"surface\":0,\"triangle\":3,\"at\":[1,0,0],"
	                 "\"impulse\":[4,5,6]}");
	assert_true(c.kind == LM_COMMAND_PUSH && c.triangle == 3 && c.to[0] == 4 && c.to[2] == 6);
	c = parse(world, "{\"do\":\"push\",\"object\":\"block\",\"at\":[1,0,0],\"to\":[7,8,9]}");
	assert_true(c.to[0] == 7 && c.to[2] == 9);
	c = parse(world, "{\"do\":\"set\",\"object\":\"block\",\"key\":\"match.beta\",\"value\":0.98}");
	assert_true(strcmp(c.key, "beta") == 0 && c.value[0] == 0.98);
	c = parse(world, "{\"do\":\"set\",\"object\":\"block\",\"key\":\"gravity\",\"value\":[1,2,3]}");
	assert_true(c.value[0] == 1 && c.value[2] == 3 && c.value[3] == 0);
	c = parse(world, "{\"do\":\"set\",\"object\":\"block\",\"key\":\"self_contact\",\"value\":true}");
	assert_true(c.value[0] == 1);
	tell(world, &c);
	assert_true(lm_match_get_settings(lm_world_match(world, BLOCK)).self_contact);
	c = parse(world, "{\"do\":\"free\",\"object\":\"actor\"}");
	assert_true(c.kind == LM_COMMAND_FREE && c.example == -1);
	lm_world_destroy(world);
}

static void refused(const lm_world* world, const char* text, const char* part)
{
	lm_command command;
	lm_error error = { 0 };
	assert_int_equal(lm_command_parse(world, text, strlen(text), &command, &error), LM_BAD_INPUT);
	if (strstr(error.message, part) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", part, error.message);
}

static void mistakes_are_said_in_words(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, PARTS);
	refused(world, "{\"do\":\"grabb\"}", "did you mean \"grab\"?");
	refused(world, "{\"object\":\"block\"}", "do: is missing");
	refused(world, "{\"do\":\"grab\",\"object\":\"blok\"}", "the scene has no such object");
	refused(world, "{\"do\":\"grab\",\"object\":\"actor\",\"surface\":0}", "surface: is 0, but that of \"actor\" is 1");
	refused(world, "{\"do\":\"grab\",\"object\":\"block\",\"triangel\":0}", "did you mean \"triangle\"?");
	refused(world, "{\"do\":\"command\",\"object\":\"actor\",\"kind\":\"hopp\"}", "did you mean \"hop\"?");
	refused(world, "{\"do\":\"set\",\"object\":\"block\",\"key\":\"beta\",\"value\":\"much\"}", "value: is text");
	refused(world, "{\"do\":\"set\",\"object\":\"block\",\"key\":\"beta\",\"value\":[1,2,3,4,5]}", "has 5 numbers");
	refused(world, "{\"do\":\"set\",\"object\":\"block\",\"key\":\"beta\",\"value\":[1,\"a\"]}", "must be a number");
	refused(world, "{\"do\":\"set\",\"object\":\"block\",\"key\":\"beta\",\"value\":{}}", "value: is an object");
	refused(world, "{\"do\":", "");
	refused(world, "[]", "must be an object");
	lm_world_destroy(world);
}

// Random commands: written, read, written again.
static void commands_come_back_to_the_bit(void** state)
{
	(void)state;
	lm_world* world = make_world(1, 100, PARTS);
	const lm_host host = lm_host_default();
	uint64_t seed = 3;
	for (int k = 0; k < 500; ++k)
	{
		lm_command command = anything(&seed);
		command.object %= PARTS;
		char* text = lm_command_text(world, &command);
		lm_command read = parse(world, text);
		char* again = lm_command_text(world, &read);
		assert_string_equal(text, again);
		lm_text_free(&host, text), lm_text_free(&host, again);
	}
	lm_world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_spellings_are_read),
		cmocka_unit_test(mistakes_are_said_in_words),
		cmocka_unit_test(commands_come_back_to_the_bit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
