// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges of a guest's memory whose pages the executive supplies. A range is a mapping of a file of the system, which no
 * process can open or map. Linux calls guest_fault() for a page that is not there.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <asm/io.h>

#include <host/linux/guest/guest.h>
#include <kernel/page_table.h>

/*
 * Files like this share one list of mappings with those of other systems and of other parts of Linux. Offsets from
 * SYSTEM_PAGES on are in no other part's mapping. Each id of a system has its own, and each executive of a CPU: page n
 * from first_page() on is the page at address n * 4096 of a guest, in a range of the CPU's first executive; then come
 * those of the second one.
 */
#define SYSTEM_PAGES (1ul << 40)
#define PAGES (1ul << 35)
_Static_assert(LIMPET_USER_END <= PAGES << PAGE_SHIFT, "each address has an offset");
_Static_assert(LIMPET_EXECUTIVES_MAX *PAGES <= SYSTEM_PAGES, "each executive has offsets");

static unsigned long first_page(const struct system *system)
{
	return (1 + system->id) * SYSTEM_PAGES;
}

/*
 * Returns how many bytes the executive has from an address on that nothing takes from it, in a segment or its heap; for
 * writing, if the guest can write to them.
 */
static word lasting_bytes(const struct host_guest *guest, word address, bool write)
{
	const struct limpet_image *image = guest->system->image;
	const struct limpet_image_component *record =
		&guest->core.cpu->record[guest->core.executive->component->index];
	const struct limpet_image_segment *segments = (const void *)image + image->segments_at,
					  *segment = segments + record->segment;

	for (const struct limpet_image_segment *end = segment + record->segments; segment < end;
	     segment++)
		if (address - segment->address < segment->size)
			return write && !(segment->rights & LIMPET_WRITE)
				       ? 0
				       : segment->address + segment->size - address;
	return address - record->heap < record->heap_size
		       ? record->heap + record->heap_size - address
		       : 0;
}

/* Returns the offset of a guest's address in the file, in ranges of the executive whose event this is. */
static loff_t range_offset(const struct host_guest *guest, word address)
{
	const word slot = (word)(guest->core.executive - guest->core.cpu->executive);

	return (loff_t)(((first_page(guest->system) + slot * PAGES) << PAGE_SHIFT) + address);
}

/* Pages to map. */
struct pages {
	unsigned int count, next;
	pgprot_t protection;
	unsigned long pfn[LIMPET_GUEST_PAGES_MAX];
};

/*
 * Finds the pages of the executive's answer, up to the first page that the executive has not mapped. Marks their frames
 * with frame_lend().
 */
static void pages_find(struct host_guest *guest, struct pages *pages, unsigned int count,
		       bool write)
{
	const struct component *comp;
	word own = guest->core.value & PAGE_MASK;
	word last;

	guest_go_home(guest);
	comp = guest->core.executive->component;
	last = comp ? min_t(word, count, lasting_bytes(guest, own, write) >> PAGE_SHIFT) : 0;
	for (; pages->count < last; own += PAGE_SIZE) {
		void *page = hal_page_table_find(&comp->page_table->hal, own);

		if (!page)
			break;
		frame_lend(guest->core.cpu->pool, frame_of(guest->core.cpu->pool, page));
		pages->pfn[pages->count++] = PHYS_PFN(virt_to_phys(page));
	}
	local_irq_enable();
}

/* Called with the lock of the lowest page table. */
static int page_insert(pte_t *pte, unsigned long address, void *data)
{
	struct pages *pages = data;
	const unsigned long pfn = pages->pfn[pages->next++];

	if (pte_none(*pte))
		set_pte(pte, pte_mkyoung(pte_mkspecial(pfn_pte(pfn, pages->protection))));
	return 0;
}

/*
 * Maps pages below an entry of the second-lowest level, and returns the number of bytes. Linux's lock of the mapping is
 * held, and this mapping has no large pages, so the lowest page table stays.
 */
