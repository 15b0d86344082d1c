// SPDX-License-Identifier: GPL-2.0
//! Serves the interfaces pong and fragile.
#![no_std]

extern crate alloc;

mod history;

use export::{fragile, pong};
use history::History;
use limpet::mem::{Pages, Shared};
use limpet::sync::Mutex;
use limpet::time::Time;
use limpet::{channel::Channel, println, Error, Info, Result};

limpet::init!(initialise);
limpet::main!(answer_messages);
pong::serve!(Server);
fragile::serve!(Server);

struct Server;

static HISTORY: Mutex<History> = Mutex::new(History::new());
static SHARED: Mutex<Option<Shared>> = Mutex::new(None);

fn initialise(info: &'static Info) -> Result<()> {
    println!("initialised as {}", info.name());
    Ok(())
}

impl pong::Server for Server {
    fn call0(_badge: u64) -> Result<u64> {
        Ok(0)
    }

    fn call4(_badge: u64, a: u64, b: u64, c: u64, d: u64) -> Result<pong::Call4> {
        Ok(pong::Call4 { status: a & 0x7fff_ffff, x: b, y: c, z: d })
    }

    /// Shares a page with the text of the words a to f with the caller. Returns its address in x, and the badge in y.
    fn call6(badge: u64, a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> Result<pong::Call6> {
        let mut pages = Pages::allocate(1)?;
        for (index, word) in [a, b, c, d, e, f].iter().enumerate() {
            pages[index * 8..index * 8 + 8].copy_from_slice(&word.to_le_bytes());
        }
        let shared = pages.share(badge as u32 - 1, false).map_err(|(_, error)| error)?;
        let x = shared.address();
        *SHARED.lock()? = Some(shared);
        Ok(pong::Call6 { status: 0, x, y: badge, z: 0 })
    }

    fn stamp(_badge: u64) -> Result<pong::Stamp> {
        Ok(pong::Stamp { status: 0, time: Time::now().0 })
    }

    fn done(_badge: u64) -> Result<u64> {
        Err(Error::ESTATE)
    }
}

impl fragile::Server for Server {
    fn add(_badge: u64, value: u64) -> Result<u64> {
        Ok(HISTORY.lock()?.add(value))
    }

    fn life(_badge: u64) -> Result<u64> {
        Ok(0)
    }

    fn crash(_badge: u64, how: u64, chance: u64) -> Result<u64> {
        match how {
            0 => Ok([1, 2, 3][chance as usize]),
            // The result depends on the block, so the compiler cannot remove its allocation.
            1 => Ok(alloc::vec![0u8; 1 << 20].as_ptr() as u64),
            2 => Err(Error::Other(chance as i64)),
            _ => Err(Error::ERANGE),
        }
    }
}

/// Answers the messages of the channel that the system file names. Without a channel the thread ends.
fn answer_messages(info: &'static Info) {
    let name = match info.text("channel") {
        Some(name) => name,
        None => return,
    };
    let mut channel = Channel::open(name).expect("the system file has this channel");
    assert_eq!(Channel::open(name).err(), Some(Error::EBUSY));
    assert_eq!(Channel::open("other").err(), Some(Error::ENOENT));
    let mut buffer = [0; 64];
    loop {
        let length = match channel.receive(&mut buffer) {
            Ok(message) => message.len(),
            Err(_) => {
                channel.wait();
                continue;
            }
        };
        buffer.make_ascii_uppercase();
        while channel.send(&buffer[..length]) == Err(Error::EFULL) {
            channel.wait();
        }
    }
}
