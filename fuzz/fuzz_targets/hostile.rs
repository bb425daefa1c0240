//! One program for all targets: `CROWDWISE_FUZZ_TARGET` says which. Linking twenty of them would take longer than a run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

fn target() -> fn(&[u8]) {
    let name = std::env::var("CROWDWISE_FUZZ_TARGET").unwrap_or_default();
    let found = crowdwise_hostile::TARGETS.iter().find(|t| t.0 == name);
    found.unwrap_or_else(|| panic!("CROWDWISE_FUZZ_TARGET is `{name}`, which is no target")).1
}

fuzz_target!(|bytes: &[u8]| TARGET.get_or_init(target)(bytes));
