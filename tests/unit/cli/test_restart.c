// SPDX-License-Identifier: GPL-2.0
/* Tests the inputs of a restart: the firmware's memory map, and a dead kernel's log. */
#include "test.h"

#include <unistd.h>

#include <asm/bootparam.h>

#include <cli/restart/memory_map.h>
#include <cli/restart/plan.h>
#include <cli/restart/printk.h>

#define MIB (1ull << 20)
#define COUNT 4 /* messages that the ring holds */
#define TEXT 64

static struct memory_map map_small(void)
{
	return (struct memory_map){ .count = 3,
				    .range = { { 0, 0x9f000, MEMORY_RAM },
					       { 0xf0000, MIB, MEMORY_RESERVED },
					       { MIB, 64 * MIB, MEMORY_RAM } } };
}

static void test_reserve_inside(void **state)
{
	struct memory_map map = map_small();

	(void)state;
	assert_true(memory_map_reserve(&map, 16 * MIB, 32 * MIB));
	assert_int_equal(map.count, 5);
	assert_int_equal(map.range[2].end, 16 * MIB);
	assert_int_equal(map.range[3].start, 16 * MIB);
	assert_int_equal(map.range[3].end, 32 * MIB);
	assert_int_equal(map.range[3].type, MEMORY_RESERVED);
	assert_int_equal(map.range[4].start, 32 * MIB);
	assert_int_equal(map.range[4].end, 64 * MIB);
	assert_int_equal(map.range[4].type, MEMORY_RAM);
	/* A second call changes nothing. After a restart, another Linux already has this map. */
	assert_true(memory_map_reserve(&map, 16 * MIB, 32 * MIB));
	assert_int_equal(map.count, 5);
}

static void test_reserve_across(void **state)
{
	struct memory_map map = map_small();

	(void)state;
	assert_true(memory_map_reserve(&map, 0x90000, 2 * MIB));
	assert_int_equal(map.range[0].end, 0x90000);
	assert_int_equal(map.range[1].type, MEMORY_RESERVED);
	for (unsigned int i = 0; i < map.count; i++)
		assert_true(map.range[i].type != MEMORY_RAM || map.range[i].end <= 0x90000 ||
			    map.range[i].start >= 2 * MIB);
}

static void test_reserve_too_many(void **state)
{
	struct memory_map map = { .count = MEMORY_RANGES };

	(void)state;
	for (unsigned int i = 0; i < MEMORY_RANGES; i++)
		map.range[i] = (struct memory_range){ i * MIB, (i + 1) * MIB, MEMORY_RAM };
	assert_false(memory_map_reserve(&map, 4096, 8192));
	assert_int_equal(map.count, MEMORY_RANGES);
}

static void test_find(void **state)
{
	struct memory_map map = map_small();

	(void)state;
	assert_int_equal(memory_map_find(&map, MIB, MIB, 1, 1ull << 32, false), MIB);
	assert_int_equal(memory_map_find(&map, 5000, 4096, 0x10000, 0x9f000, true), 0x9d000);
	assert_int_equal(memory_map_find(&map, MIB, 4096, 0, 1ull << 32, true), 63 * MIB);
	assert_int_equal(memory_map_find(&map, 64 * MIB, 4096, 0, 1ull << 32, true), 0);
	assert_int_equal(memory_map_find(&map, MIB, MIB, 63 * MIB + 1, 64 * MIB, false), 0);
}

/* --- kernel files, whose mistakes are reported on stderr */

#define KERNEL_SIZE (64 * 1024)
#define HEADER 0x1f1

static char folder[] = "/tmp/limpet-restart-XXXXXX";
static unsigned char kernel[KERNEL_SIZE];

static void kernel_begin(void)
{
	const struct setup_header header = { .setup_sects = 4,
					     .syssize = (KERNEL_SIZE - 5 * 512) / 16,
					     .boot_flag = 0xaa55,
					     .header = 0x53726448,
					     .version = 0x20f,
					     .loadflags = LOADED_HIGH };

	memset(kernel, 0, sizeof(kernel));
	memcpy(kernel + HEADER, &header, sizeof(header));
}

