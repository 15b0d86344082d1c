// SPDX-License-Identifier: BSD-2-Clause
//! A mutex with priority inheritance or a ceiling, as in <sync/mutex.h>. The component imports sched under that name.
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use crate::time::Time;
use crate::{Error, Result};

/// The struct mutex of C. lock.c compares the layout.
#[repr(C)]
struct Raw {
    owner: u32,
    recursive: bool,
    ceiling: u8,
    before: u8,
    waiters: u32,
}

extern "C" {
    fn limpet_rust_lock(mutex: *mut Raw, deadline: u64) -> i64;
    fn limpet_rust_unlock(mutex: *mut Raw) -> i64;
}

/// Data that one thread of the component at a time can access.
pub struct Mutex<T> {
    raw: UnsafeCell<Raw>,
    data: UnsafeCell<T>,
}

unsafe impl<T: Send> Send for Mutex<T> {}
unsafe impl<T: Send> Sync for Mutex<T> {}

/// Access to the data of a locked mutex. The mutex is unlocked when this value is dropped.
pub struct Guard<'a, T> {
    mutex: &'a Mutex<T>,
    thread: PhantomData<*const ()>, // the thread that locks a mutex also unlocks it
}

impl<T> Mutex<T> {
    /// Returns a mutex with priority inheritance: its owner has at least the priority of each thread that waits for it.
    pub const fn new(data: T) -> Mutex<T> {
        Mutex::with_ceiling(data, 0)
    }

    /// Returns a mutex whose owner has the priority `ceiling`, the highest priority of all threads that use the mutex.
    pub const fn with_ceiling(data: T, ceiling: u8) -> Mutex<T> {
        let raw = Raw { owner: 0, recursive: false, ceiling, before: 0, waiters: 0 };
        Mutex { raw: UnsafeCell::new(raw), data: UnsafeCell::new(data) }
    }

    /// Waits until the mutex is free, and locks it. ESTATE: the caller holds it already, or the scheduler does not schedule
    /// the caller. ERANGE: the caller's priority is above the ceiling.
    pub fn lock(&self) -> Result<Guard<'_, T>> {
        self.lock_until(Time::NEVER)
    }

    /// Locks the mutex like [`Mutex::lock`], and waits at most until a time. ETIME: the time passed first.
    pub fn lock_until(&self, deadline: Time) -> Result<Guard<'_, T>> {
        Error::check(unsafe { limpet_rust_lock(self.raw.get(), deadline.0) })?;
        Ok(Guard { mutex: self, thread: PhantomData })
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        let status = unsafe { limpet_rust_unlock(self.mutex.raw.get()) };
        // Fails only if the scheduler has crashed. Waiting threads would then wait without end.
        assert!(status >= 0, "a mutex cannot be unlocked: {}", Error::from_status(status));
    }
}
