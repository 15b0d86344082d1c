/* SPDX-License-Identifier: GPL-2.0 */
/* Stops the running system, for `stop` and `detach`. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#define STOP_TIMEOUT 10

/*
 * Stops the system and waits up to `timeout` seconds until the module has released it. Returns enum
 * command_exit, after it reported a failure.
 */
int stop_system(int fd, long timeout);
/* Stops all systems, one after another. Returns after the first failure. */
int stop_all(long timeout);

#endif
