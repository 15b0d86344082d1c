// SPDX-License-Identifier: BSD-2-Clause
/* Gives functions of the import mem a symbol for Rust. mem.rs declares them. */
#include <import/mem.h>

long limpet_rust_mem_allocate(word pages, word *address)
{
	return mem_allocate(pages, address);
}

long limpet_rust_mem_free(word address)
{
	return mem_free(address);
}

long limpet_rust_mem_grant(word address, word component, word rights)
{
	return mem_grant(address, component, rights);
}

long limpet_rust_mem_attach(word address)
{
	return mem_attach(address);
}

long limpet_rust_mem_detach(word address)
{
	return mem_detach(address);
}
