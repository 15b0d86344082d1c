/* SPDX-License-Identifier: GPL-2.0 */
/* Stops the running system, for `stop` and `detach`. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <cli/common/finish.h>

struct stop_times {
	long grace; /* seconds that components have to finish, 0 to 86400; 0: they are not asked */
	long timeout; /* seconds until the module must have released the system, 1 to 86400 */
};

#define STOP_TIMES { .grace = STOP_GRACE, .timeout = 10 }

/*
 * Asks the components that own a channel stop.INSTANCE to finish (finish.h), stops the system, and waits until the
 * module has released it. Reports components that do not finish, and stops the system nevertheless. Returns enum
 * command_exit after it has reported a failure.
 */
int stop_system(int fd, const struct stop_times *times);
/* Stops all systems, one after another. Returns after the first failure. */
int stop_all(const struct stop_times *times);
/* Reports that the device cannot be opened. Without Limpet there is nothing to stop, and the code is COMMAND_OK. */
int stop_no_device(int error);

#endif
