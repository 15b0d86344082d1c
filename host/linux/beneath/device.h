/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/limpet/control in beneath mode passes requests on to the layer, and does not store anything of a system. */
#ifndef BENEATH_DEVICE_H
#define BENEATH_DEVICE_H

#include <host/linux/control.h>
#include <host/linux/parts.h>

/*
 * layer.c. layer_call() makes a call of the layer. It first waits until no other process makes one, because the layer
 * would let the other CPU wait busily. layer_info() reads the layer's state. layer_running() does the same, but returns
 * -ENODEV if no system runs. Each returns the result of the call. Process context, because they can sleep.
 */
extern struct bare_events *layer_events; /* events in memory that the layer writes */
long layer_call(enum bare_call call, void *argument, u64 size);
long layer_info(struct bare_info *info);
long layer_running(struct bare_info *info);

/*
 * interrupt.c: the interrupt by which the layer reports notifications of components. It wakes the waiters of channels.
 * interrupt_find() requests a free line, and returns false if no line is free. interrupt_found() returns whether it has
 * found one. interrupt_release() frees the line, and does nothing if none was found. Process context.
 */
bool interrupt_find(void);
bool interrupt_found(void);
void interrupt_release(void);

/*
 * system.c: operations of control.h, for the calls LOAD, STOP and IMAGE. Process context.
 */
long beneath_load(struct control_session *session, struct limpet_ioc_load *load, const void *image);
long beneath_stop(const struct control_session *session);
long beneath_image(const struct control_session *session, void *to, u64 size);

#endif
