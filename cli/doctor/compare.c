// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the functions of Linux that Limpet calls, the first instructions of Linux's entries, and the fields of
 * Linux's structures. Other differences, such as another meaning of a field, are not visible here. Only tests on the
 * kernel show them.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/common/btf.h>
#include <cli/common/module_file.h>
#include <shared/module/expects.h>

#include "compare.h"

#define REMEDY "Boot " DOCTOR_KERNELS "."
#define AS_ROOT "Run the command as root."
#define INSTALL "Install limpet.ko for this kernel."
#define BYTES 12     /* compared bytes of an entry */
#define SYMBOLS 1024 /* maximum number of symbols */

/* Functions that the module looks up when it attaches. Each has one of two names. */
static const char *const by_name[][2] = {
	{ "write_ibpb", "entry_ibpb" },
	{ "clear_bhb_loop", "clear_bhb_loop" },
	{ "switch_fpu_return", "switch_fpu_return" },
};

/*
 * Linux's entries. Entries of system calls must begin with SWAPGS, because Limpet jumps there with user level's GS
 * base. Entries of exceptions and interrupts do not begin with it, because they check the saved CS first.
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
	struct symbol list[SYMBOLS];
	size_t count;
	bool read;
};

/* Returns a check, and adds it if it does not exist. */
static struct doctor_check *check_of(struct doctor *doctor, const char *name)
{
	struct doctor_check *check = doctor_find_own(doctor, name);

	return check ? check : doctor_add(doctor, name, DOCTOR_NOTE, "not compared");
}

void doctor_compare_later(struct doctor *doctor)
{
	check_of(doctor, "symbols");
	check_of(doctor, "entries");
	check_of(doctor, "structures");
}

static void cannot_compare(struct doctor_check *check, bool all, const char *reason,
			   const char *remedy)
{
	snprintf(check->found, sizeof(check->found), "cannot be compared");
	doctor_refuse(check, reason, remedy);
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
	if (*name && symbols->count < SYMBOLS)
		symbols->list[symbols->count++] = (struct symbol){ .name = name };
}

static struct symbol *symbol_find(struct symbols *symbols, const char *name)
{
	const struct symbol key = { .name = name };

	return bsearch(&key, symbols->list, symbols->count, sizeof(key), compare_names);
}

/*
 * Splits a line "ADDRESS TYPE NAME" of kallsyms. Does not use sscanf(), which is slow for 200,000 lines. Returns the
 * name.
 */
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

/* Stores the addresses of the listed symbols from kallsyms, where the kernel's symbols come before those of modules. */
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

	/* The entries come first, so that the list has space for them even if the module needs many symbols. */
	for (size_t i = 0; i < ENTRIES; i++)
		symbol_add(symbols, entries[i].name);
	for (size_t i = 0; i < BY_NAME; i++) {
		symbol_add(symbols, by_name[i][0]);
		symbol_add(symbols, by_name[i][1]);
	}
	for (size_t i = 0; (name = module_file_needs(file, i)); i++)
		symbol_add(symbols, name);
}

static bool is_there(struct symbols *symbols, const char *name)
{
	const struct symbol *symbol = symbol_find(symbols, name);

	return symbol && symbol->found;
}

/* Appends a name to the list of missing symbols. */
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
		cannot_compare(check, all, "/proc/kallsyms cannot be read.", AS_ROOT);
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
			"The module needs functions or variables that this kernel does not have.");
	else
		fits(check, count, "functions and variables");
}

/* Reads BYTES of the kernel's memory from /proc/kcore, which is an ELF file with one segment for each memory range. */
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

/* Returns whether an entry begins like those of Linux 6.1 to 7.3, as Linux patches them when it boots. */
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
	       skip(&at, "\x52", 1); /* PUSH RDX, in the entry of NMIs */
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
			differs(check, "This kernel lacks an entry that Limpet uses.");
			return;
		}
		if (!core || !symbol->at || !kernel_read(core, symbol->at, bytes)) {
			cannot_compare(
				check, all,
				"The kernel's entries cannot be read from /proc/kallsyms and /proc/kcore.",
				AS_ROOT);
			return;
		}
		if (!begins_well(bytes, entries[i].call)) {
			entry_say(check, entries[i].name, bytes);
			differs(check,
				"This entry of Linux starts with instructions that Limpet does not know.");
			return;
		}
		count++;
	}
	fits(check, count, "entries of Linux");
}

/* Returns whether a field has the offset and size that the module expects. If not, the check reports the difference. */
static bool field_fits(struct doctor_check *check, const struct btf *btf,
		       const struct expects_field *field)
{
	uint32_t offset, size;

	if (!memchr(field->name, 0, sizeof(field->name)))
		snprintf(check->found, sizeof(check->found), "a field without a name");
	else if (!btf_field(btf, field->name, &offset, &size))
		snprintf(check->found, sizeof(check->found), "missing: %s", field->name);
	else if (offset != field->offset || size != field->size)
		snprintf(check->found, sizeof(check->found),
			 "%s: %u bytes at offset %u, but the module expects %u at %u", field->name,
			 size, offset, field->size, field->offset);
	else
		return true;
	differs(check, "The module was built for a kernel with other structures.");
	return false;
}

static void structures_check(struct doctor_check *check, const struct module_file *file,
			     const char *root, bool all)
{
	size_t size = 0, length = 0;
	const struct expects_field *fields =
		module_file_section(file, EXPECTS_FIELDS, sizeof(uint32_t), &size);
	const size_t count = size / sizeof(*fields);
	char path[1100], *bytes;
	struct btf btf = { 0 };
	size_t i = 0;

	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", root);
	bytes = file_read(path, &length);
	if (!fields || !count)
		cannot_compare(check, all,
			       "The module's file does not list the fields that the module uses.",
			       INSTALL);
	else if (!bytes || !btf_open(&btf, bytes, length))
		cannot_compare(
			check, all,
			"/sys/kernel/btf/vmlinux, the kernel's type information, cannot be read.",
			REMEDY);
	else {
		while (i < count && field_fits(check, &btf, &fields[i]))
			i++;
		if (i == count)
			fits(check, count, "fields of structures");
	}
	btf_close(&btf);
	free(bytes);
}

void doctor_compare(struct doctor *doctor, const char *module, bool all)
{
	static const char missing[] = "The module for this kernel is missing or cannot be read.";
	static struct symbols symbols;
	struct module_file file;
	char path[1100];
	FILE *core;

	if (!module || !module_file_open(&file, module)) {
		cannot_compare(check_of(doctor, "symbols"), all, missing, INSTALL);
		cannot_compare(check_of(doctor, "entries"), all, missing, INSTALL);
		cannot_compare(check_of(doctor, "structures"), all, missing, INSTALL);
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
