// guard.c: who may come in. Host and Origin are compared as a whole, never by prefix, and never with each other: both
// are the attacker's to choose.
#include "server_inside.h"

#include <string.h>

static bool is_one_of(struct lws* wsi, enum lws_token_indexes token, const char* first, const char* second)
{
	char value[128];
	int length = lws_hdr_copy(wsi, value, sizeof value, token);
	return length > 0 && (strcmp(value, first) == 0 || strcmp(value, second) == 0);
}

bool is_our_host(const server* s, struct lws* wsi)
{
	return is_one_of(wsi, WSI_TOKEN_HOST, s->hosts[0], s->hosts[1]);
}

bool is_our_origin(const server* s, struct lws* wsi)
{
	return is_one_of(wsi, WSI_TOKEN_ORIGIN, s->origins[0], s->origins[1]);
}

bool has_our_token(const server* s, struct lws* wsi)
{
	char buffer[96];
	const char* token = lws_get_urlarg_by_name(wsi, "token=", buffer, sizeof buffer); // points into the buffer
	size_t length = strlen(s->token);
	return token != NULL && strlen(token) == length && lws_timingsafe_bcmp(token, s->token, (uint32_t)length) == 0;
}
