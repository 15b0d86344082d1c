// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the comparison that `limpet doctor` makes before an attach to an untried kernel. The compiler makes a kernel and a
 * module that fit. Each test changes one thing.
 */
#include "fake_root.h"

#include <stdarg.h>
#include <stdint.h>

#include <cli/common/btf.h>
#include <cli/common/module_file.h>
#include <cli/doctor/checks.h>
#include <cli/doctor/compare.h>

/* The kernel's structures, with the type information of the compiler. */
#define STRUCTURES                                                                                 \
	"typedef unsigned int number;\n"                                                           \
	"struct inner { long first; const number second[3]; };\n"                                  \
	"struct outer {\n"                                                                         \
	"	char a;\n"                                                                               \
	"	union { struct { short b; int c; }; void *d; };\n"                                       \
	"	struct inner e;\n"                                                                       \
	"	unsigned f : 3, g : 2;\n"                                                                \
	"} outer;\n"

/* The text of the module's file. */
#define MODULE                                                                                     \
	"#include <shared/module/expects.h>\n"                                                     \
	"const uint32_t untried __attribute__((section(EXPECTS_UNTRIED))) = 0x70400;\n"            \
	"struct expects_field fields[] __attribute__((section(EXPECTS_FIELDS))) = {\n"             \
	"	{ \"outer.c\", 12, 4 }, { \"outer.e.second\", 24, 12 } };\n"                             \
	"extern int needed_function(void);\n"                                                      \
	"int module(void) { return needed_function(); }\n"

#define SYMBOLS                                                                                    \
	"ffffffff81000000 T entry_SYSCALL_64\n"                                                    \
	"ffffffff81000010 T entry_SYSCALL_compat\n"                                                \
	"ffffffff81000020 T asm_exc_page_fault\n"                                                  \
	"ffffffff81000030 T asm_exc_general_protection\n"                                          \
	"ffffffff81000040 T asm_exc_int3\n"                                                        \
	"ffffffff81000050 T asm_exc_debug\n"                                                       \
	"ffffffff81000060 T asm_exc_nmi\n"                                                         \
	"ffffffff81000070 T asm_exc_machine_check\n"                                               \
	"ffffffff81000080 T asm_sysvec_apic_timer_interrupt\n"                                     \
	"ffffffff81001000 T needed_function\n"                                                     \
	"ffffffff81001010 T entry_ibpb\n"                                                          \
	"ffffffff81001020 T clear_bhb_loop\n"                                                      \
	"ffffffff81001030 T switch_fpu_return\n"                                                   \
	"ffffffffc0001030 t asm_exc_page_fault\t[other]\n"

/* First bytes of the entries on 6.1 and 7.3, with and without SMAP. Each entry has 16 bytes. */
#define ENTRIES                                                                                    \
	".balign 16; .byte 0x0f, 0x01, 0xf8, 0x65\n"                                               \
	".balign 16; .byte 0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x01, 0xf8\n"                             \
	".balign 16; .byte 0x90, 0x90, 0x90, 0xfc, 0xe8\n"                                         \
	".balign 16; .byte 0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x01, 0xca, 0xfc, 0xe8\n"                 \
	".balign 16; .byte 0x0f, 0x1f, 0x00, 0xfc, 0x6a, 0xff\n"                                   \
	".balign 16; .byte 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x90, 0x90, 0xfc, 0x6a, 0xff\n"           \
	".balign 16; .byte 0x90, 0x90, 0x90, 0xfc, 0x52\n"                                         \
	".balign 16; .byte 0x90, 0x90, 0x90, 0xfc, 0x6a, 0xff\n"                                   \
	".balign 16; .byte 0x90, 0x90, 0x90, 0xfc, 0x6a, 0xff\n"

static struct doctor doctor;
static char module[128];

static void run(const char *format, ...)
{
	char command[1024];
	va_list values;

	va_start(values, format);
	vsnprintf(command, sizeof(command), format, values);
	va_end(values);
	assert_int_equal(system(command), 0);
}

static void put_structures(const char *text)
{
	put("/kernel.c", text);
	put("/sys/kernel/btf/vmlinux", "");
	run("cd '%s' && cc -gbtf -c kernel.c -o kernel.o && objcopy -O binary -j .BTF "
	    "--set-section-flags .BTF=alloc kernel.o sys/kernel/btf/vmlinux",
	    root);
}

static void put_module(const char *text)
{
	put("/module.c", text);
	run("cc -std=c11 -I. -c '%s/module.c' -o '%s'", root, module);
}

/* Makes an executable file with a segment at the entries' addresses, like /proc/kcore. */
static void put_core(const char *text)
{
	put("/entries.S", text);
	put("/proc/kcore", "");
	run("cd '%s' && cc -c entries.S -o entries.o && "
	    "ld -e 0 -Ttext=0xffffffff81000000 entries.o -o proc/kcore 2>/dev/null",
	    root);
}

