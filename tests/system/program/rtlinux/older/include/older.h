/* SPDX-License-Identifier: GPL-2.0 */
#define BASE 2

extern int wrong;
#ifndef __cplusplus
void expect();
int timer_expirations();
void device_test();
void day_test();
int objects_test();
#endif
