/* SPDX-License-Identifier: GPL-2.0 */
/* Ends the running system, for `stop` and `detach`. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#define STOP_TIMEOUT 10

/*
 * Ends the system and waits until the module has given it up, at most `timeout` seconds. Returns
 * enum command_exit; a failure was reported.
 */
int stop_system(int fd, long timeout);
/* The same for all systems, one after another. Ends at the first failure. */
int stop_all(long timeout);

#endif
