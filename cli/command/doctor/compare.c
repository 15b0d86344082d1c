// SPDX-License-Identifier: GPL-2.0
/*
 * What Limpet relies on: functions of Linux, how its entries begin, and where the fields of its structures are. A kernel
 * can differ from what this compares in other ways, such as the meaning of a field. Only tests on the kernel show these.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/common/btf.h>
#include <cli/common/module_file.h>
#include <shared/module/expects.h>

#include "compare.h"

#define REMEDY "boot a kernel that Limpet was tried on: Debian's 6.1, 6.12 or 7.3"
#define BYTES 12 /* of an entry that are compared */
#define NEEDED 1024

/* Functions that the module finds by name when it attaches, each by one of two names. */
static const char *const by_name[][2] = {
	{ "write_ibpb", "entry_ibpb" },
	{ "clear_bhb_loop", "clear_bhb_loop" },
	{ "switch_fpu_return", "switch_fpu_return" },
};

/*
 * Linux's entries. Those of system calls begin with SWAPGS, as Limpet arrives there with user level's GS base. Those of
 * exceptions and interrupts do not, because they look at the saved CS first.
 */
static const struct entry {
	const char *name;
	bool call, optional;
} entries[] = {
	{ "entry_SYSCALL_64", true, false },
	{ "entry_SYSCALL_compat", true, true },
	{ "asm_exc_page_fault", false, false },
	{ "asm_exc_general_protection", false, false },
	{ "asm_exc_int3", false, false },
	{ "asm_exc_debug", false, false },
	{ "asm_exc_nmi", false, false },
	{ "asm_exc_machine_check", false, false },
	{ "asm_sysvec_apic_timer_interrupt", false, false },
	{ "asm_int80_emulation", false, true },
};

#define ENTRIES (sizeof(entries) / sizeof(*entries))
#define BY_NAME (sizeof(by_name) / sizeof(*by_name))

struct symbol {
	const char *name;
	uint64_t at;
	bool found;
};

struct symbols {
	struct symbol list[NEEDED];
	size_t count;
	bool read;
};

static struct doctor_check *check_of(struct doctor *doctor, const char *name)
{
	for (unsigned int i = 0; i < doctor->count; i++)
		if (!strcmp(doctor->check[i].name, name))
			return &doctor->check[i];
	return doctor_add(doctor, name, DOCTOR_NOTE, "not compared");
}

void doctor_compare_later(struct doctor *doctor)
{
	check_of(doctor, "symbols");
	check_of(doctor, "entries");
	check_of(doctor, "structures");
}

static void is_unknown(struct doctor_check *check, bool all, const char *reason)
{
	snprintf(check->found, sizeof(check->found), "cannot be compared");
	doctor_refuse(check, reason, REMEDY);
	if (!all)
		check->state = DOCTOR_UNKNOWN;
}

static void differs(struct doctor_check *check, const char *reason)
{
	doctor_refuse(check, reason, REMEDY);
}

static void fits(struct doctor_check *check, size_t count, const char *what)
{
	check->state = DOCTOR_OK;
	snprintf(check->found, sizeof(check->found), "compared %s: %zu", what, count);
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(((const struct symbol *)left)->name, ((const struct symbol *)right)->name);
}

static void symbol_add(struct symbols *symbols, const char *name)
{
	if (*name && symbols->count < NEEDED)
		symbols->list[symbols->count++] = (struct symbol){ .name = name };
}

static struct symbol *symbol_find(struct symbols *symbols, const char *name)
{
	const struct symbol key = { .name = name };

	return bsearch(&key, symbols->list, symbols->count, sizeof(key), compare_names);
}

/* Splits a line "ADDRESS TYPE NAME" of kallsyms. Not by sscanf(), because there are 200,000 lines. Returns the name. */
static char *line_split(char *line, uint64_t *at)
{
	char *name;

	*at = strtoull(line, &name, 16);
	if (name == line || strnlen(name, 4) < 4 || name[2] != ' ')
		return NULL;
	name += 3;
	name[strcspn(name, "\t\n")] = 0;
	return name;
}

