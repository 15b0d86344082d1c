/* SPDX-License-Identifier: BSD-2-Clause */
/* The pools from which lwIP gets memory of any size: segments, packets of the broker, frames with all headers. */
LWIP_MALLOC_MEMPOOL_START
LWIP_MALLOC_MEMPOOL(96, 192)
LWIP_MALLOC_MEMPOOL(64, 512)
LWIP_MALLOC_MEMPOOL(64, 1664)
LWIP_MALLOC_MEMPOOL(2, 4352)
LWIP_MALLOC_MEMPOOL_END
