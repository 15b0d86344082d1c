/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A component that owns a channel stop.INSTANCE of mode shared can finish its work before its system is stopped. This is
 * the start of the channel's memory. The component is asked by `limpet stop` and by the host process after SIGTERM, which
 * wait for at most a given time. Both sides can write both words at any time, and check them only against 0.
 */
#ifndef LIMPET_STOP_H
#define LIMPET_STOP_H

#include <stdint.h>

#define LIMPET_STOP_PREFIX "stop."

struct limpet_stop {
	uint32_t ready; /* 1: the component will finish when it is asked; 0: it has finished, or has not started */
	uint32_t asked; /* 1: Linux asks it. Linux also sends an event */
};

#endif
