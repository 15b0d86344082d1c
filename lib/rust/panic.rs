// SPDX-License-Identifier: BSD-2-Clause
//! A panic is a fault of the component: it logs a line with file, line and message, and executes an invalid instruction.
//! The kernel ends the invocations in the component, and the component's policy in the system file decides what follows.
use core::arch::asm;
use core::fmt::Write;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::log::Text;

extern "C" {
    // The composer defines it: it writes to the log if the component imports log.
    fn limpet_rust_panic(text: *const u8, size: usize);
}

static PANICKED: AtomicBool = AtomicBool::new(false);

fn fault() -> ! {
    unsafe { asm!("ud2", options(noreturn, nomem, nostack)) }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    // A second panic, for example while the message is formatted, has no line of its own.
    if PANICKED.swap(true, Ordering::Relaxed) {
        fault()
    }
    let mut text = Text::new();
    let _ = text.write_str("panic");
    if let Some(place) = info.location() {
        let _ = write!(text, " at {}:{}", place.file(), place.line());
    }
    let _ = text.write_str(": ");
    #[cfg(limpet_message_option)]
    let _ = match info.message() {
        Some(message) => text.write_fmt(*message),
        None => text.write_str("no message"),
    };
    #[cfg(not(limpet_message_option))]
    let _ = write!(text, "{}", info.message());
    unsafe {
        limpet_rust_panic(text.as_bytes().as_ptr(), text.as_bytes().len());
        limpet_rust_panic("\n".as_ptr(), 1);
    }
    fault()
}
