// SPDX-License-Identifier: BSD-2-Clause
//! Components in Rust: safe wrappers of the runtime and of the libraries that components in C use.
//!
//! A component defines its functions with [`main!`] and [`init!`], and serves interfaces with the macro `serve!` of the
//! crate `export`. See docs/guide/rust.md.
#![cfg_attr(not(limpet_fake), no_std)]
#![cfg_attr(not(limpet_fake), feature(alloc_error_handler))]
#![cfg_attr(all(not(limpet_fake), limpet_message_option), feature(panic_info_message))]
#![warn(missing_docs)]

pub mod channel;
mod error;
#[cfg(not(limpet_fake))]
mod heap;
mod info;
pub mod log;
pub mod mem;
#[cfg(not(limpet_fake))]
mod panic;
pub mod sync;
pub mod thread;
pub mod time;

pub use error::Error;
pub use info::Info;

/// Result of most functions: a value, or an error of <limpet/error.h>.
pub type Result<T> = core::result::Result<T, Error>;

/// Values of the C headers, which the composer reads when it builds the component.
pub mod abi {
    include!(concat!(env!("LIMPET_GENERATED"), "/abi.rs"));
}

/// Makes a function `fn(&'static Info)` the body of the component's own thread. The thread ends when it returns.
#[macro_export]
macro_rules! main {
    ($function:path) => {
        #[no_mangle]
        extern "C" fn component_main(info: &'static $crate::Info) {
            let function: fn(&'static $crate::Info) = $function;
            function(info)
        }
    };
}

/// Makes a function `fn(&'static Info) -> Result<()>` the initialisation of the component. The booter calls it before any
/// thread runs. It must not block. An error stops the boot with a message.
#[macro_export]
macro_rules! init {
    ($function:path) => {
        #[no_mangle]
        extern "C" fn component_init(info: &'static $crate::Info) -> i64 {
            let function: fn(&'static $crate::Info) -> $crate::Result<()> = $function;
            match function(info) {
                Ok(()) => 0,
                Err(error) => error.status(),
            }
        }
    };
}