static int good_kernel(void **state)
{
	(void)state;
	if (root_make())
		return -1;
	snprintf(module, sizeof(module), "%s/limpet.ko", root);
	put("/proc/kallsyms", SYMBOLS);
	put_structures(STRUCTURES);
	put_module(MODULE);
	put_core(ENTRIES ".fill 64\n");
	return 0;
}

/* Compares all, and returns the check with this name. The other checks must be ok. */
static const struct doctor_check *compared(const char *name)
{
	memset(&doctor, 0, sizeof(doctor));
	doctor.root = root;
	doctor_compare(&doctor, module, true);
	assert_int_equal(doctor.count, 3);
	for (unsigned int i = 0; i < doctor.count; i++)
		if (strcmp(doctor.check[i].name, name) != 0)
			assert_string_equal(doctor_state_word(doctor.check[i].state), "ok");
	return doctor_find(&doctor, name);
}

static void assert_fits(void)
{
	assert_int_equal(compared("symbols")->state, DOCTOR_OK);
}

static void assert_differs(const char *name, const char *found)
{
	const struct doctor_check *check = compared(name);

	assert_int_equal(check->state, DOCTOR_REFUSED);
	assert_non_null(check->reason);
	assert_non_null(check->remedy);
	if (!strstr(check->found, found))
		fail_msg("'%s' has no '%s'", check->found, found);
}

static void test_fits(void **state)
{
	(void)state;
	assert_fits();
	assert_string_equal(compared("symbols")->found, "compared functions and variables: 4");
	assert_string_equal(compared("entries")->found, "compared entries of Linux: 9");
	assert_string_equal(compared("structures")->found, "compared fields of structures: 2");
}

static void test_symbols(void **state)
{
	(void)state;
	put("/proc/kallsyms", SYMBOLS "0 T another\n");
	assert_fits();
	put_module(MODULE "extern int b; extern int c; int d(void) { return b + c; }\n");
	assert_differs("symbols", "missing: b, c");
}

/* A module with more symbols than the list holds is refused. */
static void test_many_symbols(void **state)
{
	static char text[65536];
	size_t length = (size_t)snprintf(text, sizeof(text), "%s", MODULE);

	(void)state;
	for (int i = 0; i < 1100; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "extern int z%d; int *p%d = &z%d;\n", i, i, i);
	put_module(text);
	assert_differs("symbols", "missing: z0, z1");
}

static void test_function_by_name(void **state)
{
	static char text[] = SYMBOLS;

	(void)state;
	memcpy(strstr(text, "entry_ibpb"), "write_ibpb", 10);
	put("/proc/kallsyms", text);
	assert_fits();
	memcpy(strstr(text, "write_ibpb"), "other_ibpb", 10);
	put("/proc/kallsyms", text);
	assert_differs("symbols", "missing: write_ibpb");
}

static void test_entries(void **state)
{
	(void)state;
	put_core(".byte 0x0f, 0x01, 0xf9\n" ENTRIES ".fill 64\n");
	assert_differs("entries", "entry_SYSCALL_64 begins with 0f 01 f9");
	/* The exception entries start with SWAPGS. */
	put_core(".byte 0x0f, 0x01, 0xf8\n.balign 16\n.byte 0x0f, 0x01, 0xf8\n.balign 16\n"
		 ".byte 0x0f, 0x01, 0xf8\n.fill 256\n");
	assert_differs("entries", "asm_exc_page_fault begins with 0f 01 f8");
	/* CLAC is not followed by a call or a push. */
	put_core(".byte 0x0f, 0x01, 0xf8\n.balign 16\n.byte 0x0f, 0x01, 0xf8\n.balign 16\n"
		 ".byte 0x0f, 0x01, 0xca, 0xe9\n.fill 256\n");
	assert_differs("entries", "asm_exc_page_fault begins with 0f 01 ca e9");
}

static void test_no_entry(void **state)
{
	static char text[] = SYMBOLS;

	(void)state;
	memcpy(strstr(text, "asm_exc_nmi"), "asm_fred_nm", 11);
	put("/proc/kallsyms", text);
	assert_differs("entries", "missing: asm_exc_nmi");
}

static void test_structures(void **state)
{
	(void)state;
	put_structures("typedef int t; struct outer { t c; };\nstruct outer outer;\n");
	assert_differs("structures",
		       "outer.c: 4 bytes at offset 0, but the module expects 4 at 12");
	put_structures("struct outer { long a; int b; short c; } outer;\n");
	assert_differs("structures",
		       "outer.c: 2 bytes at offset 12, but the module expects 4 at 12");
	put_structures("struct other { long a; int b; int c; } other;\n");
	assert_differs("structures", "missing: outer.c");
	put_module("#include <shared/module/expects.h>\n"
		   "char fields[64] __attribute__((section(EXPECTS_FIELDS))) = {\n"
		   "	[0 ... 63] = 'x' };\n");
	assert_differs("structures", "a field without a name");
}

