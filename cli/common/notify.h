/* SPDX-License-Identifier: GPL-2.0 */
/* Notifies systemd of the state of a service. The protocol of sd_notify(3) is stable, so libsystemd is not needed. */
#ifndef CLI_NOTIFY_H
#define CLI_NOTIFY_H

/* Sends the state, such as "READY=1". Does nothing unless systemd has set $NOTIFY_SOCKET. */
void notify_systemd(const char *state);

#endif
