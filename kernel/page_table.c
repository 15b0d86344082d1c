// SPDX-License-Identifier: GPL-2.0
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/page_table.h>

#define RIGHTS_MAP ((word)(LIMPET_READ | LIMPET_WRITE | LIMPET_EXEC))

static int space_take(struct cpu *cpu)
{
	for (unsigned int i = 0; i < countof(cpu->spaces); i++) {
		if (~cpu->spaces[i]) {
			unsigned int bit = __builtin_ctzl(~cpu->spaces[i]);

			cpu->spaces[i] |= 1ul << bit;
			return i * 64 + bit;
		}
	}
	return -1;
}

void page_table_extend(struct cpu *cpu, struct page_table *pt, word first, word count)
{
	for (word i = first; i < first + count; i++)
		hal_page_table_add(&pt->hal, frame_memory(cpu->pool, i));
}

struct object *page_table_create(struct cpu *cpu, void *memory)
{
	struct page_table *pt = memory;
	int space = space_take(cpu);

	if (space < 0)
		return NULL;
	__builtin_memset(pt, 0, sizeof(*pt));
	pt->object.type = LIMPET_PAGE_TABLE;
	pt->hal.space = space;
	return &pt->object;
}

/*
 * A call unmaps the pages of at most one lowest-level table, because this takes its whole budget.
 */
enum destroyed page_table_destroy(struct cpu *cpu, struct page_table *pt)
{
	bool mapped;
	void **page = hal_page_table_strip(&pt->hal, &mapped);

	if (!page) {
		cpu->spaces[pt->hal.space / 64] &= ~(1ul << pt->hal.space % 64);
		return OBJECT_GONE;
	}
	for (unsigned int i = 0; mapped && i < HAL_STRIP; i++)
		if (page[i])
			frame_unmap(cpu->pool, frame_of(cpu->pool, page[i]));
	if (mapped)
		cpu->budget = 0;
	frames_release(cpu->pool, frame_of(cpu->pool, page), 1);
	return OBJECT_PARTLY;
}

static bool range_valid(word address, word count)
{
	return count && count <= LIMPET_MAP_MAX && address >= LIMPET_USER_BEGIN &&
	       address < LIMPET_USER_END && count * LIMPET_PAGE <= LIMPET_USER_END - address;
}

static struct page_table *page_table_get(struct cpu *cpu, word slot, word address, word count,
					 long *error)
{
	struct capability *cap = capability_get(cpu, slot, LIMPET_PAGE_TABLE, LIMPET_MANAGE, error);

	if (!cap)
		return NULL;
	if (address % LIMPET_PAGE)
		*error = LIMPET_EALIGN;
	else if (!range_valid(address, count))
		*error = LIMPET_ERANGE;
	else
		return (struct page_table *)cap->object;
	return NULL;
}

static void unmap_range(struct cpu *cpu, struct page_table *pt, word address, word count)
{
	for (word i = 0; i < count; i++) {
		void *page = hal_page_table_unmap(&pt->hal, address + i * LIMPET_PAGE);

		if (page)
			frame_unmap(cpu->pool, frame_of(cpu->pool, page));
	}
}

/*
 * Returns the capability to frames or to a device's pages, with `rights`. Returns NULL and sets *error on failure.
 */
static struct capability *memory_get(struct cpu *cpu, word slot, unsigned int rights, long *error)
{
	struct capability *cap = capability_find(cpu, slot);
	bool device = cap && cap->type == LIMPET_DEVICE_MEMORY;

	return capability_get(cpu, slot, device ? LIMPET_DEVICE_MEMORY : LIMPET_FRAMES, rights,
			      error);
}

/*
 * Maps page `number` of the capability. Mappings of a device's pages are not counted, because the
 * pages are never freed.
 */
static long map_one(struct cpu *cpu, struct page_table *pt, word address,
		    const struct capability *memory, word number, unsigned int rights)
{
	word frame = memory->a + number;
	long error;

	if (memory->type == LIMPET_DEVICE_MEMORY)
		return hal_page_table_map_device(&pt->hal, address, frame, rights);
	if (!frame_map(cpu->pool, frame))
		return LIMPET_EBUSY;
	error = hal_page_table_map(&pt->hal, address, frame_memory(cpu->pool, frame), rights);
	if (error)
		frame_unmap(cpu->pool, frame);
	return error;
}

