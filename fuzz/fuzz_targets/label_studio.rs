//! JSON arrays: tasks of Label Studio, and rows.
#![no_main]

use crowdwise_io::{ReadOptions, Source, read_answers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let task = b"[{\"id\":1,\"annotations\":[{\"completed_by\":1,\"result\":[{\"from_name\":\"c\",\"type\":\"choices\",\"value\":{\"choices\":[\"a\"]}}]}]},";
    for head in [&b""[..], task, b"[{\"item\":1,\"worker\":2,\"label\":3},"] {
        let source = Source::Memory { name: "export.json".into(), bytes: [head, bytes].concat().into() };
        let _ = read_answers(&source, &ReadOptions { skip_bad_rows: true, ..Default::default() });
    }
});