/* A file that cannot be read refuses only if all must be compared. */
static void test_unreadable(void **state)
{
	static const char *const lost[][2] = {
		{ "/sys/kernel/btf/vmlinux", "structures" },
		{ "/proc/kcore", "entries" },
	};

	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
		put(lost[i][0], "");
		assert_differs(lost[i][1], "cannot be compared");
		doctor_compare(&doctor, module, false);
		assert_int_equal(doctor_find(&doctor, lost[i][1])->state, DOCTOR_UNKNOWN);
		assert_int_equal(doctor_refusals(&doctor), 0);
		root_remove(state);
		good_kernel(state);
	}
	doctor_compare(&doctor, NULL, true);
	assert_int_equal(doctor_refusals(&doctor), 3);
	assert_non_null(strstr(doctor_find(&doctor, "symbols")->remedy, "limpet.ko"));
	put("/limpet.ko", "no module");
	doctor_compare(&doctor, module, true);
	assert_int_equal(doctor_refusals(&doctor), 3);
	put("/proc/kallsyms", "");
	put_module(MODULE);
	memset(&doctor, 0, sizeof(doctor));
	doctor.root = root;
	doctor_compare(&doctor, module, true);
	assert_int_equal(doctor_refusals(&doctor), 2);
}

static void test_module_compressed(void **state)
{
	static const char *const programs[][2] = { { "xz", "xz" }, { "gzip", "gz" } };
	char path[160];

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		run("%s -k '%s'", programs[i][0], module);
		snprintf(path, sizeof(path), "%s.%s", module, programs[i][1]);
		doctor_compare(&doctor, path, true);
		assert_int_equal(doctor_refusals(&doctor), 0);
	}
}

static void assert_field(const struct btf *btf, const char *name, uint32_t offset, uint32_t size)
{
	uint32_t at, bytes;

	assert_true(btf_field(btf, name, &at, &bytes));
	assert_int_equal(at, offset);
	assert_int_equal(bytes, size);
}

static void test_fields(void **state)
{
	static const char *const none[] = { "outer",   "outer.", "outer.x", "outer.c.x", "x.c",
					    "outer.f", "inner.", "",	    ".",	 "oute.c" };
	uint32_t offset, size;
	struct btf btf;
	char path[160], *bytes;
	size_t length;

	(void)state;
	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", root);
	bytes = file_read(path, &length);
	assert_non_null(bytes);
	assert_true(btf_open(&btf, bytes, length));
	assert_field(&btf, "outer.a", 0, 1);
	assert_field(&btf, "outer.b", 8, 2);
	assert_field(&btf, "outer.c", 12, 4);
	assert_field(&btf, "outer.d", 8, 8);
	assert_field(&btf, "outer.e", 16, 24);
	assert_field(&btf, "outer.e.first", 16, 8);
	assert_field(&btf, "outer.e.second", 24, 12);
	assert_field(&btf, "inner.second", 8, 12);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(btf_field(&btf, none[i], &offset, &size));
	btf_close(&btf);

	/* A truncated or damaged file is refused, or read within its bounds, which the sanitizers check. */
	for (size_t cut = 0; cut < length; cut++) {
		char *less = malloc(cut + 1);

		memcpy(less, bytes, cut);
		if (btf_open(&btf, less, cut))
			btf_field(&btf, "outer.e.second", &offset, &size);
		btf_close(&btf);
		free(less);
	}
	for (size_t i = 0; i < length; i++) {
		bytes[i] ^= 0xff;
		if (btf_open(&btf, bytes, length))
			btf_field(&btf, "outer.e.second", &offset, &size);
		btf_close(&btf);
		bytes[i] ^= 0xff;
	}
	free(bytes);
}

/* A damaged module is refused, or read within its bounds. */
static void test_module_damaged(void **state)
{
	size_t length;
	char *bytes;
	FILE *out;

	(void)state;
	doctor.root = root;
	bytes = file_read(module, &length);
	assert_non_null(bytes);
	for (size_t i = 0; i < length; i++) {
		bytes[i] ^= 0xff;
		out = fopen(module, "w");
		assert_non_null(out);
		assert_int_equal(fwrite(bytes, 1, length, out), length);
		fclose(out);
		doctor_compare(&doctor, module, true);
		bytes[i] ^= 0xff;
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fits, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_symbols, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_many_symbols, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_function_by_name, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_entries, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_no_entry, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_structures, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_unreadable, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_module_compressed, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_fields, good_kernel, root_remove),
		cmocka_unit_test_setup_teardown(test_module_damaged, good_kernel, root_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
