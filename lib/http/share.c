// SPDX-License-Identifier: BSD-2-Clause
#include <http/share.h>

#include <import/mem.h>

long http_share(word size, word component, word rights, word *address)
{
	long status = mem_allocate((size + LIMPET_PAGE - 1) / LIMPET_PAGE, address);

	if (status)
		return status;
	status = mem_grant(*address, component, rights);
	if (status)
		mem_free(*address);
	return status;
}
