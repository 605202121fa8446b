//! E-mail and boxes of it: the bytes are the file.
#![no_main]

mod common;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    common::check("a.eml", data);
});
