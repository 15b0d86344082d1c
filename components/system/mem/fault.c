// SPDX-License-Identifier: BSD-2-Clause
/*
 * Page faults. A permitted access to a page without memory gives it memory. All other faults go to
 * the next handler. The faulting component comes from words of the kernel or of a component that
 * the system file trusts. A wrong one can only give memory to a page that its owner may touch
 * anyway.
 */
#include <runtime/component.h>

#include <export/faults.h>
#include <export/mem.h>
#include <import/next.h>

#include "mem.h"

#define PAGE_FAULT 14
/* Bits of the error code of a page fault. */
#define CODE_WRITE 2u
#define CODE_KNOWN 7u /* present, write, user; faults with other bits are never repaired */

/*
 * The caller holds the lock. If the page has memory, a fault of another thread allocated it just
 * before.
 */
static long touch(struct client *client, word address, word code)
{
	uint64_t page = page_at(client, address);
	uint32_t entry;
	long status = LIMPET_OK;

	if (page >= client->space || code & ~(word)CODE_KNOWN)
		return LIMPET_ENOENT;
	entry = client->page[page];
	if (!(entry & PAGE_TAKEN) || !(entry & (code & CODE_WRITE ? PAGE_WRITE : PAGE_READ)))
		return LIMPET_ENOENT;
	if (page_backed(entry))
		return LIMPET_OK;
	if (!(entry & PAGE_HAS))
		status = frames_allow(client, 1);
	if (status)
		return status;
	page_back(client, (uint32_t)page);
	status = page_map(client, (uint32_t)page);
	if (status)
		page_drop(client, (uint32_t)page);
	return status;
}

long faults_serve_handle(word badge, word kind, word address, word code, word ip, word thread,
			 word component)
{
	struct client *client;

	(void)badge;
	if (kind == PAGE_FAULT && !client_enter(component + 1, &client) &&
	    !client_leave(touch(client, address, code)))
		return LIMPET_OK;
	return next_handle(kind, address, code, ip, thread, component) ? LIMPET_ECRASH : LIMPET_OK;
}

long mem_serve_touch(word badge, word address, word code)
{
	struct client *client;
	long status = client_enter(badge, &client);

	return status ? status : client_leave(touch(client, address, code));
}
