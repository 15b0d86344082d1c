/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_LEND_H
#define HOST_LEND_H

/*
 * Lends the calling host thread to components by LIMPET_IOC_LEND of the device `fd`, until that call returns something
 * other than EINTR. Restores the control words of the vector registers and of the x87 unit. Context: after
 * LIMPET_IOC_ENTER. Returns 1: the system has ended; or a negative errno of that call.
 */
long host_lend(int fd);

#endif
