//! Scans on their way into the catalog: what has no text yet is listed, and read when it can be.
#![allow(clippy::unwrap_used)]

mod pages_support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pages_support::{Page, pdf};
use polyrag::config::Config;
use polyrag::engine::Engine;
use polyrag::ingest::{self, AddOptions, OcrMode, Silent};
use polyrag::models::lazy::{Lazy, Models};
use polyrag::models::{Cancel, Embed, ModelError, ModelIdentity, Ocr, OcrLine, Purpose};
use polyrag::report::AddedDocument;
use polyrag::store::catalog;

/// Embeds by the letters of a text: these tests are about what arrives, not where it goes.
struct Letters(ModelIdentity);

impl Embed for Letters {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }

    fn embed(&self, _: Purpose, texts: &[&str], _: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        let embed = |text: &&str| {
            let mut vector = [0.1_f32; 32];
            for byte in text.bytes() {
                vector[usize::from(byte % 32)] += 1.0;
            }
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            vector.iter().map(|value| value / length).collect()
        };
        Ok(texts.iter().map(embed).collect())
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(text.split_whitespace().count())
    }

    fn window_tokens(&self) -> usize {
        500
    }
}

/// OCR that can be switched off, and counts its pictures.
#[derive(Default)]
struct Switch {
    broken: AtomicBool,
    calls: AtomicUsize,
}

struct Eyes(ModelIdentity, Arc<Switch>);

impl Ocr for Eyes {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }

    fn read(&self, _: usize, _: usize, _: &[u8], _: &Cancel) -> Result<Vec<OcrLine>, ModelError> {
        self.1.calls.fetch_add(1, Ordering::SeqCst);
        if self.1.broken.load(Ordering::SeqCst) {
            return Err(ModelError::Runtime { role: "ocr", reason: "out of order".into() });
        }
        let text = "Fatura 1043 da oficina Serra Azul".to_owned();
        Ok(vec![OcrLine { text, confidence: 0.9, bounds: [10.0, 10.0, 400.0, 40.0] }])
    }
}

struct Bench {
    folder: tempfile::TempDir,
    engine: Engine,
    switch: Arc<Switch>,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let switch = Arc::new(Switch::default());
    let identity = |name: &str| ModelIdentity {
        name: name.into(),
        fingerprint: name.into(),
        dimension: 32,
        pooling: String::new(),
    };
    let models = Models {
        embed: Lazy::ready(Arc::new(Letters(identity("letters"))) as Arc<dyn Embed>),
        generate: Lazy::new(|| Err(ModelError::NoRuntime)),
        ocr: Lazy::ready(Arc::new(Eyes(identity("eyes"), Arc::clone(&switch))) as Arc<dyn Ocr>),
        generator_name: String::new(),
    };
    let engine = Engine::open(&folder.path().join("data"), Config::defaults().unwrap(), models).unwrap();
    Bench { folder, engine, switch }
}

impl Bench {
    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn add(&self, path: &Path, ocr: OcrMode) -> AddedDocument {
        let options = AddOptions { ocr, fast_extraction: true, ..AddOptions::default() };
        let mut report =
            ingest::add(&self.engine, &[path.to_owned()], &options, &Cancel::default(), &mut Silent).unwrap();
        assert_eq!(report.documents.len(), 1);
        report.documents.remove(0)
    }

    /// Texts of all chunks.
    fn texts(&self) -> String {
        let reader = self.engine.reader().unwrap();
        let mut statement = reader.prepare("SELECT text FROM chunks ORDER BY id").unwrap();
        let texts: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().flatten().collect();
        texts.join("\n")
    }

    fn details(&self) -> serde_json::Value {
        let documents = catalog::documents(&self.engine.reader().unwrap()).unwrap();
        assert_eq!(documents.len(), 1);
        serde_json::to_value(&documents[0]).unwrap()["details"].clone()
    }
}

