// SPDX-License-Identifier: BSD-2-Clause
/* Tests what component mqtt reports about its connection and subscriptions. A small fake replaces lwIP's client. */
#include <lwip/apps/mqtt.h>
#include <lwip/apps/mqtt_priv.h>
#include <lwip/timeouts.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <mqtt.h>

/* --- fake lwIP: the timeouts, the callbacks, and the results of its calls */

#define TIMEOUTS 4

static struct {
	sys_timeout_handler handler;
	void *argument;
	u32_t ms;
} timeouts[TIMEOUTS];
static unsigned int waiting, connects, disconnects, subscriptions;
static err_t connect_returns, subscribe_returns;
static mqtt_connection_cb_t on_state;
static mqtt_request_cb_t on_subscribed;
static void *subscribed_argument;
static char log_text[2048];

void sys_timeout(u32_t ms, sys_timeout_handler handler, void *argument)
{
	assert_true(waiting < TIMEOUTS);
	timeouts[waiting].handler = handler;
	timeouts[waiting].argument = argument;
	timeouts[waiting++].ms = ms;
}

err_t mqtt_client_connect(mqtt_client_t *client, const ip_addr_t *ip, u16_t port,
			  mqtt_connection_cb_t callback, void *argument,
			  const struct mqtt_connect_client_info_t *info)
{
	(void)client;
	(void)ip;
	(void)port;
	(void)argument;
	(void)info;
	on_state = callback;
	connects++;
	return connect_returns;
}

void mqtt_disconnect(mqtt_client_t *client)
{
	(void)client;
	disconnects++;
}

void mqtt_set_inpub_callback(mqtt_client_t *client, mqtt_incoming_publish_cb_t publish,
			     mqtt_incoming_data_cb_t data, void *argument)
{
	(void)client;
	(void)publish;
	(void)data;
	(void)argument;
}

err_t mqtt_sub_unsub(mqtt_client_t *client, const char *topic, u8_t qos, mqtt_request_cb_t callback,
		     void *argument, u8_t sub)
{
	(void)client;
	(void)topic;
	(void)qos;
	assert_int_equal(sub, 1);
	on_subscribed = callback;
	subscribed_argument = argument;
	subscriptions++;
	return subscribe_returns;
}

err_t mqtt_publish(mqtt_client_t *client, const char *topic, const void *data, u16_t length,
		   u8_t qos, u8_t retain, mqtt_request_cb_t callback, void *argument)
{
	(void)client;
	(void)topic;
	(void)data;
	(void)length;
	(void)qos;
	(void)retain;
	(void)callback;
	(void)argument;
	return ERR_MEM;
}

int ipaddr_aton(const char *text, ip_addr_t *address)
{
	*address = (ip_addr_t){ 0 };
	return strcmp(text, "10.0.0.1") == 0;
}

/* --- fake runtime and parts of the component */

void stream_begin_packets(struct mqtt_client_s *client)
{
	(void)client;
}

void core_wake(struct event *event)
{
	(void)event;
}

const char *limpet_arg_text(const struct limpet_info *info, const char *name, const char *otherwise)
{
	(void)info;
	return strcmp(name, "broker") == 0 ? "10.0.0.1" : otherwise;
}

int64_t limpet_arg_within(const struct limpet_info *info, const char *name, int64_t otherwise,
			  int64_t min, int64_t max)
{
	(void)info;
	(void)name;
	(void)min;
	(void)max;
	return otherwise;
}

void limpet_print(const char *format, ...)
{
	const size_t length = strlen(log_text);
	va_list list;

	va_start(list, format);
	vsnprintf(log_text + length, sizeof(log_text) - length, format, list);
	va_end(list);
}

/* Runs the oldest timeout, which must have this time. */
static void timeout_run(u32_t ms)
{
	const sys_timeout_handler handler = timeouts[0].handler;
	void *argument = timeouts[0].argument;

	assert_true(waiting > 0);
	assert_int_equal(timeouts[0].ms, ms);
	waiting--;
	memmove(timeouts, timeouts + 1, sizeof(timeouts) - sizeof(*timeouts));
	handler(argument);
}

/* Checks the log since the last check. */
static void logged(const char *text)
{
	assert_string_equal(log_text, text);
	log_text[0] = 0;
}

/* Connects to the broker, with one subscription. */
static void session_start(void)
{
	timeout_run(1000);
	on_state(NULL, NULL, MQTT_CONNECT_ACCEPTED);
	logged("connected to 10.0.0.1\n");
	assert_int_equal(subscriptions, 1);
	subscriptions = 0;
}

/* Ends the connection. */
static void session_stop(void)
{
	on_state(NULL, NULL, MQTT_CONNECT_DISCONNECTED);
	logged("<4>broker 10.0.0.1: the connection has ended, trying again\n");
}

/* Only the first of several failures in a row is reported. */
static void test_failed_connect(void **state)
{
	static const struct limpet_info info = { 0 };

	(void)state;
	topics[0] = (struct topic){ .name = "speed", .path = "plant/speed" };
	assert_int_equal(session_setup(&info), LIMPET_OK);
	connect_returns = ERR_MEM;
	timeout_run(1000);
	logged("<4>broker 10.0.0.1: there is not enough memory for the connection, trying again\n");
	connect_returns = ERR_RTE;
	timeout_run(1000);
	logged("");
	assert_int_equal(connects, 2);
	connect_returns = ERR_OK;
	session_start();
	session_stop();
}

static void test_refused_subscription(void **state)
{
	(void)state;
	session_start();
	on_subscribed(subscribed_argument, ERR_OK);
	logged("");
	on_subscribed(subscribed_argument, ERR_ABRT);
	logged("<4>speed: the broker refuses the subscription of plant/speed\n");
	assert_int_equal(waiting, 0);
	session_stop();
}

/* The connection ends, and the next one subscribes again. */
static void test_unacknowledged_subscription(void **state)
{
	(void)state;
	session_start();
	on_subscribed(subscribed_argument, ERR_TIMEOUT);
	logged("<4>speed: the broker does not acknowledge the subscription of plant/speed, trying again\n");
	timeout_run(0);
	logged("<4>broker 10.0.0.1: it does not answer, trying again\n");
	assert_int_equal(disconnects, 1);
	session_start();
	session_stop();
}

static void test_unsent_subscription(void **state)
{
	(void)state;
	subscribe_returns = ERR_MEM;
	disconnects = 0;
	timeout_run(1000);
	on_state(NULL, NULL, MQTT_CONNECT_ACCEPTED);
	logged("connected to 10.0.0.1\n"
	       "<4>speed: the subscription of plant/speed cannot be sent (lwIP's error -1), trying again\n");
	subscribe_returns = ERR_OK;
	subscriptions = 0;
	timeout_run(0);
	logged("<4>broker 10.0.0.1: it does not answer, trying again\n");
	assert_int_equal(disconnects, 1);
	session_start();
	session_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failed_connect),
		cmocka_unit_test(test_refused_subscription),
		cmocka_unit_test(test_unacknowledged_subscription),
		cmocka_unit_test(test_unsent_subscription),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