/*
 * PT_MAP(page table, frames, offset, address, count, rights): maps `count` (1 to LIMPET_MAP_MAX)
 * frames, or pages of a device, from number `offset` of the capability, at page-aligned `address`.
 * ERIGHTS: the capability lacks one of the rights, or `rights` contains both WRITE and EXEC.
 * ERANGE: outside the frames or user addresses. EBUSY: a frame is part of a kernel object. EFULL: a
 * page is mapped there. ENOMEM: the page table has no page for a lower level, see PT_EXTEND. A
 * failed call leaves no page mapped.
 */
long call_pt_map(struct cpu *cpu, struct hal_regs *regs)
{
	word offset = hal_regs_word(regs, 2), address = hal_regs_word(regs, 3);
	word count = hal_regs_word(regs, 4), rights = hal_regs_word(regs, 5);
	long error;
	struct page_table *pt = page_table_get(cpu, hal_regs_word(regs, 0), address, count, &error);
	struct capability *frames =
		pt ? memory_get(cpu, hal_regs_word(regs, 1), rights & RIGHTS_MAP, &error) : NULL;

	if (!frames)
		return error;
	if (!(rights & LIMPET_READ) || rights & ~RIGHTS_MAP)
		return LIMPET_ERANGE;
	if (rights & LIMPET_WRITE && rights & LIMPET_EXEC)
		return LIMPET_ERIGHTS;
	if (offset >= frames->b || count > frames->b - offset)
		return LIMPET_ERANGE;
	for (word i = 0; i < count; i++) {
		error = map_one(cpu, pt, address + i * LIMPET_PAGE, frames, offset + i, rights);
		if (error) {
			unmap_range(cpu, pt, address, i);
			return error;
		}
	}
	return LIMPET_OK;
}

/*
 * PT_UNMAP(page table, address, count): unmaps `count` (1 to LIMPET_MAP_MAX) pages. Pages without a
 * mapping are skipped.
 */
long call_pt_unmap(struct cpu *cpu, struct hal_regs *regs)
{
	word address = hal_regs_word(regs, 1), count = hal_regs_word(regs, 2);
	long error;
	struct page_table *pt = page_table_get(cpu, hal_regs_word(regs, 0), address, count, &error);

	if (!pt)
		return error;
	unmap_range(cpu, pt, address, count);
	return LIMPET_OK;
}

/*
 * PT_PROTECT(page table, address, count, rights): removes the rights that are not in `rights`. It
 * never adds rights. ERANGE: `rights` lacks READ, or has unknown bits. ENOENT: a page is not
 * mapped.
 */
long call_pt_protect(struct cpu *cpu, struct hal_regs *regs)
{
	word address = hal_regs_word(regs, 1), count = hal_regs_word(regs, 2);
	word rights = hal_regs_word(regs, 3);
	long error;
	struct page_table *pt = page_table_get(cpu, hal_regs_word(regs, 0), address, count, &error);

	if (!pt)
		return error;
	if (!(rights & LIMPET_READ) || rights & ~RIGHTS_MAP)
		return LIMPET_ERANGE;
	for (word i = 0; i < count; i++)
		if (!hal_page_table_protect(&pt->hal, address + i * LIMPET_PAGE, RIGHTS_MAP))
			return LIMPET_ENOENT;
	for (word i = 0; i < count; i++)
		hal_page_table_protect(&pt->hal, address + i * LIMPET_PAGE, rights);
	return LIMPET_OK;
}

/*
 * PT_EXTEND(page table, frames): adds all the frames (1 to 64) to the page table: a root, if it has
 * no root, and pages for its lower levels. They are freed with the page table. If Linux isolates
 * page tables, only each second frame can be a root, that is one of two adjacent frames. ERANGE:
 * more than 64 frames. EBUSY: a frame is in use.
 */
