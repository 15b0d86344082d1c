// SPDX-License-Identifier: BSD-2-Clause
//! Text for the console. The component imports the interface log under the name log.
use core::fmt;

/// Maximum length of the text of one `print!` or `println!`. Longer text is cut.
pub const TEXT_MAX: usize = 512;

/// Text in a buffer of fixed size, so that formatting needs no heap.
pub struct Text {
    bytes: [u8; TEXT_MAX],
    length: usize,
}

impl Text {
    /// Returns an empty text.
    pub const fn new() -> Text {
        Text { bytes: [0; TEXT_MAX], length: 0 }
    }

    /// Returns the bytes so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::new()
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let count = text.len().min(TEXT_MAX - self.length);
        self.bytes[self.length..self.length + count].copy_from_slice(&text.as_bytes()[..count]);
        self.length += count;
        Ok(())
    }
}

#[cfg(not(limpet_fake))]
extern "C" {
    fn limpet_write(text: *const u8, size: usize);
}

/// Sends text of any length to the console. A newline ends a line. Costs one invocation for each 48 bytes.
#[cfg(not(limpet_fake))]
pub fn write(text: &[u8]) {
    unsafe { limpet_write(text.as_ptr(), text.len()) }
}

#[cfg(limpet_fake)]
std::thread_local! {
    static SAID: std::cell::RefCell<std::string::String> = const { std::cell::RefCell::new(std::string::String::new()) };
}

/// Keeps the text for [`said`], in a unit test.
#[cfg(limpet_fake)]
pub fn write(text: &[u8]) {
    SAID.with(|said| said.borrow_mut().push_str(&std::string::String::from_utf8_lossy(text)));
}

/// Returns what the calling test has printed since its last call. Only unit tests have this function.
#[cfg(limpet_fake)]
pub fn said() -> std::string::String {
    SAID.with(|said| said.take())
}

/// Implements `print!`.
#[doc(hidden)]
pub fn print(arguments: fmt::Arguments<'_>) {
    let mut text = Text::new();
    let _ = fmt::write(&mut text, arguments); // fails only if a Display of the component does
    write(text.as_bytes());
}

/// Prints formatted text on the console, at most [`log::TEXT_MAX`](crate::log::TEXT_MAX) bytes.
#[macro_export]
macro_rules! print {
    ($($words:tt)*) => { $crate::log::print(core::format_args!($($words)*)) };
}

/// Prints formatted text and a newline.
#[macro_export]
macro_rules! println {
    () => { $crate::print!("\n") };
    ($format:literal $($words:tt)*) => { $crate::print!(concat!($format, "\n") $($words)*) };
}
