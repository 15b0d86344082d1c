/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration of lwIP: without an operating system, with one lock around all of it (core.c). All
 * memory is in pools of fixed size, so an allocation takes constant time, and the limits are known
 * in advance.
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_SOCKET 0
#define LWIP_NETCONN 0

/* --- memory */
#define MEM_ALIGNMENT 8
#ifndef MEM_LIBC_MALLOC /* A unit test allocates each piece separately. */
#define MEM_USE_POOLS 1
#define MEM_USE_POOLS_TRY_BIGGER_POOL 1
#define MEMP_USE_CUSTOM_POOLS 1 /* lwippools.h */
#endif
#define MEMP_NUM_PBUF 256
#define MEMP_NUM_UDP_PCB 48
#define MEMP_NUM_TCP_PCB 128
#define MEMP_NUM_TCP_PCB_LISTEN 32
#define MEMP_NUM_TCP_SEG 1024
#define MEMP_NUM_REASSDATA 8
#define MEMP_NUM_FRAG_PBUF 32
#define MEMP_NUM_SYS_TIMEOUT (LWIP_NUM_SYS_TIMEOUT_INTERNAL + 1) /* core.c has one */
#define PBUF_POOL_SIZE 768
#define PBUF_POOL_BUFSIZE 1536 /* a frame */

/* --- protocols */
#define LWIP_IPV4 1
#define LWIP_IPV6 1
#define LWIP_ARP 1
#define LWIP_ICMP 1
#define LWIP_RAW 0
#define LWIP_UDP 1
#define LWIP_TCP 1
#define LWIP_DHCP 1
#define LWIP_DNS 1
#define LWIP_IPV6_DHCP6 0
#define LWIP_IPV6_AUTOCONFIG 1
#define IPV6_FRAG_COPYHEADER 1 /* pointers have 64 bits */
#define LWIP_IPV6_NUM_ADDRESSES 4
#define LWIP_ND6_NUM_NEIGHBORS 32
#define ARP_TABLE_SIZE 64
#define ARP_QUEUEING 0	    /* one packet waits for each address that is being resolved, */
#define LWIP_ND6_QUEUEING 0 /* so that strangers cannot use up all memory */
#define IP_REASS_MAX_PBUFS 32
#define IP_FORWARD 0
#define LWIP_SINGLE_NETIF 0
#define LWIP_HAVE_LOOPIF 1 /* 127.0.0.1 and ::1 */
#define LWIP_NETIF_LOOPBACK 1
#define ETHARP_SUPPORT_STATIC_ENTRIES 0
#define LWIP_DHCP_DOES_ACD_CHECK 0
#define DHCP_DOES_ARP_CHECK 0
#define DNS_MAX_SERVERS 3
#define DNS_TABLE_SIZE 8
#define DNS_MAX_NAME_LENGTH 128
#define SO_REUSE 1
#define IP_SOF_BROADCAST 1
#define IP_SOF_BROADCAST_RECV 0
#define LWIP_NETIF_HOSTNAME 1
#define LWIP_NETIF_LINK_CALLBACK 0
#define LWIP_NETIF_STATUS_CALLBACK 0

/* --- TCP */
#define TCP_MSS 1460
#define TCP_WND (22 * TCP_MSS)
#define TCP_SND_BUF (22 * TCP_MSS)
#define TCP_SND_QUEUELEN 64
#define TCP_LISTEN_BACKLOG 1
#define TCP_QUEUE_OOSEQ 1
#define TCP_OOSEQ_MAX_PBUFS 22
#define LWIP_TCP_KEEPALIVE 0
#define LWIP_TCP_TIMESTAMPS 0
#define LWIP_WND_SCALE 0
#define LWIP_TCP_PCB_NUM_EXT_ARGS 1 /* stream.c: the pcb's socket */
#define LWIP_HOOK_FILENAME "hooks.h"
#define LWIP_HOOK_TCP_ISN(local, local_port, remote, remote_port) port_random()

/*
 * --- checksums: computed during the copy when sending; checked when receiving, unless Linux has
 * checked them
 */
#define LWIP_CHECKSUM_ON_COPY 1
#define LWIP_CHECKSUM_CTRL_PER_NETIF 1

/* --- figures */
#define LWIP_STATS 1
#define LWIP_STATS_LARGE 1
#define LWIP_STATS_DISPLAY 0
#define SYS_STATS 0
#define MIB2_STATS 0

#endif