long call_pt_extend(struct cpu *cpu, struct hal_regs *regs)
{
	long error;
	struct capability *pt, *frames;

	pt = capability_get(cpu, hal_regs_word(regs, 0), LIMPET_PAGE_TABLE, LIMPET_MANAGE, &error);
	frames = capability_next(cpu, pt, hal_regs_word(regs, 1), LIMPET_FRAMES, LIMPET_MANAGE,
				 &error);
	if (!frames)
		return error;
	if (frames->b > 64)
		return LIMPET_ERANGE;
	if (!frames_take(cpu->pool, frames->a, frames->b))
		return LIMPET_EBUSY;
	page_table_extend(cpu, (struct page_table *)pt->object, frames->a, frames->b);
	return LIMPET_OK;
}

/*
 * PT_HOLD(page table, held): while `held` is 1, no code that the page table maps can be executed: a thread that
 * continues there gets a page fault, with the error code of an instruction fetch. All mappings and their rights stay.
 * 0: it can be executed again. ERANGE: held. ESTATE: the page table has no root.
 */
long call_pt_hold(struct cpu *cpu, struct hal_regs *regs)
{
	word held = hal_regs_word(regs, 1);
	long error;
	struct page_table *pt = capability_object(cpu, hal_regs_word(regs, 0), LIMPET_PAGE_TABLE,
						  LIMPET_MANAGE, &error);

	if (!pt)
		return error;
	if (held > 1)
		return LIMPET_ERANGE;
	return hal_page_table_hold(&pt->hal, held) ? LIMPET_OK : LIMPET_ESTATE;
}

/* Returns the memory that is mapped at a user address, or NULL. */
static void *memory_find(struct page_table *pt, word address)
{
	u8 *page = address < LIMPET_USER_END
			   ? hal_page_table_find(&pt->hal, address & ~(word)(LIMPET_PAGE - 1))
			   : NULL;

	return page ? page + address % LIMPET_PAGE : NULL;
}

/*
 * MEMORY_WRITE(page table, address, value, bytes): writes the lowest 1 to 8 bytes of `value` to memory that is mapped
 * at `address`, with any rights of the mapping. All bytes are in one aligned word. The capability has MANAGE and WRITE.
 * ERANGE: address or bytes. ENOENT: it is not memory, or it belongs to the tables of the image.
 */
long call_memory_write(struct cpu *cpu, struct hal_regs *regs)
{
	word address = hal_regs_word(regs, 1), bytes = hal_regs_word(regs, 3);
	long error;
	struct page_table *pt = capability_object(cpu, hal_regs_word(regs, 0), LIMPET_PAGE_TABLE,
						  LIMPET_MANAGE | LIMPET_WRITE, &error);
	void *memory;

	if (!pt)
		return error;
	if (address >= LIMPET_USER_END || !bytes || bytes > sizeof(word) - address % sizeof(word))
		return LIMPET_ERANGE;
	memory = memory_find(pt, address);
	if (!memory || cpu->pool->state[frame_of(cpu->pool, memory)] == FRAME_SEALED)
		return LIMPET_ENOENT;
	hal_memory_write(memory, hal_regs_word(regs, 2), bytes);
	return LIMPET_OK;
}

/*
 * MEMORY_READ(page table, address): returns three words of memory from `address` on, with 0 for a
 * word that is not mapped. EALIGN: the address is not a multiple of 8. ERANGE: it is not a user
 * address. ENOENT: the first word is not in mapped memory.
 */
long call_memory_read(struct cpu *cpu, struct hal_regs *regs)
{
	word address = hal_regs_word(regs, 1), value[3] = { 0 };
	long error;
	struct page_table *pt = capability_object(cpu, hal_regs_word(regs, 0), LIMPET_PAGE_TABLE,
						  LIMPET_MANAGE, &error);

	if (!pt)
		return error;
	if (address % sizeof(word))
		return LIMPET_EALIGN;
	if (address >= LIMPET_USER_END)
		return LIMPET_ERANGE;
	for (unsigned int i = 0; i < countof(value); i++, address += sizeof(word)) {
		const word *memory = memory_find(pt, address);

		if (memory)
			value[i] = hal_memory_read(memory);
		else if (!i)
			return LIMPET_ENOENT;
	}
	hal_regs_result(regs, LIMPET_OK, value[0], value[1], value[2]);
	return CALL_DONE;
}
