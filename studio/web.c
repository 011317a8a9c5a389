// web.c: files over HTTP: a fixed table of names, pictures of the gallery, and files that are dropped on the page.
#include "server_inside.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 16384 // bytes that are written at once

typedef struct web_session
{
	const unsigned char* body; // what is left to be sent
	size_t left;
	message* held; // its owner, when it is no file of the table
	unsigned char* upload;
	size_t received, expected;
	char name[128];
} web_session;

size_t web_session_size(void)
{
	return sizeof(web_session);
}

// ---- answers ----

static bool add_header(struct lws* wsi, const char* name, const char* value, unsigned char** at, unsigned char* end)
{
	return lws_add_http_header_by_name(wsi, (const unsigned char*)name, (const unsigned char*)value, (int)strlen(value),
	                                   at, end) == 0;
}

// Head of an answer; -1: the connection has to go.
static int write_head(server* s, struct lws* wsi, unsigned status, const char* type, size_t size)
{
	unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
	bool good = lws_add_http_common_headers(wsi, status, type, size, &at, end) == 0 &&
	            add_header(wsi, "content-security-policy:", s->policy, &at, end) &&
	            add_header(wsi, "x-content-type-options:", "nosniff", &at, end) &&
	            add_header(wsi, "referrer-policy:", "no-referrer", &at, end) &&
	            add_header(wsi, "cache-control:", "no-cache", &at, end);
	return good && lws_finalize_write_http_header(wsi, start, &at, end) == 0 ? 0 : -1;
}

