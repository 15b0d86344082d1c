/* SPDX-License-Identifier: GPL-2.0 */
/* Tells systemd how far a service is, in the protocol of sd_notify(3), which is stable for programs without libsystemd. */
#ifndef CLI_NOTIFY_H
#define CLI_NOTIFY_H

/* Sends the state, such as "READY=1". Without effect if systemd has not asked for it by $NOTIFY_SOCKET. */
void notify_systemd(const char *state);

#endif
