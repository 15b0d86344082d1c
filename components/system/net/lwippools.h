/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pools from which lwIP allocates memory of any size: data to send, and all else but received
 * frames.
 */
LWIP_MALLOC_MEMPOOL_START
LWIP_MALLOC_MEMPOOL(256, 192) /* segments without data, short datagrams */
LWIP_MALLOC_MEMPOOL(128, 512)
LWIP_MALLOC_MEMPOOL(512, 1664) /* a frame with all its headers */
LWIP_MALLOC_MEMPOOL_END
