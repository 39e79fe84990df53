#![no_main]

use libfuzzer_sys::fuzz_target;
use tautline_fuzz::scene::parsed;

fuzz_target!(|bytes: &[u8]| {
    parsed(bytes);
});
