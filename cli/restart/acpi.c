// SPDX-License-Identifier: GPL-2.0
/*
 * Reads tables of the ACPI specification, version 6.5, and the HPET table of IA-PC HPET 1.0a
 * section 3.2.4.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/restart/acpi.h>
#include <cli/common/text.h>

#define TABLES "/sys/firmware/acpi/tables/"
#define TABLE_MAX 65536
#define MADT_ENTRIES 44 /* offset of the first entry */
#define MADT_IO_APIC 1
#define MADT_IO_APIC_SIZE 12
#define MADT_IO_APIC_ADDRESS 4
#define HPET_ADDRESS 44
#define HPET_SIZE 56

/* Reads a table. Returns its bytes, or 0 if it cannot be read. */
static size_t table_read(const char *root, const char *name, unsigned char *to)
{
	char path[PATH_MAX];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "%s" TABLES "%s", root, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	size = fread(to, 1, TABLE_MAX, file);
	fclose(file);
	return size;
}

unsigned int acpi_io_apics(const char *root, uint32_t *address, unsigned int max)
{
	static unsigned char table[TABLE_MAX];
	size_t size = table_read(root, "APIC", table), at = MADT_ENTRIES;
	unsigned int count = 0;

	/* Each entry has a type, a size and contents. */
	while (at + 2 <= size && table[at + 1] >= 2 && at + table[at + 1] <= size) {
		if (table[at] == MADT_IO_APIC && table[at + 1] >= MADT_IO_APIC_SIZE && count < max)
			memcpy(&address[count++], &table[at + MADT_IO_APIC_ADDRESS],
			       sizeof(*address));
		at += table[at + 1];
	}
	return count;
}

uint32_t acpi_hpet(const char *root)
{
	static unsigned char table[TABLE_MAX];
	uint64_t address;

	if (table_read(root, "HPET", table) < HPET_SIZE)
		return 0;
	memcpy(&address, &table[HPET_ADDRESS], sizeof(address));
	return address <= UINT32_MAX ? (uint32_t)address : 0;
}

uint64_t acpi_root(const char *root)
{
	char text[1024];
	const char *found;

	if (!text_read(root, "/sys/firmware/efi/systab", text, sizeof(text)))
		return 0;
	found = strstr(text, "ACPI20=");
	return found ? strtoull(found + strlen("ACPI20="), NULL, 16) : 0;
}
