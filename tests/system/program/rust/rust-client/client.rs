// SPDX-License-Identifier: GPL-2.0
//! Logs a line for each check.
#![no_std]

extern crate alloc;

use alloc::{boxed::Box, collections::BTreeMap, format, string::String, sync::Arc, vec::Vec};

use import::{c, fragile, rust};
use limpet::mem::{Pages, Shared};
use limpet::sync::Mutex;
use limpet::time::{sleep_until, Periods, Ticks, Time};
use limpet::{println, thread, Error, Info};

limpet::main!(run);

fn verdict(right: bool, what: &str) {
    println!("{}: {}", if right { "right" } else { "wrong" }, what);
}

fn calls() {
    verdict(c::call0() == Ok(0), "a call of C");
    verdict(c::call4(1, 2, 3, 4) == Ok(c::Call4 { status: 1, x: 2, y: 3, z: 4 }), "four words to C");
    verdict(c::call6(1, 2, 3, 4, 5, 6) == Ok(c::Call6 { status: 3, x: 3, y: 4, z: 11 }), "six words to C");
    verdict(rust::call4(9, 8, 7, 6) == Ok(rust::Call4 { status: 9, x: 8, y: 7, z: 6 }), "four words to Rust");
    verdict(rust::done() == Err(Error::ESTATE), "an error of Rust");
    verdict(fragile::crash(2, -77i64 as u64) == Err(Error::Other(-77)), "an unknown error");
    verdict(fragile::crash(2, 5) == Err(Error::ERANGE), "an error is never a success");
    let (before, stamp) = (Time::now(), rust::stamp().map(|stamp| Time(stamp.time)));
    verdict(stamp.map_or(false, |time| before <= time && time <= Time::now()), "time stamps");
}

fn panics() {
    verdict(fragile::add(5) == Ok(5) && fragile::add(6) == Ok(11), "a sum in the heap of the server");
    verdict(fragile::crash(0, 7) == Err(Error::ECRASH), "a panic ends the call");
    verdict(fragile::add(1) == Ok(1), "the server was restarted");
    verdict(fragile::crash(1, 0) == Err(Error::ECRASH) && fragile::add(2) == Ok(2), "an exhausted heap");
}

fn heap() {
    let mut map = BTreeMap::new();
    for round in 0..50u32 {
        for n in 0..40u32 {
            map.insert(n, format!("{} of {}", n, round));
        }
        map.retain(|n, _| n % 3 == round % 3);
    }
    let right = map.iter().all(|(n, text)| *text == format!("{} of 49", n)) && map.len() == 13;
    verdict(right, "a map of texts");
    let large: Vec<u64> = (0..4000).collect();
    let aligned = Box::new(Aligned([1; 256]));
    let address = &*aligned as *const Aligned as usize;
    verdict(large[3999] == 3999 && address % 256 == 0 && aligned.0[255] == 1, "large and aligned blocks");
    let mut text = String::new();
    for n in 0..1000u32 {
        text.push((b'a' + (n % 26) as u8) as char);
    }
    verdict(text.len() == 1000 && text.ends_with('l'), "a text that grows");
}

#[repr(align(256))]
struct Aligned([u8; 256]);

fn threads() {
    let sum = Arc::new(Mutex::new(0u64));
    let work = |sum: Arc<Mutex<u64>>| {
        move || {
            for _ in 0..100 {
                let mut value = sum.lock().unwrap();
                let before = *value;
                thread::yield_now().unwrap();
                *value = before + 1;
            }
            7
        }
    };
    let first = thread::spawn(5, work(sum.clone())).unwrap();
    let second = thread::spawn(5, work(sum.clone())).unwrap();
    let third = thread::spawn(5, || 0).map(|thread| thread.id());
    verdict(third == Err(Error::EQUOTA), "a thread too many");
    verdict(first.join(Time::NEVER) == Ok(7) && second.join(Time::NEVER) == Ok(7), "threads");
    verdict(*sum.lock().unwrap() == 200, "a mutex");
    let held = sum.lock().unwrap();
    verdict(sum.lock().err() == Some(Error::ESTATE), "a mutex that the caller holds");
    drop(held);
}

fn times() {
    let period = Ticks::from_us(2000);
    let mut periods = Periods::start(period).unwrap();
    let first = periods.wait().unwrap();
    let mut right = Time::now() >= first.due;
    let mut due = first.due;
    for _ in 0..5 {
        let release = periods.wait().unwrap();
        right &= (release.due - due).0 % period.0 == 0 && release.due > due && Time::now() >= release.due;
        due = release.due;
    }
    verdict(right, "periods");
    verdict(Periods::start(Ticks(1)).err() == Some(Error::ERANGE), "a period that is too short");
    let until = Time::now() + Ticks::from_us(3000);
    sleep_until(until).unwrap();
    verdict(Time::now() >= until, "a sleep");
    verdict((Ticks::from_us(5000).as_ns() as i64 - 5_000_000).abs() < 1000, "units of time");
}

fn memory(info: &Info) {
    let mut pages = Pages::allocate(2).unwrap();
    pages[8191] = 5;
    verdict(pages.len() == 8192 && pages[0] == 0 && pages[8191] == 5, "pages");
    let shared = rust::call6(1, 2, 3, 4, 5, 6).unwrap();
    let memory = Shared::attach(shared.x, false).unwrap();
    let mut word = [0; 8];
    memory.read(40, &mut word).unwrap();
    verdict(u64::from_le_bytes(word) == 6 && shared.y == info.index() as u64 + 1, "shared memory");
    let refused = (memory.read(4090, &mut word), memory.write(0, &word));
    verdict(refused == (Err(Error::ERANGE), Err(Error::ERIGHTS)), "shared memory is bounded");
}

fn run(info: &'static Info) {
    verdict(info.name() == "client" && info.number("number", 0) == 42 && info.number("none", 3) == 3, "arguments");
    verdict(info.text("text") == Some("words") && info.text("none") == None, "texts");
    calls();
    heap();
    threads();
    times();
    memory(info);
    panics();
    println!("done");
}
