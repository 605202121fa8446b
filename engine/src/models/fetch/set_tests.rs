//! The manifest and what of it is on disk.
#![allow(clippy::unwrap_used)]

use super::tests::digest;
use super::*;
use crate::models::ModelError;

#[test]
fn the_builtin_manifest_has_every_role() {
    let manifest = Manifest::builtin().unwrap();
    for profile in [Profile::Starter, Profile::Full] {
        for role in [Role::Embed, Role::Generate, Role::Ocr] {
            assert!(!manifest.role(profile, role).is_empty(), "{profile} {role}");
        }
    }
    for model in manifest.files() {
        assert!(model.source.iter().all(|source| source.starts_with("https://")), "{}", model.file);
        assert!(
            model.profile == Profile::Full || model.sha256.is_some() && model.size.is_some(),
            "{}",
            model.file
        );
    }
}

#[test]
fn a_dangerous_manifest_is_refused() {
    let entry = |file: &str, digest: &str| {
        format!(
            "[[model]]\nprofile = \"starter\"\nrole = \"embed\"\nname = \"E\"\nfile = \"{file}\"\n\
             sha256 = \"{digest}\"\nlicence = \"MIT\"\nsource = []\n"
        )
    };
    let good = digest(b"");
    let parse = |text: String| Manifest::parse(&text);
    assert!(parse(format!("version = 1\n{}", entry("e.gguf", &good))).is_ok());
    for bad in [
        format!("version = 2\n{}", entry("e.gguf", &good)),
        format!("version = 1\n{}", entry("../e.gguf", &good)),
        format!("version = 1\n{}", entry("e.gguf", "abc")),
        format!("version = 1\n{0}{0}", entry("e.gguf", &good)),
    ] {
        assert!(matches!(parse(bad), Err(FetchError::Manifest { .. })));
    }
}

/// Two profiles of one-file embedders: full unpinned, starter pinned to four bytes.
fn two_profiles() -> Manifest {
    Manifest::parse(&format!(
        "version = 1\n\
         [[model]]\nprofile = \"starter\"\nrole = \"embed\"\nname = \"S\"\nfile = \"s.gguf\"\nsize = 4\n\
         sha256 = \"{}\"\nlicence = \"MIT\"\nsource = []\n\
         [[model]]\nprofile = \"full\"\nrole = \"embed\"\nname = \"F\"\nfile = \"f.gguf\"\nlicence = \"MIT\"\n\
         source = [\"https://models.example/f\"]\n",
        digest(b"good")
    ))
    .unwrap()
}

#[test]
fn lists_and_verifies_states() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = two_profiles();
    let states = |hash: bool| {
        let found = if hash {
            verify(dir.path(), &manifest, None, &mut |_| {}, &Cancel::default())
        } else {
            list(dir.path(), &manifest, None)
        };
        found.unwrap().into_iter().map(|status| status.state).collect::<Vec<_>>()
    };
    use FileState::{Missing, Present, Truncated, WrongHash};
    assert_eq!(states(false), [Missing, Missing]);
    for (bytes, by_size, by_hash) in [
        ("goo", Truncated, Truncated),
        ("goods", WrongHash, WrongHash),
        ("evil", Present, WrongHash),
        ("good", Present, Present),
    ] {
        std::fs::write(dir.path().join("s.gguf"), bytes).unwrap();
        assert_eq!((states(false)[0], states(true)[0]), (by_size, by_hash), "{bytes}");
    }
    let json =
        serde_json::to_value(&list(dir.path(), &manifest, Some(Profile::Starter)).unwrap()[0]).unwrap();
    assert_eq!(
        (&json["state"], &json["role"], &json["expected_size"]),
        (&"present".into(), &"embed".into(), &4.into())
    );
}

#[test]
fn resolves_configured_then_full_then_starter() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = two_profiles();
    let resolve =
        |configured: Option<&str>| resolve(dir.path(), &manifest, Role::Embed, configured.map(Path::new));
    assert!(
        matches!(resolve(None), Err(ModelError::Missing { role: "embed", path }) if path.ends_with("s.gguf"))
    );
    std::fs::write(dir.path().join("s.gguf"), "goo").unwrap();
    assert!(matches!(resolve(None), Err(ModelError::Truncated { found: 3, expected: 4, .. })));
    std::fs::write(dir.path().join("s.gguf"), "goods").unwrap();
    assert!(matches!(resolve(None), Err(ModelError::WrongKind { .. })));
    std::fs::write(dir.path().join("s.gguf"), "good").unwrap();
    assert!(resolve(None).unwrap().ends_with("s.gguf"));
    std::fs::write(dir.path().join("f.gguf"), "anything").unwrap();
    assert!(resolve(None).unwrap().ends_with("f.gguf"));
    assert!(resolve(Some("s.gguf")).unwrap().ends_with("s.gguf"));
    assert!(matches!(resolve(Some("none.gguf")), Err(ModelError::Missing { .. })));
}
