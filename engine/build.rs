//! Builds the C shims: `shim/vulkan.c` replaces the link to `libvulkan.so.1`, and
//! `shim/processor.c` checks the processor before anything compiled for a newer one runs, and
//! `shim/start.c` keeps idle threads from spinning.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=shim");
    #[cfg(feature = "llama")]
    build_shims();
}

#[cfg(feature = "llama")]
fn build_shims() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    // Whole, because the linker meets this library before llama.cpp's, when nothing asks for
    // its symbols yet.
    cc::Build::new()
        .file("shim/vulkan.c")
        .file("shim/processor.c")
        .file("shim/start.c")
        // Above all the second file has to be code for the plain architecture.
        .inherit_rustflags(false)
        .warnings(true)
        .extra_warnings(true)
        .cargo_metadata(false)
        .compile("polyrag_shims");
    println!("cargo:rustc-link-search=native={}", std::env::var("OUT_DIR").unwrap_or_default());
    println!("cargo:rustc-link-lib=static:+whole-archive=polyrag_shims");
}
