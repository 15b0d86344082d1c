/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stops the machine where its state is to be saved, and receives files where it continues.
 *
 * The program writes to the port of QEMU's pvpanic device. QEMU stops the machine at that instruction,
 * and the harness saves its state (tests/harness/saved.py). A later QEMU continues from the saved
 * state, directly after that instruction. Its argument -fw_cfg has a file, which the program
 * copies to standard output. Counted runs stay exact, because no instruction depends on the time at
 * which the machine was stopped.
 *
 * The file arrives through fw_cfg's DMA interface (QEMU's docs/specs/fw_cfg), which writes to physical
 * addresses. The program therefore works with two locked pages of its own and reads their physical
 * addresses from /proc/self/pagemap.
 */
#include <endian.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_NAME "opt/limpet/root"
#define PVPANIC_PORT 0x505
#define FW_CFG_DMA_PORT 0x514
#define FW_CFG_DIRECTORY 0x19
#define PAGE 4096

enum { DMA_ERROR = 1, DMA_READ = 2, DMA_SELECT = 8 };

/* A command of the DMA interface. QEMU reads and writes its fields, and the directory, as big-endian numbers. */
struct dma {
	uint32_t control, length;
	uint64_t address;
} __attribute__((packed));

struct entry {
	uint32_t size;
	uint16_t key, reserved;
	char name[56];
};

static uint8_t *page;
static volatile struct dma *dma;
static uint64_t page_at, dma_at;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Returns the physical address of a page, or 0 if it cannot be read. */
static uint64_t physical(int pagemap, const volatile void *address)
{
	uint64_t entry = 0;

	if (pread(pagemap, &entry, sizeof(entry), (uintptr_t)address / PAGE * sizeof(entry)) !=
	    sizeof(entry))
		return 0;
	return (entry & ((1ull << 55) - 1)) * PAGE;
}

static void prepare(void)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY);

	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || mlock(page, 2 * PAGE))
		fail("fetch: locked pages");
	memset(page, 0, 2 * PAGE);
	dma = (volatile struct dma *)(page + PAGE);
	page_at = physical(pagemap, page);
	dma_at = physical(pagemap, dma);
	if (!page_at || !dma_at)
		fail("fetch: /proc/self/pagemap");
	if (ioperm(PVPANIC_PORT, 1, 1) || ioperm(FW_CFG_DMA_PORT, 8, 1))
		fail("fetch: ports");
}

/* Reads the next bytes of the selected item into the page. */
static void read_bytes(uint32_t control, uint32_t length)
{
	dma->length = htobe32(length);
	dma->address = htobe64(page_at);
	dma->control = htobe32(control | DMA_READ);
	outl(htobe32(dma_at >> 32), FW_CFG_DMA_PORT);
	outl(htobe32((uint32_t)dma_at), FW_CFG_DMA_PORT + 4);
	while (dma->control & ~htobe32(DMA_ERROR))
		;
	if (dma->control) {
		fprintf(stderr, "fetch: fw_cfg refuses to read\n");
		exit(1);
	}
}

static uint32_t select_item(uint16_t key)
{
	return (uint32_t)key << 16 | DMA_SELECT;
}

/* Finds the file in fw_cfg's directory. */
static struct entry find_file(void)
{
	struct entry entry;
	uint32_t count;

	read_bytes(select_item(FW_CFG_DIRECTORY), sizeof(count));
	memcpy(&count, page, sizeof(count));
	for (count = be32toh(count); count; count--) {
		read_bytes(0, sizeof(entry));
		memcpy(&entry, page, sizeof(entry));
		if (!strncmp(entry.name, FILE_NAME, sizeof(entry.name)))
			return entry;
	}
	fprintf(stderr, "fetch: no file %s\n", FILE_NAME);
	exit(1);
}

static void write_all(uint32_t length)
{
	ssize_t written;

	for (uint32_t done = 0; done < length; done += written) {
		written = write(STDOUT_FILENO, page + done, length - done);
		if (written <= 0)
			fail("fetch: write");
	}
}

static void copy_file(struct entry file)
{
	uint32_t control = select_item(be16toh(file.key));
	uint32_t left, length;

	for (left = be32toh(file.size); left; left -= length) {
		length = left < PAGE ? left : PAGE;
		read_bytes(control, length);
		control = 0;
		write_all(length);
	}
}

int main(void)
{
	prepare();
	outb(1, PVPANIC_PORT);
	copy_file(find_file());
	return 0;
}