#[test]
fn d07_a_scan_is_listed_without_text_and_filled_when_ocr_works() {
    let bench = bench();
    let path = bench.write("digitalizado.pdf", &pdf(&[Page::new().scan(200)]));
    let off = bench.add(&path, OcrMode::Off);
    assert_eq!((off.status.as_str(), off.chunks), ("failed", 0));
    assert!(off.error.unwrap().contains("OCR is off"));
    assert_eq!(bench.details()["status"], "no text");
    assert!(bench.details()["reason"].as_str().unwrap().contains("page 1"));

    bench.switch.broken.store(true, Ordering::SeqCst);
    let failing = bench.add(&path, OcrMode::Auto);
    assert_eq!(failing.status, "failed");
    assert!(failing.error.unwrap().contains("no text"));
    assert_eq!(bench.switch.calls.load(Ordering::SeqCst), 1);

    bench.switch.broken.store(false, Ordering::SeqCst);
    let read = bench.add(&path, OcrMode::Auto);
    assert_eq!((read.status.as_str(), read.chunks, read.error), ("updated", 1, None));
    assert!(bench.texts().contains("Fatura 1043"));
    assert_eq!(bench.details()["status"], serde_json::Value::Null);

    let again = bench.add(&path, OcrMode::Auto);
    assert_eq!((again.status.as_str(), bench.switch.calls.load(Ordering::SeqCst)), ("unchanged", 2));
}

#[test]
fn d07_a_mixed_file_keeps_its_text_and_waits_for_the_rest() {
    let bench = bench();
    let digital =
        Page::new().lines(50.0, 80.0, 10.0, &["Esta página tem uma camada de texto boa e legível."]);
    let path = bench.write("misto.pdf", &pdf(&[digital, Page::new().scan(150)]));
    let first = bench.add(&path, OcrMode::Off);
    assert_eq!(first.status, "added");
    assert!(first.warnings.iter().any(|warning| warning.contains("page 2")), "{:?}", first.warnings);
    assert_eq!(bench.details()["status"], "incomplete");
    let second = bench.add(&path, OcrMode::Auto);
    assert_eq!(second.status, "updated");
    assert!(bench.texts().contains("camada de texto") && bench.texts().contains("Serra Azul"));
}

#[test]
fn d08_forced_ocr_reads_a_known_file_again_and_lasts() {
    let bench = bench();
    let digital = Page::new().lines(50.0, 80.0, 10.0, &["Uma camada de texto perfeitamente boa e legível."]);
    let path = bench.write("bom.pdf", &pdf(&[digital]));
    assert_eq!(bench.add(&path, OcrMode::Auto).status, "added");
    assert_eq!(bench.add(&path, OcrMode::Force).status, "updated");
    assert_eq!(bench.texts(), "Fatura 1043 da oficina Serra Azul");
    assert_eq!(bench.add(&path, OcrMode::Force).status, "unchanged");
    assert_eq!(bench.add(&path, OcrMode::Auto).status, "unchanged");
    assert_eq!(bench.switch.calls.load(Ordering::SeqCst), 1);
}

#[test]
fn a_locked_file_names_the_way_out_and_stops_nothing() {
    let bench = bench();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let locked = bench.write("trancado.pdf", &std::fs::read(fixtures.join("user_aes_256.pdf")).unwrap());
    let free = bench.write("livre.pdf", &std::fs::read(fixtures.join("owner_rc4_128.pdf")).unwrap());
    let options = AddOptions { fast_extraction: true, ..AddOptions::default() };
    let add = |options: &AddOptions| {
        let paths = [locked.clone(), free.clone()];
        ingest::add(&bench.engine, &paths, options, &Cancel::default(), &mut Silent).unwrap().documents
    };
    let documents = add(&options);
    let error = documents.iter().find_map(|document| document.error.clone()).unwrap();
    assert!(error.contains("trancado.pdf") && error.contains("polyrag add --password"), "{error}");
    assert!(documents.iter().any(|document| document.status == "added"));
    let documents = add(&AddOptions { password: Some("segredo".into()), ..options });
    assert!(documents.iter().all(|document| document.error.is_none()), "{documents:?}");
    assert!(bench.texts().contains("elevadores"));
}
