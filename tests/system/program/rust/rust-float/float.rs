// SPDX-License-Identifier: GPL-2.0
#![no_std]

use limpet::{println, Info};

limpet::main!(run);

fn run(_info: &'static Info) {
    let mut sum = 0.0f64;
    for n in 1..=1000u32 {
        let status = import::pong::call4(n as u64, 0, 0, 0).expect("pong returns").status;
        sum += 1.0 / (status as f64 * status as f64);
    }
    println!("the sum is {:.6}", sum);
}
