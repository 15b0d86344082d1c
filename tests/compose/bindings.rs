// SPDX-License-Identifier: BSD-2-Clause
//! Calls the served functions of the interface echo through the functions of the import parrot. The C functions between
//! them are replaced: the registers of a real call are tested by the C stubs.
use export::echo;
use import::parrot;
use limpet::{Error, Result};

struct Echo;

impl echo::Server for Echo {
    fn none(badge: u64) -> Result<u64> {
        Ok(badge)
    }

    fn four(_badge: u64, a: u64, b: u64, c: u64, d: u64) -> Result<echo::Four> {
        if a > 1 << 31 {
            return Err(Error::ERANGE);
        }
        Ok(echo::Four { status: a, x: b, y: c, z: d })
    }

    fn six(_badge: u64, a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> Result<echo::Six> {
        Ok(echo::Six { status: 0, low: a + b + c, high: d + e + f })
    }
}

echo::serve!(Echo);

const BADGE: u64 = 77;

#[no_mangle]
extern "C" fn limpet_rust_import_parrot_none() -> i64 {
    echo_serve_none(BADGE)
}

#[no_mangle]
extern "C" fn limpet_rust_import_parrot_four(a: u64, b: u64, c: u64, d: u64, x: &mut u64, y: &mut u64, z: &mut u64) -> i64 {
    let mut out = [0; 3];
    let status = echo_serve_four(BADGE, a, b, c, d, &mut out);
    (*x, *y, *z) = (out[0], out[1], out[2]);
    status
}

#[no_mangle]
extern "C" fn limpet_rust_import_parrot_six(
    a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, low: &mut u64, high: &mut u64,
) -> i64 {
    let mut out = [0; 2];
    let status = echo_serve_six(BADGE, a, b, c, d, e, f, &mut out);
    (*low, *high) = (out[0], out[1]);
    status
}

#[test]
fn words_and_results_keep_their_order() {
    assert_eq!(parrot::none(), Ok(77));
    assert_eq!(parrot::four(1, 2, 3, 4), Ok(parrot::Four { status: 1, x: 2, y: 3, z: 4 }));
    assert_eq!(parrot::six(1, 2, 4, 8, 16, 32), Ok(parrot::Six { status: 0, low: 7, high: 56 }));
}

#[test]
fn a_refusal_is_an_error() {
    assert_eq!(parrot::four(1 << 32, 0, 0, 0), Err(Error::ERANGE));
}

#[test]
fn a_refusal_changes_no_result() {
    let mut out = [9; 3];
    assert_eq!(echo_serve_four(BADGE, 1 << 32, 1, 1, 1, &mut out), Error::ERANGE.status());
    assert_eq!(out, [9; 3]);
}

#[test]
fn errors_and_statuses_correspond() {
    for status in -40..0 {
        assert_eq!(Error::from_status(status).status(), status);
    }
    assert_eq!(Error::check(5), Ok(5));
    assert_eq!(Error::check(-4), Err(Error::ERANGE));
    assert_eq!(Error::Other(5).status(), -4);
    assert_eq!(Error::ERANGE.to_string(), "ERANGE, an argument is outside its documented range");
}
