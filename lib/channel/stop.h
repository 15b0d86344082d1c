/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets a component finish its work before its system is stopped, for example move an actuator to a safe position. The
 * component owns a channel stop.INSTANCE of mode shared (docs/reference/system-toml.md). `limpet stop`, and the host
 * process after SIGTERM, ask it to finish, and wait at most 5 seconds, or the value of `limpet stop --grace`, before they
 * stop the system. A system that is ended in another way does not ask.
 *
 * Context: any thread of the component, after component_init().
 */
#ifndef CHANNEL_STOP_H
#define CHANNEL_STOP_H

#include <stdbool.h>

/*
 * Starts to take part: from now on, a stop waits for stop_end(). Returns false if the component owns no channel
 * stop.INSTANCE. A request that came earlier, for example before a restart of the component, is dropped. The event of a
 * request ends channel_wait() and fifo_wait() of the component's own thread.
 */
bool stop_begin(void);
/* Returns whether the component must finish. Costs one load, so a control loop can call it in each period. */
bool stop_requested(void);
/* Reports that the component has finished. The system can be stopped at any time after this call. */
void stop_end(void);

#endif