static unsigned long pages_insert_below(struct vm_fault *vmf, struct pages *pages)
{
	const unsigned long at = vmf->address & PAGE_MASK;
	const unsigned long left = (PMD_SIZE - (at & ~PMD_MASK)) >> PAGE_SHIFT;
	const unsigned int count = min_t(unsigned long, pages->count, left);
	spinlock_t *lock;
	pte_t *pte;

	if (!vmf->pmd || pmd_none(*vmf->pmd) || pmd_bad(*vmf->pmd))
		return 0;
	lock = pte_lockptr(vmf->vma->vm_mm, vmf->pmd);
	pte = pte_offset_kernel(vmf->pmd, at);
	spin_lock(lock);
	for (unsigned int i = 0; i < count; i++)
		page_insert(pte + i, at + i * PAGE_SIZE, pages);
	spin_unlock(lock);
	return count * PAGE_SIZE;
}

/* Maps the pages that the executive has answered with, as far as there are some. */
static vm_fault_t pages_insert(struct host_guest *guest, struct vm_fault *vmf)
{
	const unsigned long at = vmf->address & PAGE_MASK,
			    left = (vmf->vma->vm_end - at) >> PAGE_SHIFT;
	struct pages pages;
	unsigned long done;

	pages.count = pages.next = 0;
	pages.protection = vmf->vma->vm_page_prot;
	pages_find(guest, &pages,
		   min(left, clamp_t(word, guest->core.operation >> 8, 1, LIMPET_GUEST_PAGES_MAX)),
		   vmf->vma->vm_flags & VM_WRITE);
	if (!pages.count)
		return VM_FAULT_SIGBUS;
	done = pages_insert_below(vmf, &pages);
	if (done < pages.count * PAGE_SIZE &&
	    apply_to_page_range(vmf->vma->vm_mm, at + done, pages.count * PAGE_SIZE - done,
				page_insert, &pages))
		return VM_FAULT_OOM;
	return VM_FAULT_NOPAGE;
}

/* Reports FAULT to the executive of this level. */
static vm_fault_t fault_report(struct host_guest *guest, struct vm_fault *vmf)
{
	const word words[6] = { (vmf->pgoff % PAGES) << PAGE_SHIFT,
				!!(vmf->flags & FAULT_FLAG_WRITE) };
	vm_fault_t result = VM_FAULT_SIGBUS;
	enum guest_outcome outcome;

	guest->faulting = true;
	outcome = guest_talk(guest, LIMPET_GUEST_FAULT, words);
	guest->faulting = false;
	if ((outcome == OUTCOME_AGAIN || outcome == OUTCOME_UNASKED) &&
	    vmf->flags & FAULT_FLAG_USER)
		return VM_FAULT_NOPAGE; /* the signal first, then the access again */
	if (outcome != OUTCOME_ANSWERED || (guest->core.operation & 0xff) != LIMPET_GUEST_SERVE)
		return VM_FAULT_SIGBUS;
	if (guest_talk_begin(guest))
		result = pages_insert(guest, vmf);
	guest_talk_end(guest);
	return result;
}

/* Gets the page from the executive that has made the range. */
static vm_fault_t guest_fault(struct vm_fault *vmf)
{
	const word slot = vmf->pgoff % SYSTEM_PAGES / PAGES;
	struct host_guest *guest = guest_current();
	vm_fault_t result;
	int level;

	/* A tracer, or a copy that Linux makes for the executive itself. */
	if (!guest || !guest->member || guest->talking ||
	    vmf->vma->vm_file->private_data != guest->system)
		return VM_FAULT_SIGBUS;
	level = guest_level_of(&guest->core, &guest->core.cpu->executive[slot]);
	if (level < 0)
		return VM_FAULT_SIGBUS; /* of another guest's executive, or of one that has released this guest */
	guest_level_set(&guest->core, (unsigned int)level);
	result = fault_report(guest, vmf);
	guest_level_set(&guest->core, 0);
	return result;
}

/* Linux tries this first. Without it, Linux takes another lock for each fault, and looks the mapping up again. */
static vm_fault_t guest_map_none(struct vm_fault *vmf, pgoff_t first, pgoff_t last)
{
	return 0;
}

static int guest_refuse_split(struct vm_area_struct *vma, unsigned long address)
{
	return -EINVAL;
}

