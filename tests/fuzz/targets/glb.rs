#![no_main]

use libfuzzer_sys::fuzz_target;
use tautline_fuzz::glb::contained;

fuzz_target!(|bytes: &[u8]| {
    contained(bytes);
});
