//! Web pages: the bytes are the file.
#![no_main]

mod common;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    common::check("a.html", data);
});
