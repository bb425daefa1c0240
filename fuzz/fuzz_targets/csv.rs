//! Delimited text of any bytes: an error or a table, and the same table from one thread and from three.
#![no_main]

use crowdwise_io::{ReadOptions, Source, read_answers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source::Memory { name: "votes.csv".into(), bytes: bytes.into() };
    let columns = || ["item", "annotator", "label"].map(String::from).to_vec();
    for (columns, wide) in [(None, false), (Some(columns()), false), (None, true)] {
        let read = |threads| {
            let options =
                ReadOptions { columns: columns.clone(), wide, skip_bad_rows: true, threads, ..Default::default() };
            read_answers(&source, &options).map(|r| (r.value.table.digest(), r.notes))
        };
        assert_eq!(read(1), read(3));
    }
});
