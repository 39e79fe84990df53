#![no_main]

use libfuzzer_sys::fuzz_target;
use tautline_fuzz::cache::played;

fuzz_target!(|bytes: &[u8]| {
    played(bytes);
});
