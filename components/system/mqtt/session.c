// SPDX-License-Identifier: BSD-2-Clause
/* The connection to the broker. lwIP's client always starts a clean session, so each connection subscribes again. */
#include <lwip/apps/mqtt.h>
#include <lwip/apps/mqtt_priv.h>
#include <lwip/timeouts.h>

#include <runtime/memory.h>
#include <runtime/print.h>

#include "mqtt.h"

#define WILL_MAX 255  /* bytes */
#define RETRY_MS 1000 /* time from the end of a connection to the next attempt */

static struct mqtt_client_s client;
static struct mqtt_connect_client_info_t identity;
static ip_addr_t broker;
static uint16_t port;
static const char *address;	 /* address of the broker, as text */
static bool connected, reported; /* reported: the log has the current failure */
static bool pushing;		 /* a timeout for session_push() is set */
static bool breaking;		 /* a timeout for session_break() is set */
static struct topic *arriving;	 /* the topic of the message that arrives; NULL: not one of ours */

static void session_connect(void *nothing);

bool session_connected(void)
{
	return connected;
}

/* Schedules the next attempt to connect, outside of lwIP's client. */
static void session_retry(void)
{
	sys_timeout(RETRY_MS, session_connect, NULL);
}

static void push_later(void *nothing)
{
	(void)nothing;
	pushing = false;
	session_push();
}

/* Defers session_push(), because lwIP's client would match the acknowledgement with a request made in its callback. */
static void push_soon(void)
{
	if (!pushing)
		sys_timeout(0, push_later, NULL);
	pushing = true;
}

/* Returns why a connection has failed or ended. */
static const char *refusal_text(mqtt_connection_status_t status)
{
	switch (status) {
	case MQTT_CONNECT_REFUSED_IDENTIFIER:
		return "it refuses the client identifier";
	case MQTT_CONNECT_REFUSED_USERNAME_PASS:
	case MQTT_CONNECT_REFUSED_NOT_AUTHORIZED_:
		return "it refuses user and password";
	case MQTT_CONNECT_TIMEOUT:
		return "it does not answer";
	default:
		return connected ? "the connection has ended" : "it cannot be reached";
	}
}

static void session_end(const char *reason);

/* Ends a connection on which the broker does not acknowledge. The next one sends the messages again. */
static void session_break(void *nothing)
{
	(void)nothing;
	breaking = false;
	if (!connected)
		return;
	mqtt_disconnect(&client);
	session_end(refusal_text(MQTT_CONNECT_TIMEOUT));
}

static void break_soon(void)
{
	if (!breaking)
		sys_timeout(0, session_break, NULL);
	breaking = true;
}

/*
 * Called when the topic's oldest message was sent (qos 0), was acknowledged (qos 1), or was not acknowledged in time.
 */
static void on_published(void *of, err_t error)
{
	struct topic *topic = of;

	if (error != ERR_OK || !topic->sent) {
		break_soon();
		return;
	}
	topic->sent--;
	topic->passed++;
	queue_remove(topic);
	push_soon();
}

/*
 * Passes the next message of a queue to lwIP. Returns false if the queue has no such message, or lwIP cannot accept it
 * now.
 */
static bool message_push(struct topic *topic)
{
	const struct message *message;

	if (!topic->publish || topic->sent == topic->count)
		return false;
	message = queue_at(topic, topic->sent);
	if (mqtt_publish(&client, topic->path, message->data, (u16_t)message->length, topic->qos,
			 topic->retain, on_published, topic) != ERR_OK)
		return false;
	topic->sent++;
	return true;
}

void session_push(void)
{
	if (!connected)
		return;
	for (unsigned int i = 0; i < TOPICS; i++)
		while (message_push(&topics[i]))
			;
}

static void on_message(void *nothing, const char *path, u32_t length)
{
	(void)nothing;
	(void)length;
	arriving = NULL;
	for (unsigned int i = 0; i < TOPICS && !arriving; i++)
		if (topics[i].path && !topics[i].publish && strcmp(topics[i].path, path) == 0)
			arriving = &topics[i];
}

/* The message is whole, because stream.c passes whole packets that fit the client's buffer. */
static void on_data(void *nothing, const u8_t *data, u16_t length, u8_t flags)
{
	(void)nothing;
	(void)flags;
	if (!arriving || queue_add(arriving, data, length))
		return;
	arriving->passed++;
	core_wake(&arriving->event);
}

