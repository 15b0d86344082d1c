/* SPDX-License-Identifier: BSD-2-Clause */
/* The demo of the POSIX port includes a header of this name, and uses nothing of it. */
