// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/restart/printk.h>
#include <cli/common/text.h>

#define INFO_MAX 16384
#define PROGRAM_HEADERS 256
/* Bits of a descriptor's state: the number of the message, and its progress. */
#define STATE_SHIFT 62
#define STATE_COMMITTED 1
#define STATE_FINAL 2
#define TEXT_NONE 1u /* value of a position without text */

/* --- vmcoreinfo: lines NAME=VALUE */

/* The text is in an ELF note, with zeros before and after it. */
static void info_lines(char *info, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!info[i])
			info[i] = '\n';
	info[size] = 0;
}

/* Reads the value of the line `name`, a number to `base`. Returns false if the line is missing. */
static bool info_number(const char *info, int base, uint64_t *value, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = info; (at = strstr(at, name)); at += length) {
		if ((at == info || at[-1] == '\n') && at[length] == '=') {
			*value = strtoull(at + length + 1, NULL, base);
			return true;
		}
	}
	return false;
}

/* Offsets and sizes of the ring. All of them must be present. */
struct layout {
	uint64_t descriptors, text; /* offsets of the two rings in struct printk_ringbuffer */
	uint64_t size, bits, first, infos, head, tail; /* the ring of descriptors */
	uint64_t text_bits, text_data;
	uint64_t descriptor, state, position, begin, next;
	uint64_t info, time, length;
};

static bool layout_read(const char *info, struct layout *layout)
{
	const struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {
		{ "SIZE(printk_ringbuffer)", &layout->size },
		{ "OFFSET(printk_ringbuffer.desc_ring)", &layout->descriptors },
		{ "OFFSET(printk_ringbuffer.text_data_ring)", &layout->text },
		{ "OFFSET(prb_desc_ring.count_bits)", &layout->bits },
		{ "OFFSET(prb_desc_ring.descs)", &layout->first },
		{ "OFFSET(prb_desc_ring.infos)", &layout->infos },
		{ "OFFSET(prb_desc_ring.head_id)", &layout->head },
		{ "OFFSET(prb_desc_ring.tail_id)", &layout->tail },
		{ "OFFSET(prb_data_ring.size_bits)", &layout->text_bits },
		{ "OFFSET(prb_data_ring.data)", &layout->text_data },
		{ "SIZE(prb_desc)", &layout->descriptor },
		{ "OFFSET(prb_desc.state_var)", &layout->state },
		{ "OFFSET(prb_desc.text_blk_lpos)", &layout->position },
		{ "OFFSET(prb_data_blk_lpos.begin)", &layout->begin },
		{ "OFFSET(prb_data_blk_lpos.next)", &layout->next },
		{ "SIZE(printk_info)", &layout->info },
		{ "OFFSET(printk_info.ts_nsec)", &layout->time },
		{ "OFFSET(printk_info.text_len)", &layout->length },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!info_number(info, 10, numbers[i].value, numbers[i].name))
			return false;
	return true;
}

/* --- /proc/kcore: the running kernel's memory as an ELF file */

struct kcore {
	int fd;
	unsigned int count;
	Elf64_Phdr header[PROGRAM_HEADERS];
};

