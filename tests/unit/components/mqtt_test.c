// SPDX-License-Identifier: BSD-2-Clause
/* Tests the queues of component mqtt, and how it divides a broker's bytes into packets. A small fake replaces lwIP. */
#include <lwip/apps/mqtt.h>
#include <lwip/apps/mqtt_priv.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <mqtt.h>

/* --- fake lwIP: one pbuf at a time, each in separate memory */

#define PACKETS 64

static struct pbuf input;
static uint8_t *input_data;
static struct mqtt_client_s client;
static struct tcp_pcb pcb;
static unsigned int closed, packets, woken;
static struct {
	uint8_t data[MQTT_PACKET_MAX];
	uint32_t length;
} got[PACKETS];

u16_t pbuf_copy_partial(const struct pbuf *p, void *to, u16_t length, u16_t at)
{
	u16_t left = (u16_t)(p->tot_len - at), count = length < left ? length : left;

	memcpy(to, input_data + at, count);
	return count;
}

struct pbuf *pbuf_alloc(pbuf_layer layer, u16_t length, pbuf_type type)
{
	struct pbuf *p = calloc(1, sizeof(*p));

	(void)layer;
	(void)type;
	assert_non_null(p);
	p->payload = malloc(length);
	p->tot_len = p->len = length;
	return p;
}

err_t pbuf_take(struct pbuf *p, const void *data, u16_t length)
{
	assert_int_equal(length, p->tot_len);
	memcpy(p->payload, data, length);
	return ERR_OK;
}

u8_t pbuf_free(struct pbuf *p)
{
	assert_ptr_equal(p, &input);
	return 1;
}

void tcp_recv(struct tcp_pcb *of, tcp_recv_fn receive)
{
	of->recv = receive;
}

void core_wake(struct event *event)
{
	(void)event;
	woken++;
}

void limpet_print(const char *format, ...)
{
	(void)format;
}

/* Replaces lwIP's client: keeps each packet, and closes the connection without one. */
static err_t client_received(void *of, struct tcp_pcb *from, struct pbuf *p, err_t error)
{
	assert_ptr_equal(of, &client);
	assert_ptr_equal(from, &pcb);
	assert_int_equal(error, ERR_OK);
	if (!p) {
		closed++;
		client.conn = NULL;
		return ERR_OK;
	}
	assert_true(packets < PACKETS);
	memcpy(got[packets].data, p->payload, p->tot_len);
	got[packets++].length = p->tot_len;
	free(p->payload);
	free(p);
	return ERR_OK;
}

static err_t client_connected(void *of, struct tcp_pcb *from, err_t error)
{
	assert_ptr_equal(of, &client);
	from->recv = client_received;
	return error;
}

static void connection_make(void)
{
	closed = packets = 0;
	client.conn = &pcb;
	pcb.connected = client_connected;
	stream_begin_packets(&client);
	assert_int_equal(pcb.connected(&client, &pcb, ERR_OK), ERR_OK);
	assert_ptr_not_equal(pcb.recv, client_received);
}

/* Passes a segment, in memory of exactly its length. */
static void segment(const void *data, size_t length)
{
	input_data = malloc(length);
	memcpy(input_data, data, length);
	input = (struct pbuf){ .tot_len = (u16_t)length, .len = (u16_t)length };
	assert_int_equal(pcb.recv(&client, &pcb, &input, ERR_OK), ERR_OK);
	free(input_data);
}

static void test_packets_in_each_division(void **state)
{
	uint8_t stream[2 + 132 + 4 + 2 + 2] = { 0x20, 2, 0, 0, 0x30, 0x82, 0x01 };
	const uint32_t lengths[] = { 4, 3 + 130, 2, 3 };
	const size_t size = 4 + 133 + 2 + 3;

	(void)state;
	for (unsigned int i = 7; i < 137; i++)
		stream[i] = (uint8_t)i;
	memcpy(stream + 137, "\xd0\0\xe0\1\7", 5);
	for (size_t step = 1; step <= size; step++) {
		size_t at = 0;

		connection_make();
		for (; at < size; at += step)
			segment(stream + at, size - at < step ? size - at : step);
		assert_int_equal(packets, 4);
		at = 0;
		for (unsigned int i = 0; i < 4; i++) {
			assert_int_equal(got[i].length, lengths[i]);
			assert_memory_equal(got[i].data, stream + at, lengths[i]);
			at += lengths[i];
		}
		assert_int_equal(closed, 0);
	}
}

static void test_bad_lengths_close(void **state)
{
	static uint8_t longest[MQTT_PACKET_MAX] = { 0x30, 0xfd,
						    0x1f }; /* 4093, and three bytes of head */
	const uint8_t endless[] = { 0x30, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 };

	(void)state;
	connection_make();
	segment(endless, sizeof(endless));
	assert_int_equal(closed, 1);
	assert_int_equal(packets, 0);
	connection_make();
	segment(longest, sizeof(longest));
	assert_int_equal(closed, 1);
	assert_int_equal(packets, 0);
	longest[1]--;
	connection_make();
	segment(longest, sizeof(longest) - 1);
	assert_int_equal(closed, 0);
	assert_int_equal(packets, 1);
	assert_int_equal(got[0].length, MQTT_PACKET_MAX - 1);
}

/* A new connection does not continue a packet of the previous connection. */
static void test_connection_begins_with_a_packet(void **state)
{
	(void)state;
	connection_make();
	segment("\x30\5ab", 4);
	connection_make();
	segment("\xd0\0", 2);
	assert_int_equal(packets, 1);
	assert_int_equal(got[0].length, 2);
}

static void test_queue(void **state)
{
	struct topic *topic = &topics[0];
	char text[TOPIC_MESSAGE_MAX + 1] = { 0 };

	(void)state;
	*topic = (struct topic){ .first = QUEUE - 1 };
	for (uint32_t i = 0; i < QUEUE; i++) {
		text[0] = (char)i;
		assert_int_equal(queue_add(topic, text, i * 16), LIMPET_OK);
	}
	assert_int_equal(queue_add(topic, text, 1), LIMPET_EFULL);
	for (uint32_t i = 0; i < QUEUE; i++) {
		assert_int_equal(queue_at(topic, 0)->length, i * 16);
		assert_true(!i || queue_at(topic, 0)->data[0] == (char)i);
		queue_remove(topic);
	}
	assert_int_equal(woken, QUEUE);
	assert_int_equal(queue_add(topic, text, TOPIC_MESSAGE_MAX + 1), LIMPET_EFULL);
	assert_int_equal(topic->lost, 2);
	assert_int_equal(topic->count, 0);
}

static void test_connection_that_ends(void **state)
{
	struct topic *topic = &topics[0];

	(void)state;
	for (uint8_t qos = 0; qos < 2; qos++) {
		*topic = (struct topic){ .qos = qos };
		for (char i = 0; i < 3; i++)
			assert_int_equal(queue_add(topic, &i, 1), LIMPET_OK);
		topic->sent = 2;
		queue_reset(topic);
		assert_int_equal(topic->sent, 0);
		assert_int_equal(topic->lost, qos ? 0 : 2);
		assert_int_equal(topic->count, qos ? 3 : 1);
		assert_int_equal(queue_at(topic, 0)->data[0], qos ? 0 : 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets_in_each_division),
		cmocka_unit_test(test_bad_lengths_close),
		cmocka_unit_test(test_connection_begins_with_a_packet),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_connection_that_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
