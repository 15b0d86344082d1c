// SPDX-License-Identifier: BSD-2-Clause
//! Time stamps, and waiting for times and periods. Waiting needs the import sched of the interface sched.
use core::ops::{Add, Sub};

use crate::{Error, Result};

extern "C" {
    fn limpet_rust_time() -> u64;
    fn limpet_rust_ticks_per_ms() -> u64;
    fn limpet_rust_periodic(period: u64, first: u64) -> i64;
    fn limpet_rust_periodic_wait(due: &mut u64) -> i64;
    fn limpet_rust_sleep_until(deadline: u64) -> i64;
}

/// A span of time in ticks of the processor's time-stamp counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticks(pub u64);

/// A time stamp, in ticks since the processor's start. Time stamps of one CPU are monotonic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub u64);

impl Ticks {
    /// Returns the ticks in `us` microseconds, or the maximum if they do not fit.
    pub fn from_us(us: u64) -> Ticks {
        let ticks = us as u128 * unsafe { limpet_rust_ticks_per_ms() } as u128 / 1000;
        Ticks(ticks.min(u64::MAX as u128) as u64)
    }

    /// Returns the span in nanoseconds, or the maximum if they do not fit.
    pub fn as_ns(self) -> u64 {
        let ns = self.0 as u128 * 1_000_000 / unsafe { limpet_rust_ticks_per_ms() } as u128;
        ns.min(u64::MAX as u128) as u64
    }
}

impl Time {
    /// The time that never comes, for waits without a limit.
    pub const NEVER: Time = Time(crate::abi::NEVER);

    /// Returns the current time stamp.
    pub fn now() -> Time {
        Time(unsafe { limpet_rust_time() })
    }
}

impl Sub for Time {
    type Output = Ticks;
    /// Returns the span from the other time to this one; 0 if the other one is later.
    fn sub(self, other: Time) -> Ticks {
        Ticks(self.0.saturating_sub(other.0))
    }
}

impl Add<Ticks> for Time {
    type Output = Time;
    fn add(self, span: Ticks) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

/// Waits until a time. ERANGE: the time is `NEVER`. ESTATE: the scheduler does not schedule the calling thread.
pub fn sleep_until(deadline: Time) -> Result<()> {
    Error::check(unsafe { limpet_rust_sleep_until(deadline.0) }).map(|_| ())
}

/// The periods of the calling thread.
#[derive(Debug)]
pub struct Periods {
    thread: core::marker::PhantomData<*const ()>, // belongs to one thread
}

/// A release of a periodic thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Time at which the thread was due.
    pub due: Time,
    /// Number of releases that the thread has missed; 0: it was in time.
    pub missed: u64,
}

impl Periods {
    /// Makes the calling thread periodic, from one period from now on. A period has 1000 to 2^40 ticks. ERANGE: it does
    /// not. ESTATE: the scheduler does not schedule the calling thread.
    pub fn start(period: Ticks) -> Result<Periods> {
        Periods::start_at(period, Time(0))
    }

    /// Makes the calling thread periodic like [`Periods::start`], with the first release at a given time.
    pub fn start_at(period: Ticks, first: Time) -> Result<Periods> {
        Error::check(unsafe { limpet_rust_periodic(period.0, first.0) })?;
        Ok(Periods { thread: core::marker::PhantomData })
    }

    /// Waits for the next release. After missed releases it returns the latest of them immediately.
    pub fn wait(&mut self) -> Result<Release> {
        let mut due = 0;
        let missed = Error::check(unsafe { limpet_rust_periodic_wait(&mut due) })?;
        Ok(Release { due: Time(due), missed })
    }
}