static int guest_refuse_move(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static const struct vm_operations_struct range_operations = {
	.fault = guest_fault,
	.map_pages = guest_map_none,
	.may_split = guest_refuse_split,
	.mremap = guest_refuse_move,
};

/*
 * Refuses all callers except guest_map(). remap_file_pages() also calls this, with an offset of its caller's choice.
 * Pages at such an offset would stay mapped after the end of the system.
 */
static int guest_mmap(struct file *file, struct vm_area_struct *vma)
{
	const struct host_guest *guest = guest_current();

	if (!guest || !guest->mapping)
		return -EPERM;
	vma_flags_add(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	if (!(vma->vm_flags & VM_WRITE))
		vma_flags_remove(vma, VM_MAYWRITE);
	vma_flags_remove(vma, VM_MAYEXEC);
	vma->vm_ops = &range_operations;
	return 0;
}

static int range_release(struct inode *inode, struct file *file)
{
	system_put(file->private_data);
	return 0;
}

static const struct file_operations range_file = {
	.owner = THIS_MODULE,
	.release = range_release,
	.mmap = guest_mmap,
};

/* Returns the system's file, or an ERR_PTR. The file has a reference to the system, because ranges outlive it. */
static struct file *file_get(struct system *system)
{
	struct file *file = READ_ONCE(system->guest_file), *before;

	if (file)
		return file;
	file = anon_inode_getfile("[limpet-guest]", &range_file, system, O_RDWR);
	if (IS_ERR(file))
		return file;
	kref_get(&system->refs);
	before = cmpxchg(&system->guest_file, NULL, file);
	if (before)
		fput(file);
	return before ?: file;
}

static bool is_range(word address, word bytes)
{
	return !offset_in_page(address) && !offset_in_page(bytes) && bytes &&
	       address >= LIMPET_USER_BEGIN && address < LIMPET_USER_END &&
	       bytes <= LIMPET_USER_END - address;
}

/*
 * GUEST_MAP(guest's address, bytes, writable). ERANGE: not whole pages, outside user addresses, or
 * writable is neither 0 nor 1. EFULL: something is mapped there. ENOMEM: Linux refuses it. ESTATE:
 * the event is FAULT.
 */
long guest_map(struct host_guest *guest, word address, word bytes, word writable)
{
	const unsigned long protection = PROT_READ | (writable ? PROT_WRITE : 0);
	const unsigned long offset = (unsigned long)range_offset(guest, address);
	struct file *file;
	unsigned long got;

	if (!is_range(address, bytes) || writable > 1)
		return LIMPET_ERANGE;
	if (guest->faulting)
		return LIMPET_ESTATE;
	file = file_get(guest->system);
	if (IS_ERR(file))
		return LIMPET_ENOMEM;
	get_file(file);
	guest_block_begin(guest);
	guest->mapping = true;
	got = vm_mmap(file, address, bytes, protection, MAP_SHARED | MAP_FIXED_NOREPLACE, offset);
	guest->mapping = false;
	guest_block_end(guest);
	fput(file);
	if (got == address)
		return LIMPET_OK;
	return (long)got == -EEXIST ? LIMPET_EFULL : LIMPET_ENOMEM;
}

/*
 * GUEST_REVOKE(guest's address, bytes): removes those pages of ranges of this executive from all
 * guests, whose next access is an event. ERANGE: as above. ENOENT: no guest has a range there.
 * ESTATE: the event is FAULT.
 */
long guest_revoke(struct host_guest *guest, word address, word bytes)
{
	struct file *file = READ_ONCE(guest->system->guest_file);

	if (!is_range(address, bytes))
		return LIMPET_ERANGE;
	if (guest->faulting)
		return LIMPET_ESTATE;
	if (!file)
		return LIMPET_ENOENT;
	unmap_mapping_range(file->f_mapping, range_offset(guest, address), (loff_t)bytes, 1);
	return LIMPET_OK;
}

void guest_maps_end(struct system *system)
{
	if (!system->guest_file)
		return;
	unmap_mapping_range(system->guest_file->f_mapping, first_page(system) << PAGE_SHIFT,
			    (loff_t)LIMPET_EXECUTIVES_MAX * PAGES << PAGE_SHIFT, 1);
	fput(system->guest_file);
	system->guest_file = NULL;
}
