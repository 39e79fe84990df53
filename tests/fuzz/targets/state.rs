#![no_main]

use libfuzzer_sys::fuzz_target;
use tautline_fuzz::state::gone_on_from;

fuzz_target!(|bytes: &[u8]| {
    gone_on_from(bytes);
});
