// SPDX-License-Identifier: BSD-2-Clause
//! Threads of the component. All but [`id`] need the import sched, and further threads the key `threads` in component.toml.
extern crate alloc;

use alloc::boxed::Box;

use crate::time::Time;
use crate::{Error, Result};

extern "C" {
    fn limpet_rust_thread_id() -> u32;
    fn limpet_rust_yield() -> i64;
    fn limpet_rust_create(entry: u64, argument: u64, priority: u64) -> i64;
    fn limpet_rust_join(thread: u64, deadline: u64, value: &mut u64) -> i64;
    fn limpet_rust_detach(thread: u64) -> i64;
}

/// Returns the id of the calling thread.
pub fn id() -> u32 {
    unsafe { limpet_rust_thread_id() }
}

/// Lets other ready threads of the caller's priority run first. ESTATE: the scheduler does not schedule the caller.
pub fn yield_now() -> Result<()> {
    Error::check(unsafe { limpet_rust_yield() }).map(|_| ())
}

/// A thread that [`spawn`] started. It is detached if this value is dropped.
#[derive(Debug)]
pub struct Thread {
    id: u64,
}

type Work = Box<dyn FnOnce() -> u64 + Send>;

extern "C" fn run(argument: u64) -> u64 {
    let work = unsafe { Box::from_raw(argument as *mut Work) };
    (*work)()
}

/// Starts one of the component's spare threads, which calls a function and ends with its result. `priority` is 1 to 255, or
/// 0 for the caller's. The function is stored in the heap. ERANGE: the priority. EQUOTA: there is no spare thread. ESTATE:
/// the scheduler does not schedule the calling thread.
pub fn spawn<F: FnOnce() -> u64 + Send + 'static>(priority: u32, function: F) -> Result<Thread> {
    let work: Work = Box::new(function);
    let argument = Box::into_raw(Box::new(work));
    let entry = run as extern "C" fn(u64) -> u64 as usize as u64;
    match Error::check(unsafe { limpet_rust_create(entry, argument as u64, priority as u64) }) {
        Ok(id) => Ok(Thread { id }),
        Err(error) => {
            drop(unsafe { Box::from_raw(argument) });
            Err(error)
        }
    }
}

impl Thread {
    /// Returns the thread's id.
    pub fn id(&self) -> u32 {
        self.id as u32
    }

    /// Waits until the thread has ended, at most until a time, and returns the result of its function. ETIME: the time passed
    /// first, and the thread is detached. ECRASH: the thread crashed.
    pub fn join(self, deadline: Time) -> Result<u64> {
        let mut value = 0;
        let status = Error::check(unsafe { limpet_rust_join(self.id, deadline.0, &mut value) });
        if status != Err(Error::ETIME) {
            core::mem::forget(self);
        }
        status.map(|_| value)
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // An error means that the thread does not exist any more.
        unsafe { limpet_rust_detach(self.id) };
    }
}
