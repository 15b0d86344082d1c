// SPDX-License-Identifier: BSD-2-Clause
//! The allocator of the crate `alloc`, over the component's heap (`heap` in component.toml).
//!
//! A block has a power of two of bytes, 16 or more. Each size has a list of free blocks. New blocks come from the unused end
//! of the heap. Blocks are never split or merged, so each operation takes a short time that does not depend on the heap's
//! state, and an allocation can fail although free blocks of other sizes exist.
//!
//! The threads of a component run on one CPU and preempt each other. The lists have no lock: a thread that was preempted in
//! the middle of an operation repeats it. Each change of a list adds 1 to its tag, so that a list that has the same first
//! block again differs from its earlier state.
use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

extern "C" {
    fn limpet_rust_heap(size: &mut u64) -> u64;
}

const SMALLEST: u32 = 4; // log2 of 16 bytes
const CLASSES: usize = 29 - SMALLEST as usize; // up to 2^28 bytes, the largest heap
const PLACE: u64 = (1 << 25) - 1; // bits of a list's word: 1 + block in units of 16 bytes; 0: the list is empty

struct Heap {
    used: AtomicUsize,
    free: [AtomicU64; CLASSES],
}

#[allow(clippy::declare_interior_mutable_const)]
const EMPTY: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static HEAP: Heap = Heap { used: AtomicUsize::new(0), free: [EMPTY; CLASSES] };

fn area() -> (usize, usize) {
    let mut size = 0;
    let start = unsafe { limpet_rust_heap(&mut size) };
    (start as usize, size as usize)
}

/// Returns the class of blocks for a layout, or None if it is larger than any heap.
fn class_of(layout: Layout) -> Option<usize> {
    let bytes = layout.size().max(layout.align()).checked_next_power_of_two()?;
    let class = bytes.trailing_zeros().saturating_sub(SMALLEST) as usize;
    (class < CLASSES).then(|| class)
}

impl Heap {
    /// Returns the word in a free block that contains the list's next block.
    unsafe fn next(&self, start: usize, place: u64) -> &AtomicU32 {
        &*((start + ((place as usize - 1) << SMALLEST)) as *const AtomicU32)
    }

    fn pop(&self, start: usize, class: usize) -> *mut u8 {
        let mut head = self.free[class].load(Relaxed);
        while head & PLACE != 0 {
            // Another thread may have taken the block. The word is then its data, and the exchange fails.
            let next = unsafe { self.next(start, head & PLACE) }.load(Relaxed) as u64 & PLACE;
            let new = (head & !PLACE).wrapping_add(PLACE + 1) | next;
            match self.free[class].compare_exchange(head, new, Relaxed, Relaxed) {
                Ok(_) => return (start + (((head & PLACE) as usize - 1) << SMALLEST)) as *mut u8,
                Err(now) => head = now,
            }
        }
        core::ptr::null_mut()
    }

    fn push(&self, start: usize, class: usize, block: *mut u8) {
        let place = ((block as usize - start) >> SMALLEST) as u64 + 1;
        let mut head = self.free[class].load(Relaxed);
        loop {
            unsafe { self.next(start, place) }.store((head & PLACE) as u32, Relaxed);
            let new = (head & !PLACE).wrapping_add(PLACE + 1) | place;
            match self.free[class].compare_exchange(head, new, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// Takes a new block from the unused end of the heap, aligned to its own size.
    fn fresh(&self, start: usize, size: usize, class: usize) -> *mut u8 {
        let bytes = 1 << (class as u32 + SMALLEST);
        let mut used = self.used.load(Relaxed);
        loop {
            let at = (start + used + bytes - 1) & !(bytes - 1);
            if at - start > size || bytes > size - (at - start) {
                return core::ptr::null_mut();
            }
            match self.used.compare_exchange(used, at - start + bytes, Relaxed, Relaxed) {
                Ok(_) => return at as *mut u8,
                Err(now) => used = now,
            }
        }
    }
}

unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (start, size) = area();
        let class = match class_of(layout) {
            Some(class) => class,
            None => return core::ptr::null_mut(),
        };
        let block = self.pop(start, class);
        if block.is_null() {
            self.fresh(start, size, class)
        } else {
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(class) = class_of(layout) {
            self.push(area().0, class, block);
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let wanted = Layout::from_size_align_unchecked(size, layout.align());
        if class_of(wanted) == class_of(layout) {
            return block;
        }
        let new = self.alloc(wanted);
        if !new.is_null() {
            core::ptr::copy_nonoverlapping(block, new, layout.size().min(size));
            self.dealloc(block, layout);
        }
        new
    }
}

#[alloc_error_handler]
fn failed(layout: Layout) -> ! {
    let (_, size) = area();
    panic!(
        "an allocation of {} bytes failed: the heap has {} bytes, {} of them unused: write a larger heap in component.toml",
        layout.size(),
        size,
        size - HEAP.used.load(Relaxed).min(size)
    )
}
