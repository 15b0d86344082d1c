// SPDX-License-Identifier: BSD-2-Clause
//! Replaces the crate `compiler_builtins`, which Debian's sources of Rust do not contain. The compiler adds this crate to
//! each program. The runtime and libgcc have the functions that the compiler calls.
#![feature(compiler_builtins)]
#![compiler_builtins]
#![no_std]