static void file_write(char *path, const char *name, const void *data, size_t size)
{
	FILE *file;

	sprintf(path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

/* Returns the MiB for the current kernel, cut to `size` bytes, and an initramfs of a MiB. */
static unsigned long room(size_t size)
{
	static unsigned char initrd[MIB];
	char kernel_path[64], initrd_path[64];
	const struct plan_source source = { .kernel = kernel_path, .initrd = initrd_path };
	unsigned long result;

	file_write(kernel_path, "kernel", kernel, size);
	file_write(initrd_path, "initrd", initrd, sizeof(initrd));
	result = plan_room(&source);
	unlink(kernel_path);
	unlink(initrd_path);
	return result;
}

static void test_kernel(void **state)
{
	const struct plan_source nowhere = { .kernel = "/nowhere/kernel", .initrd = "/nowhere" };
	struct setup_header *h = (void *)(kernel + HEADER);

	(void)state;
	assert_non_null(mkdtemp(folder));
	kernel_begin();
	assert_int_equal(room(KERNEL_SIZE), 2); /* 4 pages, 62 KiB, a MiB */
	assert_int_equal(room(KERNEL_SIZE - 512), 0);
	assert_int_equal(room(1024), 0);
	h->version = 0x20b;
	assert_int_equal(room(KERNEL_SIZE), 0);
	kernel_begin();
	h->header = 0;
	assert_int_equal(room(KERNEL_SIZE), 0);
	kernel_begin();
	h->setup_sects = 255; /* more sectors than the file has */
	assert_int_equal(room(KERNEL_SIZE), 0);
	rmdir(folder);
	assert_int_equal(plan_room(&nowhere), 0);
}

/* --- a saved log, with a layout as Linux has it on 64 bits */

static const char info[] =
	"OSRELEASE=6.1\nSYMBOL(prb)=ffffffff82000000\nSIZE(printk_ringbuffer)=80\n"
	"OFFSET(printk_ringbuffer.desc_ring)=0\nOFFSET(printk_ringbuffer.text_data_ring)=48\n"
	"OFFSET(prb_desc_ring.count_bits)=0\nOFFSET(prb_desc_ring.descs)=8\n"
	"OFFSET(prb_desc_ring.infos)=16\nOFFSET(prb_desc_ring.head_id)=24\n"
	"OFFSET(prb_desc_ring.tail_id)=32\nOFFSET(prb_data_ring.size_bits)=0\n"
	"OFFSET(prb_data_ring.data)=8\nSIZE(prb_desc)=24\nOFFSET(prb_desc.state_var)=0\n"
	"OFFSET(prb_desc.text_blk_lpos)=8\nOFFSET(prb_data_blk_lpos.begin)=0\n"
	"OFFSET(prb_data_blk_lpos.next)=8\nSIZE(printk_info)=88\nOFFSET(printk_info.ts_nsec)=8\n"
	"OFFSET(printk_info.text_len)=16\n";

struct ring {
	uint64_t head[10]; /* struct printk_ringbuffer */
	uint64_t descriptor[COUNT][3];
	uint64_t info[COUNT][11];
	unsigned char text[TEXT];
};

static void put(struct ring *ring, uint64_t id, uint64_t begin, uint64_t next, const char *text)
{
	uint64_t *descriptor = ring->descriptor[id % COUNT], at = begin;

	descriptor[0] = 2ull << 62 | id;
	descriptor[1] = begin;
	descriptor[2] = next;
	if (begin / TEXT != (next - 1) / TEXT)
		at = 0;
	memcpy(&ring->text[at % TEXT], &id, sizeof(id));
	memcpy(&ring->text[at % TEXT + sizeof(id)], text, strlen(text));
	ring->info[id % COUNT][1] = id * 1000000;
	ring->info[id % COUNT][2] = strlen(text);
	ring->head[3] = id;
}

static struct printk_saved saved_of(const struct ring *ring)
{
	return (struct printk_saved){ .part = { { (const void *)info, sizeof(info) - 1 },
						{ (const void *)ring->head, sizeof(ring->head) },
						{ (const void *)ring->descriptor,
						  sizeof(ring->descriptor) },
						{ (const void *)ring->info, sizeof(ring->info) },
						{ ring->text, sizeof(ring->text) } } };
}

static void collect(void *to, unsigned long us, const char *text, size_t length)
{
	char *out = to;

	sprintf(out + strlen(out), "%lu %.*s|", us, (int)length, text);
}

static void ring_begin(struct ring *ring)
{
	*ring = (struct ring){ 0 };
	ring->head[0] = 2; /* bits of COUNT */
	ring->head[6] = 6; /* of TEXT */
}

static void test_log(void **state)
{
	struct printk_saved saved;
	struct ring ring;
	char out[256] = "";

	(void)state;
	ring_begin(&ring);
	ring.head[4] = 5; /* the oldest */
	put(&ring, 5, 0, 16, "five");
	put(&ring, 6, 16, 32, "six");
	put(&ring, 7, 32, 48, "seven");
	put(&ring, 8, 48, 64 + 16, "eight"); /* would cross the end */
	saved = saved_of(&ring);
	assert_int_equal(printk_read(&saved, collect, out), 4);
	assert_string_equal(out, "6000 six|7000 seven|8000 eight|"); /* five was overwritten */
}

static void test_log_damaged(void **state)
{
	struct printk_saved saved;
	struct ring ring;
	char out[256] = "";

	(void)state;
	ring_begin(&ring);
	saved = saved_of(&ring);
	saved.part[PRINTK_VMCOREINFO].size = 100;
	assert_int_equal(printk_read(&saved, collect, out), -1);
	saved = saved_of(&ring);
	ring.head[0] = 60;
	assert_int_equal(printk_read(&saved, collect, out), -1);
	ring.head[0] = 2;
	ring.head[4] = 100; /* the oldest is after the newest */
	assert_int_equal(printk_read(&saved, collect, out), -1);
}

static void nothing(void *to, unsigned long us, const char *text, size_t length)
{
	(void)us;
	for (size_t i = 0; i < length; i++) /* the sanitizer detects an access out of bounds */
		*(volatile unsigned char *)to = (unsigned char)text[i];
}

static void test_log_fuzzed(void **state)
{
	struct printk_saved saved;
	struct ring *ring = malloc(sizeof(*ring));
	unsigned char sink;

	(void)state;
	assert_non_null(ring);
	srand(1);
	for (unsigned int round = 0; round < 100000; round++) {
		ring_begin(ring);
		put(ring, 1, 0, 16, "one");
		put(ring, 2, 16, 32, "two");
		for (unsigned int i = 0; i < 4; i++)
			((unsigned char *)ring)[(unsigned int)rand() % sizeof(*ring)] =
				(unsigned char)rand();
		saved = saved_of(ring);
		printk_read(&saved, nothing, &sink);
	}
	free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reserve_inside),	 cmocka_unit_test(test_reserve_across),
		cmocka_unit_test(test_reserve_too_many), cmocka_unit_test(test_find),
		cmocka_unit_test(test_kernel),		 cmocka_unit_test(test_log),
		cmocka_unit_test(test_log_damaged),	 cmocka_unit_test(test_log_fuzzed),
	};

	return cmocka_run_group_tests_name("restart", tests, NULL, NULL);
}
