//! `check-exchanges FILE` checks recorded requests and responses against the contract. FILE has one
//! JSON object per line; `Exchange` describes it. Prints a line for each operation of the finished
//! areas and for each fault. Each line begins with `ok` or `not ok`. Fails if there is any fault, or
//! if an operation of these areas never succeeded.

use std::{
    env, fs,
    io::{self, Write},
    process::ExitCode,
};

use siskin_contract::Contract;

use crate::{coverage::Coverage, exchange::Exchange};

mod coverage;
mod exchange;

fn main() -> io::Result<ExitCode> {
    let file =
        env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: check-exchanges FILE"))?;
    let mut coverage = Coverage::new(Contract::get());
    for line in fs::read_to_string(file)?.lines() {
        coverage.add(&Exchange::parse(line)?);
    }
    let checks = coverage.checks();
    let mut out = io::stdout().lock();
    for check in &checks {
        writeln!(out, "{:<7} {}", if check.passed { "ok" } else { "not ok" }, check.text)?;
    }
    let passed = checks.iter().all(|check| check.passed);
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
