// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cuts the broker's bytes into whole packets, and passes each one to lwIP's client in a separate buffer. Without this,
 * lwIP 2.1.3's client overwrites the first part of a packet that spans two segments. Its buffer also overflows if the
 * length of a packet has more than four bytes.
 */
#include <lwip/apps/mqtt.h>
#include <lwip/apps/mqtt_priv.h>

#include <runtime/print.h>

#include "mqtt.h"

#define LENGTH_MAX 5 /* bytes of a packet's head: its type, and at most four for its length */

static uint8_t packet[MQTT_PACKET_MAX];
static uint32_t packet_length;
static struct mqtt_client_s *client;
static tcp_connected_fn client_connected;
static tcp_recv_fn client_receive;

/*
 * Returns the length of the packet, 0 if its head is not complete, or MQTT_PACKET_MAX + 1 if it is invalid or too
 * long.
 */
static uint32_t packet_size(void)
{
	uint32_t size = 0;

	for (uint32_t at = 1; at < packet_length && at < LENGTH_MAX; at++) {
		size |= (uint32_t)(packet[at] & 0x7f) << 7 * (at - 1);
		if (!(packet[at] & 0x80)) {
			size += at + 1;
			return size < MQTT_PACKET_MAX ? size : MQTT_PACKET_MAX + 1;
		}
	}
	return packet_length < LENGTH_MAX ? 0 : MQTT_PACKET_MAX + 1;
}

/* Passes the packet to lwIP's client, which also opens the receive window by its length. */
static bool packet_pass(void *of, struct tcp_pcb *pcb)
{
	struct pbuf *whole = pbuf_alloc(PBUF_RAW, (u16_t)packet_length, PBUF_RAM);

	if (!whole)
		return false;
	pbuf_take(whole, packet, (u16_t)packet_length);
	packet_length = 0;
	client_receive(of, pcb, whole, ERR_OK);
	return true;
}

/* Copies bytes until the packet is complete. Returns their number, or 0 if the packet cannot be accepted. */
static u16_t bytes_take(void *of, struct tcp_pcb *pcb, const struct pbuf *p, u16_t at)
{
	uint32_t size = packet_size(), wanted = size ? size - packet_length : 1;
	u16_t taken;

	if (size > MQTT_PACKET_MAX)
		return 0;
	taken = pbuf_copy_partial(p, packet + packet_length, (u16_t)wanted, at);
	packet_length += taken;
	size = packet_size();
	if (size == packet_length && !packet_pass(of, pcb))
		return 0;
	return taken;
}

static err_t on_received(void *of, struct tcp_pcb *pcb, struct pbuf *p, err_t error)
{
	u16_t at = 0, taken;

	if (!p || error != ERR_OK)
		return client_receive(of, pcb, p, error);
	while (at < p->tot_len && client->conn == pcb) {
		taken = bytes_take(of, pcb, p, at);
		if (!taken) {
			limpet_print(
				"<4>a packet of the broker is invalid, longer than %u bytes, or does "
				"not fit the free memory\n",
				MQTT_PACKET_MAX - 1);
			client_receive(of, pcb, NULL,
				       ERR_OK); /* as if the broker had closed the connection */
		}
		at = (u16_t)(at + taken);
	}
	pbuf_free(p);
	return ERR_OK;
}

static err_t on_connected(void *of, struct tcp_pcb *pcb, err_t error)
{
	err_t result = client_connected(of, pcb, error);

	client_receive = pcb->recv;
	tcp_recv(pcb, on_received);
	packet_length = 0;
	return result;
}

void stream_begin_packets(struct mqtt_client_s *of)
{
	client = of;
	client_connected = of->conn->connected;
	of->conn->connected = on_connected;
}
