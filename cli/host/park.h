/* SPDX-License-Identifier: GPL-2.0 */
/* The loop in which a host thread lends its CPU to components: see <limpet/device.h>, "Park". */
#ifndef HOST_PARK_H
#define HOST_PARK_H

/*
 * Parks, and calls fdatasync(fd) each time that the kernel needs Linux, until that returns
 * something other than 0 (and is not interrupted). Returns 1: the system ended; or a negative
 * errno. Context: after LIMPET_IOC_ENTER, all signals blocked; no debugger.
 */
long host_park(int fd, unsigned long fs_base);

/* Addresses for LIMPET_IOC_ENTER: labels in host_park(), not functions to call. */
extern const char host_park_ip[];
extern const char host_resume_ip[];

#endif
