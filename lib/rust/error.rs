// SPDX-License-Identifier: BSD-2-Clause
//! The errors of <limpet/error.h>.
use core::fmt;

macro_rules! errors {
    ($($name:ident $number:literal $text:literal,)*) => {
        /// Error of a kernel call, an interface or a channel. The names are those of <limpet/error.h>.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Error {
            $(#[doc = $text] $name,)*
            /// A negative status that the list does not have.
            Other(i64),
        }

        impl Error {
            /// Returns the error with a negative status.
            pub const fn from_status(status: i64) -> Error {
                match status {
                    $(-$number => Error::$name,)*
                    other => Error::Other(other),
                }
            }

            /// Returns the negative status that stands for the error in a register. Another value than a negative one in
            /// `Other` becomes the status of ERANGE, so that an error is never a success for the caller.
            pub const fn status(self) -> i64 {
                match self {
                    $(Error::$name => -$number,)*
                    Error::Other(status) if status < 0 => status,
                    Error::Other(_) => Error::ERANGE.status(),
                }
            }

            /// Returns a description of one line.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Error::$name => $text,)*
                    Error::Other(_) => "unknown error",
                }
            }
        }
    };
}

include!(concat!(env!("LIMPET_GENERATED"), "/errors.rs"));

impl Error {
    /// Returns the value of a status: 0 and above is a value, below 0 is an error.
    pub const fn check(status: i64) -> crate::Result<u64> {
        if status < 0 {
            Err(Error::from_status(status))
        } else {
            Ok(status as u64)
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Other(status) => write!(to, "unknown error {}", status),
            known => write!(to, "{:?}, {}", known, known.text()),
        }
    }
}
