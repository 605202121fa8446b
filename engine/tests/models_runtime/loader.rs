//! The Vulkan loader: used when there, not needed to start, software only when asked for.

use std::process::Command;

use polyrag::models::llama::{LlamaEmbedder, cosine, devices};
use polyrag::models::{Cancel, Embed, EmbedOptions, Gpu, Purpose};

use crate::{E5, cpu_embed, e5, model};

/// Runs one ignored test of this binary in a process of its own.
fn child(test: &str, environment: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", test]).envs(environment.iter().copied());
    let output = command.output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success() && text.contains("1 passed"), text)
}

#[test]
fn the_executable_does_not_need_the_vulkan_library() {
    let exe = std::env::current_exe().unwrap();
    let bytes = std::fs::read(exe).unwrap();
    // The name for dlopen is there, as "libvulkan.so.1"; a NEEDED entry would show in ldd.
    assert!(bytes.windows(14).any(|window| window == b"libvulkan.so.1"));
    let ldd = Command::new("ldd").arg(std::env::current_exe().unwrap()).output().unwrap();
    let needed = String::from_utf8_lossy(&ldd.stdout).into_owned();
    assert!(needed.contains("libc.so"), "{needed}");
    assert!(!needed.contains("vulkan") && !needed.contains("stdc++") && !needed.contains("gomp"), "{needed}");
}

#[test]
fn without_a_vulkan_loader_everything_runs_on_the_cpu() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("libvulkan.so.1"), "not a library").unwrap();
    std::fs::write(directory.path().join("libvulkan.so"), "not a library").unwrap();
    let path = directory.path().to_str().unwrap();
    let (passed, text) =
        child("loader::inner_cpu", &[("LD_LIBRARY_PATH", path), ("GGML_VK_VISIBLE_DEVICES", "0")]);
    assert!(passed, "{text}");
    assert!(text.contains("reason: no GPU found"), "{text}");
}

#[test]
fn software_vulkan_is_not_used_unless_asked_for() {
    let (passed, text) = child("loader::inner_cpu", &[("GGML_VK_VISIBLE_DEVICES", "0")]);
    assert!(passed, "{text}");
    assert!(text.contains("software"), "{text}");
}

#[test]
#[ignore = "runs in a process of its own, started by others"]
fn inner_cpu() {
    let embedder = LlamaEmbedder::load(&model(E5), &EmbedOptions::default()).unwrap();
    println!("reason: {}", embedder.placement().reason);
    assert!(!embedder.placement().gpu);
    embedder.embed(Purpose::Query, &["one text"], &Cancel::default()).unwrap();
}

#[test]
fn the_vulkan_back_end_gives_the_vectors_of_the_cpu() {
    let (passed, text) = child("loader::inner_vulkan", &[("GGML_VK_VISIBLE_DEVICES", "0")]);
    assert!(passed, "{text}");
}

#[test]
#[ignore = "runs in a process of its own, started by others"]
fn inner_vulkan() {
    let vulkan = devices()
        .unwrap()
        .into_iter()
        .find(|device| device.gpu)
        .expect("no Vulkan device: install mesa-vulkan-drivers");
    let options = EmbedOptions { gpu: Gpu::Device(vulkan.index), ..cpu_embed() };
    let on_gpu = LlamaEmbedder::load(&model(E5), &options).unwrap();
    println!("{:?}", on_gpu.placement());
    assert!(on_gpu.placement().gpu);
    let texts = ["Onde fica o depósito?", "The invoice was paid late.", "Three short texts are enough."];
    let embed =
        |embedder: &LlamaEmbedder| embedder.embed(Purpose::Passage, &texts, &Cancel::default()).unwrap();
    for (a, b) in embed(&on_gpu).iter().zip(embed(e5())) {
        println!("cosine {}", cosine(a, &b));
        assert!(cosine(a, &b) > 0.999);
    }
}