/* Stores the address of each wanted symbol that a line of kallsyms has. The kernel's own are before those of modules. */
static void symbols_read(struct symbols *symbols, const char *root)
{
	char line[1100], *name;
	struct symbol *symbol;
	uint64_t at;
	FILE *file;

	qsort(symbols->list, symbols->count, sizeof(*symbols->list), compare_names);
	snprintf(line, sizeof(line), "%s/proc/kallsyms", root);
	file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file)) {
		name = line_split(line, &at);
		if (!name)
			continue;
		symbols->read = true;
		symbol = symbol_find(symbols, name);
		if (symbol && !symbol->found)
			*symbol = (struct symbol){ symbol->name, at, true };
	}
	if (file)
		fclose(file);
}

static void symbols_collect(struct symbols *symbols, const struct module_file *file)
{
	const char *name;

	for (size_t i = 0; (name = module_file_needs(file, i)); i++)
		symbol_add(symbols, name);
	for (size_t i = 0; i < BY_NAME; i++) {
		symbol_add(symbols, by_name[i][0]);
		symbol_add(symbols, by_name[i][1]);
	}
	for (size_t i = 0; i < ENTRIES; i++)
		symbol_add(symbols, entries[i].name);
}

static bool is_there(struct symbols *symbols, const char *name)
{
	const struct symbol *symbol = symbol_find(symbols, name);

	return symbol && symbol->found;
}

/* Appends a name to a list that says what is missing. */
static void missing_add(struct doctor_check *check, size_t *count, const char *name)
{
	const size_t length = *count ? strlen(check->found) : 0;

	snprintf(check->found + length, sizeof(check->found) - length, "%s %s",
		 *count ? "," : "missing:", name);
	++*count;
}

static void symbols_check(struct doctor_check *check, struct symbols *symbols,
			  const struct module_file *file, bool all)
{
	size_t missing = 0, count = BY_NAME;
	const char *name;

	if (!symbols->read) {
		is_unknown(check, all, "/proc/kallsyms cannot be read");
		return;
	}
	for (size_t i = 0; (name = module_file_needs(file, i)); i++) {
		count += !!*name;
		if (*name && !is_there(symbols, name))
			missing_add(check, &missing, name);
	}
	for (size_t i = 0; i < BY_NAME; i++)
		if (!is_there(symbols, by_name[i][0]) && !is_there(symbols, by_name[i][1]))
			missing_add(check, &missing, by_name[i][0]);
	if (missing)
		differs(check,
			"the module needs functions or variables that this kernel does not have");
	else
		fits(check, count, "functions and variables");
}

/* Reads the kernel's memory from /proc/kcore, which is an ELF file with a segment for each part of it. */
static bool kernel_read(FILE *core, uint64_t at, uint8_t *bytes)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;

	if (fseeko(core, 0, SEEK_SET) || fread(&head, sizeof(head), 1, core) != 1 ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	for (int i = 0; i < head.e_phnum; i++) {
		if (fseeko(core, (off_t)(head.e_phoff + (uint64_t)i * sizeof(part)), SEEK_SET) ||
		    fread(&part, sizeof(part), 1, core) != 1)
			return false;
		if (part.p_type != PT_LOAD || at < part.p_vaddr || part.p_filesz < BYTES ||
		    at - part.p_vaddr > part.p_filesz - BYTES)
			continue;
		return !fseeko(core, (off_t)(part.p_offset + (at - part.p_vaddr)), SEEK_SET) &&
		       fread(bytes, BYTES, 1, core) == 1;
	}
	return false;
}

static bool skip(const uint8_t **at, const char *bytes, size_t size)
{
	if (memcmp(*at, bytes, size) != 0)
		return false;
	*at += size;
	return true;
}

/* Returns whether an entry begins as those of 6.1 to 7.3 do, with the patches that Linux makes when it boots. */
static bool begins_well(const uint8_t *at, bool call)
{
	(void)(skip(&at, "\xf3\x0f\x1e\xfa", 4) /* ENDBR64 */ || skip(&at, "\x66\x0f\x1f\x00", 4));
	if (call)
		return skip(&at, "\x0f\x01\xf8", 3); /* SWAPGS */
	if (!(skip(&at, "\x0f\x01\xca", 3) /* CLAC */ || skip(&at, "\x90\x90\x90", 3) ||
	      skip(&at, "\x0f\x1f\x00", 3)))
		return false;
	(void)skip(&at, "\xfc", 1); /* CLD */
	return skip(&at, "\xe8", 1) /* CALL error_entry */ ||
	       skip(&at, "\x6a\xff", 2) /* PUSH -1 */ ||
	       skip(&at, "\x52", 1); /* PUSH RDX, in the NMI's */
}