/* Called when the broker has answered a request for a subscription, or has not answered it in time. */
static void on_subscribed(void *of, err_t error)
{
	const struct topic *topic = of;

	if (error == ERR_OK)
		return;
	if (error != ERR_TIMEOUT) {
		limpet_print("<4>%s: the broker refuses the subscription of %s\n", topic->name,
			     topic->path);
		return;
	}
	limpet_print(
		"<4>%s: the broker does not acknowledge the subscription of %s, trying again\n",
		topic->name, topic->path);
	break_soon();
}

/* Requests a subscription. If lwIP cannot send the request, the next connection tries again. */
static void topic_subscribe(struct topic *topic)
{
	err_t error = mqtt_subscribe(&client, topic->path, topic->qos, on_subscribed, topic);

	if (error == ERR_OK)
		return;
	limpet_print(
		"<4>%s: the subscription of %s cannot be sent (lwIP's error %d), trying again\n",
		topic->name, topic->path, error);
	break_soon();
}

/* Writes a line for each topic that has lost messages since the last connection. */
static void losses_report(void)
{
	for (unsigned int i = 0; i < TOPICS; i++) {
		struct topic *topic = &topics[i];

		if (topic->lost != topic->lost_before)
			limpet_print("<4>%s: %lu messages lost\n", topic->name,
				     topic->lost - topic->lost_before);
		topic->lost_before = topic->lost;
	}
}

static void session_begin(void)
{
	connected = true;
	reported = false;
	limpet_print("connected to %s\n", address);
	losses_report();
	mqtt_set_inpub_callback(&client, on_message, on_data, NULL);
	for (unsigned int i = 0; i < TOPICS; i++)
		if (topics[i].path && !topics[i].publish)
			topic_subscribe(&topics[i]);
	session_push();
}

/* Handles a failed or ended connection. Reports only the first of several failures in a row. */
static void session_end(const char *reason)
{
	if (!reported)
		limpet_print("<4>broker %s: %s, trying again\n", address, reason);
	reported = true;
	connected = false;
	for (unsigned int i = 0; i < TOPICS; i++)
		queue_reset(&topics[i]);
	session_retry();
}

static void on_state(mqtt_client_t *of, void *nothing, mqtt_connection_status_t status)
{
	(void)of;
	(void)nothing;
	if (status == MQTT_CONNECT_ACCEPTED)
		session_begin();
	else
		session_end(refusal_text(status));
}

static void session_connect(void *nothing)
{
	err_t error = mqtt_client_connect(&client, &broker, port, on_state, NULL, &identity);

	(void)nothing;
	if (error == ERR_OK)
		stream_begin_packets(&client);
	else
		session_end(error == ERR_MEM ? "there is not enough memory for the connection"
					     : refusal_text(MQTT_CONNECT_DISCONNECTED));
}

/* Checks the lengths, because lwIP's client would refuse longer texts at each attempt. */
static long will_setup(const struct limpet_info *info)
{
	identity.will_topic = limpet_arg_text(info, "will-topic", NULL);
	identity.will_msg = limpet_arg_text(info, "will", "offline");
	identity.will_qos = (u8_t)limpet_arg_within(info, "will-qos", 0, 0, 1);
	identity.will_retain = (u8_t)limpet_arg_within(info, "will-retain", 0, 0, 1);
	if (strlen(identity.will_msg) <= WILL_MAX &&
	    (!identity.will_topic || strlen(identity.will_topic) <= WILL_MAX))
		return LIMPET_OK;
	limpet_print("<3>the last will or its topic has more than %u bytes: shorten it\n",
		     WILL_MAX);
	return LIMPET_ERANGE;
}

long session_setup(const struct limpet_info *info)
{
	address = limpet_arg_text(info, "broker", "");
	if (!ipaddr_aton(address, &broker)) {
		limpet_print("<3>broker '%s' is not an IP address: give the argument broker one\n",
			     address);
		return LIMPET_ERANGE;
	}
	port = (uint16_t)limpet_arg_within(info, "port", 1883, 1, 65535);
	identity.client_id = limpet_arg_text(info, "client", info->name);
	identity.client_user = limpet_arg_text(info, "user", NULL);
	identity.client_pass = limpet_arg_text(info, "password", NULL);
	identity.keep_alive = (u16_t)limpet_arg_within(info, "keep-alive", 10, 5, 3600);
	session_retry();
	return will_setup(info);
}
