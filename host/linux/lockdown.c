// SPDX-License-Identifier: GPL-2.0
/* Reads Linux's lockdown. This is a file of its own, because <linux/security.h> has a structure with a name of ours. */
#include <linux/security.h>

bool check_locked(void);

bool check_locked(void)
{
	return security_locked_down(LOCKDOWN_PCI_ACCESS); /* a device can write to all memory */
}
