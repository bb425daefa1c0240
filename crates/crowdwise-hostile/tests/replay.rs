//! Everything in `fuzz/corpus` once more: small files of our own, and what once broke a reader.

use crowdwise_hostile::TARGETS;
use std::panic::catch_unwind;
use std::path::PathBuf;

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

#[test]
fn the_corpus_breaks_nothing() {
    let mut broken = Vec::new();
    for (name, target) in TARGETS {
        let folder = corpus().join(name);
        let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        let mut files: Vec<PathBuf> = files.map(|f| f.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty(), "the target {name} has no corpus");
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            if catch_unwind(|| target(&bytes)).is_err() {
                broken.push(file.clone());
            }
            // cut off in the middle, and with a byte that is another
            let half = bytes.len() / 2;
            let mut other = bytes.clone();
            other.iter_mut().skip(half).take(1).for_each(|b| *b ^= 0x40);
            for (bytes, what) in [(&bytes[..half], "half of it"), (&other[..], "another byte")] {
                if catch_unwind(|| target(bytes)).is_err() {
                    broken.push(file.join(what));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_folder_is_that_of_a_target() {
    for folder in std::fs::read_dir(corpus()).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        assert!(TARGETS.iter().any(|t| t.0 == name), "fuzz/corpus/{name} belongs to no target");
    }
}
