/* SPDX-License-Identifier: BSD-2-Clause */
/* The demo of the POSIX port includes a header with this name but does not use it. */
