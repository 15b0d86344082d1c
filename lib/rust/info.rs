// SPDX-License-Identifier: BSD-2-Clause
//! The component's information about itself: its name and its arguments.
/// Information that the component has about itself, with the arguments of the system file.
#[repr(C)]
pub struct Info {
    private: [u8; 0],
}

extern "C" {
    fn limpet_rust_name(info: &Info) -> *const u8;
    fn limpet_rust_index(info: &Info) -> u32;
    fn limpet_rust_info() -> &'static Info;
    fn strlen(text: *const u8) -> usize;
    fn limpet_arg_number(info: &Info, name: *const u8, otherwise: i64) -> i64;
    fn limpet_arg_text(info: &Info, name: *const u8, otherwise: *const u8) -> *const u8;
}

/// Maximum length of the name of an argument or a channel, with the final 0.
const NAME_SIZE: usize = 32;

/// Returns a name with a final 0, or None if it is too long or contains a 0.
pub(crate) fn c_name(name: &str) -> Option<[u8; NAME_SIZE]> {
    let mut bytes = [0; NAME_SIZE];
    if name.len() >= NAME_SIZE || name.bytes().any(|byte| byte == 0) {
        return None;
    }
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    Some(bytes)
}

/// Returns the text at an address. A text that is not UTF-8 is cut before its first invalid byte.
///
/// # Safety
/// The address must be that of a constant text with a final 0.
unsafe fn text(at: *const u8) -> &'static str {
    let bytes = core::slice::from_raw_parts(at, strlen(at));
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => core::str::from_utf8_unchecked(&bytes[..error.valid_up_to()]),
    }
}

impl Info {
    /// Returns the component's information.
    pub fn get() -> &'static Info {
        unsafe { limpet_rust_info() }
    }

    /// Returns the component's name in the system file.
    pub fn name(&self) -> &'static str {
        unsafe { text(limpet_rust_name(self)) }
    }

    /// Returns the component's index in the image. Its badge in servers is 1 + index.
    pub fn index(&self) -> u32 {
        unsafe { limpet_rust_index(self) }
    }

    /// Returns the number that the system file sets for an argument, or `otherwise`.
    pub fn number(&self, name: &str, otherwise: i64) -> i64 {
        match c_name(name) {
            Some(name) => unsafe { limpet_arg_number(self, name.as_ptr(), otherwise) },
            None => otherwise,
        }
    }

    /// Returns the text that the system file sets for an argument, or None.
    pub fn text(&self, name: &str) -> Option<&'static str> {
        let name = c_name(name)?;
        let found = unsafe { limpet_arg_text(self, name.as_ptr(), core::ptr::null()) };
        if found.is_null() {
            None
        } else {
            Some(unsafe { text(found) })
        }
    }
}
