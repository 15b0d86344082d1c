// SPDX-License-Identifier: BSD-2-Clause
#include <export/faults.h>
#include <import/next.h>

long faults_serve_handle(word badge, word kind, word address, word code, word ip, word thread,
			 word component)
{
	(void)badge;
	return next_handle(kind, address, code, ip, thread, component);
}