static void entry_say(struct doctor_check *check, const char *name, const uint8_t *bytes)
{
	int length = snprintf(check->found, sizeof(check->found), "%s begins with", name);

	for (int i = 0; i < BYTES; i++)
		length += snprintf(check->found + length, sizeof(check->found) - (size_t)length,
				   " %02x", bytes[i]);
}

static void entries_check(struct doctor_check *check, struct symbols *symbols, FILE *core, bool all)
{
	uint8_t bytes[BYTES];
	size_t count = 0;

	for (size_t i = 0; i < ENTRIES; i++) {
		const struct symbol *symbol = symbol_find(symbols, entries[i].name);

		if (!symbol->found && entries[i].optional)
			continue;
		if (symbols->read && !symbol->found) {
			snprintf(check->found, sizeof(check->found), "missing: %s",
				 entries[i].name);
			differs(check, "Linux enters its kernel in another way than Limpet knows");
			return;
		}
		if (!core || !symbol->at || !kernel_read(core, symbol->at, bytes)) {
			is_unknown(
				check, all,
				"/proc/kallsyms or /proc/kcore do not show the kernel's entries");
			return;
		}
		if (!begins_well(bytes, entries[i].call)) {
			entry_say(check, entries[i].name, bytes);
			differs(check,
				"an entry of Linux does not begin as those that Limpet knows");
			return;
		}
		count++;
	}
	fits(check, count, "entries of Linux");
}

/* Returns whether a field is where the module expects it; otherwise, says where it is. */
static bool field_fits(struct doctor_check *check, const struct btf *btf,
		       const struct expects_field *field)
{
	uint32_t offset, size;

	if (!btf_field(btf, field->name, &offset, &size))
		snprintf(check->found, sizeof(check->found), "missing: %s", field->name);
	else if (offset != field->offset || size != field->size)
		snprintf(check->found, sizeof(check->found),
			 "%s: %u bytes at offset %u, but the module expects %u at %u", field->name,
			 size, offset, field->size, field->offset);
	else
		return true;
	differs(check, "the module was built for other structures than this kernel's");
	return false;
}

static void structures_check(struct doctor_check *check, const struct module_file *file,
			     const char *root, bool all)
{
	size_t size = 0, length = 0;
	const struct expects_field *fields = module_file_section(file, EXPECTS_FIELDS, &size);
	const size_t count = size / sizeof(*fields);
	char path[1100], *bytes;
	struct btf btf = { 0 };
	size_t i = 0;

	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", root);
	bytes = file_read(path, &length);
	if (!fields || !count)
		is_unknown(check, all, "the module does not say which structures it expects");
	else if (!bytes || !btf_open(&btf, bytes, length))
		is_unknown(
			check, all,
			"/sys/kernel/btf/vmlinux, the kernel's type information, cannot be read");
	else {
		while (i < count && memchr(fields[i].name, 0, sizeof(fields->name)) &&
		       field_fits(check, &btf, &fields[i]))
			i++;
		if (i == count)
			fits(check, count, "fields of structures");
	}
	btf_close(&btf);
	free(bytes);
}

void doctor_compare(struct doctor *doctor, const char *module, bool all)
{
	static const char missing[] = "there is no module for this kernel that can be read";
	static struct symbols symbols;
	struct module_file file;
	char path[1100];
	FILE *core;

	doctor_compare_later(doctor);
	if (!module || !module_file_open(&file, module)) {
		is_unknown(check_of(doctor, "symbols"), all, missing);
		is_unknown(check_of(doctor, "entries"), all, missing);
		is_unknown(check_of(doctor, "structures"), all, missing);
		return;
	}
	symbols = (struct symbols){ 0 };
	symbols_collect(&symbols, &file);
	symbols_read(&symbols, doctor->root);
	snprintf(path, sizeof(path), "%s/proc/kcore", doctor->root);
	core = fopen(path, "re");
	symbols_check(check_of(doctor, "symbols"), &symbols, &file, all);
	entries_check(check_of(doctor, "entries"), &symbols, core, all);
	structures_check(check_of(doctor, "structures"), &file, doctor->root, all);
	if (core)
		fclose(core);
	module_file_close(&file);
}
