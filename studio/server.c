// server.c: see server.h. The context of libwebsockets, and its loop.
#include "server_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

static bool make_token(char token[33])
{
	unsigned char bytes[16];
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return false;
	for (int i = 0; i < 16; ++i)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

static void name_ourselves(server* s)
{
	static const char* const names[2] = { "127.0.0.1", "localhost" };
	for (int i = 0; i < 2; ++i)
	{
		snprintf(s->hosts[i], sizeof s->hosts[i], "%s:%d", names[i], s->port);
		snprintf(s->origins[i], sizeof s->origins[i], "http://%s:%d", names[i], s->port);
	}
	snprintf(s->policy, sizeof s->policy,
	         "default-src 'self'; connect-src 'self' ws://%s ws://%s; img-src 'self' data: blob:; "
	         "frame-ancestors 'none'; base-uri 'none'",
	         s->hosts[0], s->hosts[1]);
}

static const lws_retry_bo_t idle_policy = { .secs_since_valid_ping = 20, .secs_since_valid_hangup = 40 };

static void wake(void* context)
{
	server_wake(context);
}

server* server_create(const server_settings* settings, char* error, size_t capacity)
{
	server* s = calloc(1, sizeof *s);
	if (s == NULL || !make_token(s->token))
	{
		free(s);
		snprintf(error, capacity, "out of memory, or no random numbers");
		return NULL;
	}
	s->settings = *settings;
	s->protocols[0] =
		(struct lws_protocols){ .name = "http", .callback = web_callback, .per_session_data_size = web_session_size() };
	s->protocols[1] =
		(struct lws_protocols){ .name = "limber", .callback = socket_callback, .rx_buffer_size = MESSAGE_MAX };
	lws_set_log_level(0, NULL);
	struct lws_context_creation_info info = {
		.port = settings->port,
		.iface = "127.0.0.1",
		.protocols = s->protocols,
		.options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
		.user = s,
		.timeout_secs = 10,
		.keepalive_timeout = 10,
		.retry_and_idle_policy = &idle_policy,
	};
	s->context = lws_create_context(&info);
	struct lws_vhost* host = s->context != NULL ? lws_get_vhost_by_name(s->context, "default") : NULL;
	if (host == NULL)
	{
		snprintf(error, capacity, "the port %d of 127.0.0.1 cannot be had: something else uses it", settings->port);
		server_destroy(s);
		return NULL;
	}
	s->port = lws_get_vhost_listen_port(host);
	name_ourselves(s);
	outlet_on_news(settings->out, wake, s);
	return s;
}

void server_destroy(server* s)
{
	if (s == NULL)
		return;
	outlet_on_news(s->settings.out, NULL, NULL);
	if (s->context != NULL)
		lws_context_destroy(s->context);
	free(s);
}

int server_port(const server* s)
{
	return s->port;
}

const char* server_token(const server* s)
{
	return s->token;
}

void server_wake(server* s)
{
	lws_cancel_service(s->context);
}

// A signal that comes between a look at `stop` and the wait for the network would be slept through.
static void look_again(lws_sorted_usec_list_t* timer)
{
	server* s = lws_container_of(timer, server, timer);
	lws_sul_schedule(s->context, 0, timer, look_again, LWS_USEC_PER_SEC / 5);
}

void server_run(server* s, const volatile int* stop)
{
	look_again(&s->timer);
	while (*stop == 0 && lws_service(s->context, 0) >= 0)
		;
}
