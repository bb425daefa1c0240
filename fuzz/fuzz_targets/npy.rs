//! NumPy files: an error, or as many numbers as the shape says.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for head in [&b""[..], b"\x93NUMPY\x01\x00"] {
        if let Ok((rows, columns, values)) = crowdwise_io::fuzzing::npy(&[head, bytes].concat()) {
            assert_eq!(values.len(), rows * columns);
        }
    }
});