static int complete(struct lws* wsi)
{
	return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

// Sends a body that stays; `held` is dropped afterwards.
static int answer(server* s, struct lws* wsi, web_session* session, unsigned status, const char* type,
                  const unsigned char* bytes, size_t size, message* held)
{
	message_drop(session->held);
	session->held = held;
	session->body = bytes;
	session->left = size;
	if (write_head(s, wsi, status, type, size) != 0)
		return -1;
	if (size == 0)
		return complete(wsi);
	lws_callback_on_writable(wsi);
	return 0;
}

static int answer_json(server* s, struct lws* wsi, web_session* session, unsigned status, const char* key,
                       const char* text)
{
	json_t* json = json_pack("{s:s}", key, text);
	char* dumped = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
	message* m = dumped != NULL ? message_of_text(dumped) : NULL;
	free(dumped);
	json_decref(json);
	return m != NULL ? answer(s, wsi, session, status, "application/json", m->bytes, m->size, m) : -1;
}

static int refuse(server* s, struct lws* wsi, web_session* session, unsigned status, const char* why)
{
	return answer_json(s, wsi, session, status, "error", why);
}

static int write_more(struct lws* wsi, web_session* session)
{
	unsigned char buffer[LWS_PRE + CHUNK];
	size_t size = session->left < CHUNK ? session->left : CHUNK;
	bool last = size == session->left;
	if (size == 0)
		return 0;
	memcpy(buffer + LWS_PRE, session->body, size);
	if (lws_write(wsi, buffer + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size)
		return -1;
	session->body += size;
	session->left -= size;
	if (last)
		return complete(wsi);
	lws_callback_on_writable(wsi);
	return 0;
}

// ---- files ----

static int send_picture(server* s, struct lws* wsi, web_session* session, const char* name)
{
	message* m = s->settings.picture != NULL ? s->settings.picture(name, s->settings.context) : NULL;
	if (m == NULL)
		return refuse(s, wsi, session, 404, "there is no such picture, or not yet");
	return answer(s, wsi, session, 200, "image/png", m->bytes, m->size, m);
}

static int send_file(server* s, struct lws* wsi, web_session* session, const char* name)
{
	if (strcmp(name, "/") == 0)
		name = "/index.html";
	if (strcmp(name, "/favicon.ico") == 0)
		return answer(s, wsi, session, 204, "image/x-icon", NULL, 0, NULL);
	for (int i = 0; i < s->settings.file_count; ++i)
	{
		const web_file* f = &s->settings.files[i];
		if (strcmp(f->name, name) == 0)
			return answer(s, wsi, session, 200, f->type, f->bytes, f->size, NULL);
	}
	if (strncmp(name, "/gallery/", 9) == 0)
		return send_picture(s, wsi, session, name + 9);
	return refuse(s, wsi, session, 404, "there is no such page");
}

// ---- uploads ----

static int begin_upload(server* s, struct lws* wsi, web_session* session, const char* path)
{
	char length[32], buffer[160];
	if (strcmp(path, "/upload") != 0)
		return refuse(s, wsi, session, 404, "files go to /upload");
	if (!is_our_origin(s, wsi) || !has_our_token(s, wsi))
		return refuse(s, wsi, session, 403, "the token or the origin is not that of this studio");
	const char* name = lws_get_urlarg_by_name(wsi, "name=", buffer, sizeof buffer);
	if (name == NULL || strlen(name) >= sizeof session->name)
		return refuse(s, wsi, session, 400, "the upload has no name, or one that is too long");
	snprintf(session->name, sizeof session->name, "%s", name);
	if (lws_hdr_copy(wsi, length, sizeof length, WSI_TOKEN_HTTP_CONTENT_LENGTH) <= 0)
		return refuse(s, wsi, session, 411, "the upload does not say how long it is");
	char* end;
	unsigned long long expected = strtoull(length, &end, 10);
	if (*end != 0 || expected > UPLOAD_MAX)
		return refuse(s, wsi, session, 413, "the file is larger than 64 MB; put it beside the scene by hand");
	session->expected = (size_t)expected;
	session->upload = malloc(session->expected + 1);
	session->received = 0;
	return session->upload != NULL ? 0 : refuse(s, wsi, session, 507, "out of memory");
}

static int receive(web_session* session, const void* in, size_t size)
{
	if (session->upload == NULL)
		return 0; // it has been refused
	if (session->received + size > session->expected)
		return -1;
	memcpy(session->upload + session->received, in, size);
	session->received += size;
	return 0;
}

static int end_upload(server* s, struct lws* wsi, web_session* session)
{
	if (session->upload == NULL)
		return 0;
	char text[512] = "";
	bool stored =
		session->received == session->expected &&
		s->settings.store(session->name, session->upload, session->received, text, sizeof text, s->settings.context);
	free(session->upload);
	session->upload = NULL;
	return answer_json(s, wsi, session, stored ? 200 : 400, stored ? "stored" : "error", text);
}

static int begin(server* s, struct lws* wsi, web_session* session, const char* path)
{
	if (!is_our_host(s, wsi))
		return refuse(s, wsi, session, 403, "this studio has another address");
	if (lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0)
		return begin_upload(s, wsi, session, path);
	if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0)
		return refuse(s, wsi, session, 405, "only GET and POST are understood");
	return send_file(s, wsi, session, path);
}

static void release(web_session* session)
{
	if (session == NULL)
		return;
	free(session->upload);
	message_drop(session->held);
	*session = (web_session){ 0 };
}

int web_callback(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t size)
{
	server* s = lws_context_user(lws_get_context(wsi));
	web_session* session = user;
	switch (reason)
	{
		case LWS_CALLBACK_HTTP: return begin(s, wsi, session, in);
		case LWS_CALLBACK_HTTP_BODY: return receive(session, in, size);
		case LWS_CALLBACK_HTTP_BODY_COMPLETION: return end_upload(s, wsi, session);
		case LWS_CALLBACK_HTTP_WRITEABLE: return write_more(wsi, session);
		case LWS_CALLBACK_CLOSED_HTTP:
		case LWS_CALLBACK_HTTP_DROP_PROTOCOL: release(session); return 0;
		case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return -1; // an upgrade without our subprotocol
		case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
			if (s != NULL)
				socket_distribute(s);
			return 0;
		default: return 0;
	}
}
