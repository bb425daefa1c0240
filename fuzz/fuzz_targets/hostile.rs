//! One program for all targets: `CROWDWISE_FUZZ_TARGET` says which. Linking twenty of them would take longer than a run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

fn target() -> fn(&[u8]) {
    // A panic that the reader itself catches (the Parquet library asserts what a damaged file may break) is no failure, so
    // the hook that ends the program at any panic goes. One that comes out of the target still ends it.
    drop(std::panic::take_hook());
    let name = std::env::var("CROWDWISE_FUZZ_TARGET").unwrap_or_default();
    let found = crowdwise_hostile::TARGETS.iter().find(|t| t.0 == name);
    found.unwrap_or_else(|| panic!("CROWDWISE_FUZZ_TARGET is `{name}`, which is no target")).1
}

fuzz_target!(|bytes: &[u8]| TARGET.get_or_init(target)(bytes));
