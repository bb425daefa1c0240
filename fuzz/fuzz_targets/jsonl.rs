//! JSON lines, plain, wide and as Prodigy writes them.
#![no_main]

use crowdwise_io::{ReadOptions, Source, read_answers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let prodigy = b"{\"_input_hash\":1,\"_annotator_id\":\"a\",\"answer\":\"accept\",\"accept\":[\"x\"]}\n";
    for head in [&b""[..], b"{\"item\":1,\"worker\":2,\"label\":3}\n", prodigy] {
        let source = Source::Memory { name: "votes.jsonl".into(), bytes: [head, bytes].concat().into() };
        for wide in [false, true] {
            let options = ReadOptions { wide, skip_bad_rows: true, threads: 1, ..Default::default() };
            let _ = read_answers(&source, &options);
        }
    }
});