static bool kcore_open(struct kcore *core)
{
	Elf64_Ehdr head;
	size_t size;

	core->fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (core->fd < 0)
		return false;
	if (pread(core->fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	    head.e_phnum <= PROGRAM_HEADERS && head.e_phentsize == sizeof(*core->header)) {
		size = head.e_phnum * sizeof(*core->header);
		core->count = head.e_phnum;
		if (pread(core->fd, core->header, size, (off_t)head.e_phoff) == (ssize_t)size)
			return true;
	}
	close(core->fd);
	return false;
}

/* Returns the part of memory with a physical or virtual address, or NULL. */
static const Elf64_Phdr *kcore_part(const struct kcore *core, bool physical, uint64_t address)
{
	for (unsigned int i = 0; i < core->count; i++) {
		const Elf64_Phdr *part = &core->header[i];
		uint64_t start = physical ? part->p_paddr : part->p_vaddr;

		/* A physical address of ~0 means that it is unknown, as for modules' memory. */
		if (part->p_type == PT_LOAD && part->p_paddr != ~0ul && address >= start &&
		    address - start < part->p_memsz)
			return part;
	}
	return NULL;
}

static bool kcore_read(const struct kcore *core, bool physical, uint64_t address, void *to,
		       size_t size)
{
	const Elf64_Phdr *part = kcore_part(core, physical, address);
	uint64_t at;

	if (!part)
		return false;
	at = address - (physical ? part->p_paddr : part->p_vaddr);
	return pread(core->fd, to, size, (off_t)(part->p_offset + at)) == (ssize_t)size;
}

static bool part_set(const struct kcore *core, struct limpet_ioc_save *save, enum printk_part n,
		     uint64_t address, uint64_t size)
{
	const Elf64_Phdr *part = kcore_part(core, false, address);

	if (!part)
		return false;
	save->part[n].physical = address - part->p_vaddr + part->p_paddr;
	save->part[n].size = size;
	return true;
}

static bool info_find(const struct kcore *core, struct limpet_ioc_save *save, char *info)
{
	char words[64];
	unsigned long physical, size;

	if (!text_read("", "/sys/kernel/vmcoreinfo", words, sizeof(words)) ||
	    sscanf(words, "%lx %lx", &physical, &size) != 2)
		return false;
	if (size >= INFO_MAX)
		size = INFO_MAX - 1;
	if (!kcore_read(core, true, physical, info, size))
		return false;
	info_lines(info, size);
	save->part[PRINTK_VMCOREINFO].physical = physical;
	save->part[PRINTK_VMCOREINFO].size = size;
	return true;
}

static bool rings_find(const struct kcore *core, struct limpet_ioc_save *save, const char *info)
{
	struct layout layout;
	uint64_t prb, descriptors, infos, text;
	uint32_t bits, text_bits;

	if (!layout_read(info, &layout) || !info_number(info, 16, &prb, "SYMBOL(prb)") ||
	    !kcore_read(core, false, prb, &prb, sizeof(prb)))
		return false;
	if (!kcore_read(core, false, prb + layout.descriptors + layout.bits, &bits, sizeof(bits)) ||
	    !kcore_read(core, false, prb + layout.descriptors + layout.first, &descriptors, 8) ||
	    !kcore_read(core, false, prb + layout.descriptors + layout.infos, &infos, 8) ||
	    !kcore_read(core, false, prb + layout.text + layout.text_bits, &text_bits,
			sizeof(text_bits)) ||
	    !kcore_read(core, false, prb + layout.text + layout.text_data, &text, 8) || bits > 20 ||
	    text_bits > 25)
		return false;
	return part_set(core, save, PRINTK_RINGBUFFER, prb, layout.size) &&
	       part_set(core, save, PRINTK_DESCRIPTORS, descriptors, layout.descriptor << bits) &&
	       part_set(core, save, PRINTK_INFOS, infos, layout.info << bits) &&
	       part_set(core, save, PRINTK_TEXT, text, 1ul << text_bits);
}

bool printk_find(struct limpet_ioc_save *save)
{
	static struct kcore core;
	static char info[INFO_MAX];
	bool found;

	if (!kcore_open(&core))
		return false;
	*save = (struct limpet_ioc_save){ .count = PRINTK_PARTS };
	found = info_find(&core, save, info) && rings_find(&core, save, info);
	close(core.fd);
	return found;
}

/* --- a saved log, whose contents are not trusted */

static uint64_t number_at(const struct printk_saved *saved, enum printk_part part, uint64_t at,
			  size_t size)
{
	uint64_t value = 0;

	if (at <= saved->part[part].size && size <= saved->part[part].size - at)
		memcpy(&value, saved->part[part].data + at, size);
	return value;
}

struct reading {
	const struct printk_saved *saved;
	struct layout l;
	uint64_t count, text_size; /* powers of two */
	void (*line)(void *to, unsigned long us, const char *text, size_t length);
	void *to;
};

/*
 * Passes on a message if it is complete. Its text follows its number. A block that would cross the
 * end of the text ring starts at the beginning instead.
 */
static void message(const struct reading *reading, uint64_t id)
{
	uint64_t index = id & (reading->count - 1), at = index * reading->l.descriptor, length,
		 begin, next;
	uint64_t state = number_at(reading->saved, PRINTK_DESCRIPTORS, at + reading->l.state, 8);

	if ((state >> STATE_SHIFT != STATE_COMMITTED && state >> STATE_SHIFT != STATE_FINAL) ||
	    ((state ^ id) << 2))
		return;
	begin = number_at(reading->saved, PRINTK_DESCRIPTORS,
			  at + reading->l.position + reading->l.begin, 8);
	next = number_at(reading->saved, PRINTK_DESCRIPTORS,
			 at + reading->l.position + reading->l.next, 8);
	length = number_at(reading->saved, PRINTK_INFOS,
			   index * reading->l.info + reading->l.length, 2);
	if (begin & TEXT_NONE)
		return;
	if (begin / reading->text_size != (next - 1) / reading->text_size)
		begin = 0;
	begin &= reading->text_size - 1;
	if (number_at(reading->saved, PRINTK_TEXT, begin, sizeof(id)) != id)
		return; /* overwritten by a later message */
	begin += sizeof(id);
	if (begin > reading->text_size || length > reading->text_size - begin)
		return;
	reading->line(reading->to,
		      (unsigned long)number_at(reading->saved, PRINTK_INFOS,
					       index * reading->l.info + reading->l.time, 8) /
			      1000,
		      (const char *)reading->saved->part[PRINTK_TEXT].data + begin, length);
}

long printk_read(const struct printk_saved *saved,
		 void (*line)(void *to, unsigned long us, const char *text, size_t length),
		 void *to)
{
	static char info[INFO_MAX];
	struct reading reading = { .saved = saved, .line = line, .to = to };
	uint64_t head, tail, bits, text_bits;
	size_t size = saved->part[PRINTK_VMCOREINFO].size;

	size = size < sizeof(info) ? size : sizeof(info) - 1;
	memcpy(info, saved->part[PRINTK_VMCOREINFO].data, size);
	info_lines(info, size);
	if (!layout_read(info, &reading.l))
		return -1;
	bits = number_at(saved, PRINTK_RINGBUFFER, reading.l.descriptors + reading.l.bits, 4);
	text_bits = number_at(saved, PRINTK_RINGBUFFER, reading.l.text + reading.l.text_bits, 4);
	head = number_at(saved, PRINTK_RINGBUFFER, reading.l.descriptors + reading.l.head, 8);
	tail = number_at(saved, PRINTK_RINGBUFFER, reading.l.descriptors + reading.l.tail, 8);
	if (bits > 20 || text_bits > 25 ||
	    reading.l.descriptor << bits > saved->part[PRINTK_DESCRIPTORS].size ||
	    reading.l.info << bits > saved->part[PRINTK_INFOS].size ||
	    1ul << text_bits > saved->part[PRINTK_TEXT].size || head - tail >= 1ul << bits)
		return -1;
	reading.count = 1ul << bits;
	reading.text_size = 1ul << text_bits;
	for (uint64_t id = tail; id != head + 1; id++)
		message(&reading, id);
	return (long)(head + 1 - tail);
}
