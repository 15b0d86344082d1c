// SPDX-License-Identifier: BSD-2-Clause
//! Pages of the memory manager, which components can share. The component imports mem under that name.
use core::ops::{Deref, DerefMut};

use crate::abi::{PAGE, READ, WRITE};
use crate::{Error, Result};

extern "C" {
    fn limpet_rust_mem_allocate(pages: u64, address: &mut u64) -> i64;
    fn limpet_rust_mem_free(address: u64) -> i64;
    fn limpet_rust_mem_grant(address: u64, component: u64, rights: u64) -> i64;
    fn limpet_rust_mem_attach(address: u64) -> i64;
    fn limpet_rust_mem_detach(address: u64) -> i64;
}

/// Pages of 4096 bytes that only this component can access, as a slice of bytes. They are freed when this value is dropped.
#[derive(Debug)]
pub struct Pages {
    address: u64,
    length: usize,
}

impl Pages {
    /// Allocates 1 to 256 pages of zeros. The errors are those of the function allocate of the interface mem.
    pub fn allocate(pages: usize) -> Result<Pages> {
        let mut address = 0;
        Error::check(unsafe { limpet_rust_mem_allocate(pages as u64, &mut address) })?;
        Ok(Pages { address, length: pages * PAGE })
    }

    /// Lets the component at `index` of the image attach the pages, to read them, or also to write them. The component's
    /// badge in this server is 1 + index. The errors are those of the function grant of the interface mem.
    pub fn share(self, index: u32, writable: bool) -> core::result::Result<Shared, (Pages, Error)> {
        let rights = if writable { READ | WRITE } else { READ };
        match Error::check(unsafe { limpet_rust_mem_grant(self.address, index as u64, rights) }) {
            Ok(_) => {
                let shared = Shared { address: self.address, length: self.length, writable: true, own: true };
                core::mem::forget(self);
                Ok(shared)
            }
            Err(error) => Err((self, error)),
        }
    }
}

impl Deref for Pages {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        unsafe { core::slice::from_raw_parts(self.address as *const u8, self.length) }
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        unsafe { core::slice::from_raw_parts_mut(self.address as *mut u8, self.length) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // The address is that of an allocation. Another failure would only keep the memory in use.
        unsafe { limpet_rust_mem_free(self.address) };
    }
}

/// Memory that another component may change at any time. It is copied, because a reference into it would be unsound.
#[derive(Debug)]
pub struct Shared {
    address: u64,
    length: usize,
    writable: bool,
    own: bool,
}

impl Shared {
    /// Attaches pages that another component shares with this one. `writable` says which access was agreed on. The owner
    /// can revoke them, and this component then faults at its next access. The errors are those of the function attach of
    /// the interface mem.
    pub fn attach(address: u64, writable: bool) -> Result<Shared> {
        let pages = Error::check(unsafe { limpet_rust_mem_attach(address) })?;
        Ok(Shared { address, length: pages as usize * PAGE, writable, own: false })
    }

    /// Returns the address, which is the same in all components, to pass it to another one.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether there are no bytes. Shared memory has at least one page.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn check(&self, offset: usize, length: usize) -> Result<*mut u8> {
        if offset > self.length || length > self.length - offset {
            return Err(Error::ERANGE);
        }
        Ok((self.address as usize + offset) as *mut u8)
    }

    /// Copies bytes from the memory. ERANGE: they are not all in it.
    pub fn read(&self, offset: usize, to: &mut [u8]) -> Result<()> {
        let from = self.check(offset, to.len())?;
        for (index, byte) in to.iter_mut().enumerate() {
            *byte = unsafe { from.add(index).read_volatile() };
        }
        Ok(())
    }

    /// Copies bytes into the memory. ERANGE: they do not fit. ERIGHTS: the memory was attached only to be read.
    pub fn write(&self, offset: usize, from: &[u8]) -> Result<()> {
        let to = self.check(offset, from.len())?;
        if !self.writable {
            return Err(Error::ERIGHTS);
        }
        for (index, byte) in from.iter().enumerate() {
            unsafe { to.add(index).write_volatile(*byte) };
        }
        Ok(())
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // A failure means that the owner has already revoked or freed the memory.
        unsafe {
            if self.own {
                limpet_rust_mem_free(self.address);
            } else {
                limpet_rust_mem_detach(self.address);
            }
        }
    }
}
