// SPDX-License-Identifier: BSD-2-Clause
//! Channels: memory and events that the component shares with Linux, as in <channel/channel.h>.
use core::marker::PhantomData;

use crate::{Error, Result};

#[repr(C)]
struct Raw {
    private: [u8; 0],
}

extern "C" {
    fn limpet_rust_channel_open(name: *const u8, channel: &mut *mut Raw) -> i64;
    fn limpet_rust_channel_bit(channel: *const Raw) -> u64;
    fn limpet_rust_channel_connected(channel: *mut Raw) -> bool;
    fn limpet_rust_channel_wait(bits: u64) -> u64;
    fn channel_send(channel: *mut Raw, data: *const u8, length: u64) -> i64;
    fn channel_receive(channel: *mut Raw, buffer: *mut u8, size: u64) -> i64;
    fn channel_put(channel: *mut Raw, data: *const u8, length: u64) -> i64;
    fn channel_take(channel: *mut Raw, buffer: *mut u8, size: u64) -> i64;
    fn channel_memory(channel: *const Raw, size: &mut u64) -> *mut u8;
    fn channel_event(channel: *mut Raw);
    fn channel_events(channel: *mut Raw) -> u64;
}

/// An open channel of the component. Only the component's own thread may use it.
pub struct Channel {
    raw: *mut Raw,
    thread: PhantomData<*const ()>,
}

impl Channel {
    /// Opens the channel that the system file gives this name. It must not be called in the initialisation. ENOENT: the
    /// component has no such channel. EBUSY: it is open already.
    pub fn open(name: &str) -> Result<Channel> {
        let name = crate::info::c_name(name).ok_or(Error::ENOENT)?;
        let mut raw = core::ptr::null_mut();
        Error::check(unsafe { limpet_rust_channel_open(name.as_ptr(), &mut raw) })?;
        Ok(Channel { raw, thread: PhantomData })
    }

    /// Returns whether both sides have seen each other.
    pub fn connected(&mut self) -> bool {
        unsafe { limpet_rust_channel_connected(self.raw) }
    }

    /// Returns the channel's bit for [`wait`].
    pub fn bit(&self) -> u64 {
        unsafe { limpet_rust_channel_bit(self.raw) }
    }

    /// Sends a message. EFULL: there is not enough space. ERANGE: it is too long. ESTATE: Linux's side is not connected.
    pub fn send(&mut self, message: &[u8]) -> Result<()> {
        Error::check(unsafe { channel_send(self.raw, message.as_ptr(), message.len() as u64) }).map(|_| ())
    }

    /// Receives a message into a buffer, and returns it. EEMPTY: there is no message. ERANGE: the message is longer than the
    /// buffer, and stays.
    pub fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Result<&'a [u8]> {
        let size = buffer.len() as u64;
        let length = Error::check(unsafe { channel_receive(self.raw, buffer.as_mut_ptr(), size) })?;
        Ok(&buffer[..length as usize])
    }

    /// Sends as many bytes as fit, and returns their number. Mode BYTES. EFULL: there is no space. ESTATE: Linux's side is
    /// not connected.
    pub fn put(&mut self, data: &[u8]) -> Result<usize> {
        Error::check(unsafe { channel_put(self.raw, data.as_ptr(), data.len() as u64) }).map(|count| count as usize)
    }

    /// Receives bytes into a buffer, and returns them. Mode BYTES. EEMPTY: there are no bytes.
    pub fn take<'a>(&mut self, buffer: &'a mut [u8]) -> Result<&'a [u8]> {
        let size = buffer.len() as u64;
        let length = Error::check(unsafe { channel_take(self.raw, buffer.as_mut_ptr(), size) })?;
        Ok(&buffer[..length as usize])
    }

    /// Returns the start and the size of the memory of a channel in mode SHARED. Linux can change the memory at any time, so
    /// it must be accessed with `read_volatile` and `write_volatile`.
    pub fn memory(&self) -> (*mut u8, usize) {
        let mut size = 0;
        let start = unsafe { channel_memory(self.raw, &mut size) };
        (start, size as usize)
    }

    /// Sends an event to Linux.
    pub fn notify(&mut self) {
        unsafe { channel_event(self.raw) }
    }

    /// Returns the number of events from Linux since the last call. A hostile Linux can make it any number.
    pub fn events(&mut self) -> u64 {
        unsafe { channel_events(self.raw) }
    }

    /// Waits until the channel has a message, bytes, events, another peer, or space after a failed send, or until another
    /// event arrives. It may return without a reason, so the caller must check and wait again.
    pub fn wait(&mut self) {
        wait(self.bit());
    }
}

/// Waits for several channels like [`Channel::wait`]. Returns the bits of the channels and of all events that arrived.
pub fn wait(bits: u64) -> u64 {
    unsafe { limpet_rust_channel_wait(bits) }
}
