/* SPDX-License-Identifier: BSD-2-Clause */
/* lwIP as in component net, with less memory, because there is one connection. */
#ifndef MQTT_LWIPOPTS_H
#define MQTT_LWIPOPTS_H

#include "../net/lwipopts.h"

#undef LWIP_HOOK_FILENAME /* for listeners */
#undef MEMP_NUM_UDP_PCB
#undef MEMP_NUM_TCP_PCB
#undef MEMP_NUM_TCP_SEG
#undef MEMP_NUM_SYS_TIMEOUT
#undef PBUF_POOL_SIZE
#define MEMP_NUM_UDP_PCB 4
#define MEMP_NUM_TCP_PCB 8
#define MEMP_NUM_TCP_SEG 128
#define MEMP_NUM_SYS_TIMEOUT                                                                       \
	(LWIP_NUM_SYS_TIMEOUT_INTERNAL + 5) /* session.c has three, mqtt.c one */
#define PBUF_POOL_SIZE 96
#define TCP_SYNMAXRTX 3 /* a broker that does not answer is tried again after some seconds */

/* --- The client. It gets whole packets from stream.c. */
#define MQTT_PACKET_MAX 4096
#define MQTT_VAR_HEADER_BUFFER_LEN MQTT_PACKET_MAX
#define MQTT_REQ_MAX_IN_FLIGHT 32
/*
 * The ring must never be full, because the client treats a full ring as empty. 32 messages with
 * their topics and headers have less than 32 * 512 bytes. The other half is for acknowledgements.
 */
#define MQTT_OUTPUT_RINGBUF_SIZE 32768

#endif
