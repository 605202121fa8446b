//! What the tests share: models that are no models, and a folder with an engine over it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use polyrag::ask::{self, AskOptions, Ranking};
use polyrag::config::Config;
use polyrag::decide::route::StoreKind;
use polyrag::decide::text::folded_words;
use polyrag::engine::{Engine, new_trace_id};
use polyrag::ingest::{self, AddOptions, Silent, walk};
use polyrag::models::lazy::{Lazy, Models};
use polyrag::models::{
    Cancel, Embed, Finish, Generate, GenerateRequest, Generation, ModelError, ModelIdentity, Purpose,
};
use polyrag::report::{AddReport, AddedDocument, AskReport, Retrieved};
use polyrag::store::{catalog, doctor};
use polyrag::trace::Trace;

const DIMENSION: usize = 64;

fn identity(name: &str, dimension: usize) -> ModelIdentity {
    ModelIdentity { name: name.into(), fingerprint: "test".into(), dimension, pooling: String::new() }
}

/// Bag of words, hashed: texts with common words are near each other, equal texts are equal.
/// It remembers what it embedded, can be slow, and can refuse a text.
pub struct WordHashEmbedder {
    identity: ModelIdentity,
    texts: Mutex<Vec<String>>,
    refused: Mutex<Option<String>>,
    milliseconds: AtomicU64,
}

impl WordHashEmbedder {
    fn new() -> Self {
        Self {
            identity: identity("word hash", DIMENSION),
            texts: Mutex::default(),
            refused: Mutex::default(),
            milliseconds: AtomicU64::new(0),
        }
    }

    /// Returns the texts embedded since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.texts.lock().unwrap())
    }

    /// Refuses texts that hold this word from now on.
    pub fn refuse(&self, word: Option<&str>) {
        *self.refused.lock().unwrap() = word.map(str::to_owned);
    }

    /// Takes this long for each text from now on.
    pub fn be_slow(&self, milliseconds: u64) {
        self.milliseconds.store(milliseconds, Ordering::SeqCst);
    }
}

impl Embed for WordHashEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, _: Purpose, texts: &[&str], cancel: &Cancel) -> Result<Vec<Vec<f32>>, ModelError> {
        // Stricter than a real one: nothing empty, and no batch that could not be cancelled soon.
        assert!(texts.len() <= 64 && texts.iter().all(|text| !text.trim().is_empty()), "{texts:?}");
        let mut vectors = Vec::new();
        for text in texts {
            std::thread::sleep(Duration::from_millis(self.milliseconds.load(Ordering::SeqCst)));
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            if self.refused.lock().unwrap().as_ref().is_some_and(|word| text.contains(word.as_str())) {
                return Err(ModelError::BadVector { found: "NaN".into(), bytes: text.len() });
            }
            self.texts.lock().unwrap().push((*text).to_owned());
            let mut vector = vec![0.0_f32; DIMENSION];
            vector[0] = 0.1;
            for word in folded_words(text) {
                let hash = blake3::hash(word.as_bytes());
                vector[1 + usize::from(hash.as_bytes()[0]) % (DIMENSION - 1)] += 1.0;
            }
            let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            vectors.push(vector.into_iter().map(|value| value / norm).collect());
        }
        Ok(vectors)
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(text.split_whitespace().count())
    }

    fn window_tokens(&self) -> usize {
        512
    }
}

/// Says what it was told to say, whatever it is asked.
pub struct Parrot {
    identity: ModelIdentity,
    says: Mutex<(String, Finish)>,
}

impl Parrot {
    /// Says this from now on.
    pub fn say(&self, text: &str, finish: Finish) {
        *self.says.lock().unwrap() = (text.to_owned(), finish);
    }
}

impl Generate for Parrot {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn context_tokens(&self) -> usize {
        8192
    }

    fn count_tokens(&self, text: &str) -> Result<usize, ModelError> {
        Ok(text.split_whitespace().count())
    }

    fn template_tokens(&self) -> usize {
        8
    }

    fn generate(
        &self,
        request: &GenerateRequest,
        _: &Cancel,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Generation, ModelError> {
        let (text, finish) = self.says.lock().unwrap().clone();
        on_text(&text);
        let prompt_tokens = self.count_tokens(&request.user)?;
        Ok(Generation {
            completion_tokens: self.count_tokens(&text)?,
            text,
            finish,
            prompt_tokens,
            cached_tokens: 0,
            first_token_ms: 1.0,
            total_ms: 1.0,
        })
    }
}

/// A folder of files, a data folder, and an engine between them.
pub struct World {
    _folder: tempfile::TempDir,
    _data: tempfile::TempDir,
    /// The files' folder, without links.
    pub root: PathBuf,
    /// The data folder.
    pub data: PathBuf,
    pub engine: Engine,
    pub embedder: Arc<WordHashEmbedder>,
    pub parrot: Arc<Parrot>,
}

/// Quick to settle, and evidence of any strength counts: the embedder knows no meaning.
const CONFIG: &str = "
[router]
evidence_floor = 0.0
[watch]
settle_ms = 150
open_settle_ms = 600
burst_ms = 3000
rescan_seconds = 3600
retry_seconds = 1
";

impl World {
    pub fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().canonicalize().unwrap();
        Self::with(tempfile::tempdir().unwrap(), data, path)
    }

    /// A world whose data folder lies in the files' folder.
    pub fn with_data_inside() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("store");
        Self::with(folder, tempfile::tempdir().unwrap(), path)
    }

    fn with(folder: tempfile::TempDir, data_folder: tempfile::TempDir, data: PathBuf) -> Self {
        let root = folder.path().canonicalize().unwrap();
        let embedder = Arc::new(WordHashEmbedder::new());
        let says = Mutex::new((String::new(), Finish::Stop));
        let parrot = Arc::new(Parrot { identity: identity("parrot", 0), says });
        let models = Models {
            embed: Lazy::<dyn Embed>::ready(embedder.clone()),
            generate: Lazy::<dyn Generate>::ready(parrot.clone()),
            ocr: Lazy::new(|| Err(ModelError::NoRuntime)),
            generator_name: "parrot".into(),
        };
        let engine = Engine::open(&data, Config::parse(CONFIG, "test").unwrap(), models).unwrap();
        Self { _folder: folder, _data: data_folder, root, data, engine, embedder, parrot }
    }

    /// The same data folder with no model at all.
    pub fn without_models(&self) -> Engine {
        let models = Models {
            embed: Lazy::new(|| Err(ModelError::NoRuntime)),
            generate: Lazy::new(|| Err(ModelError::NoRuntime)),
            ocr: Lazy::new(|| Err(ModelError::NoRuntime)),
            generator_name: String::new(),
        };
        Engine::open(&self.data, Config::parse(CONFIG, "test").unwrap(), models).unwrap()
    }

    pub fn path(&self, name: &str) -> String {
        self.root.join(name).display().to_string()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn delete(&self, name: &str) {
        std::fs::remove_file(self.root.join(name)).unwrap();
    }

    pub fn rename(&self, from: &str, to: &str) {
        let to = self.root.join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(self.root.join(from), to).unwrap();
    }

    pub fn options() -> AddOptions {
        AddOptions { fast_extraction: true, ..AddOptions::default() }
    }

    pub fn add_with(&self, paths: &[PathBuf], options: &AddOptions) -> AddReport {
        ingest::add(&self.engine, paths, options, &Cancel::default(), &mut Silent).unwrap()
    }

    /// Adds the whole folder.
    pub fn add(&self) -> AddReport {
        self.add_with(std::slice::from_ref(&self.root), &Self::options())
    }

    /// Adds the whole folder, and removes what is gone from it.
    pub fn mirror(&self) -> AddReport {
        let options = AddOptions { mirror: true, ..Self::options() };
        self.add_with(std::slice::from_ref(&self.root), &options)
    }

    /// Adds the whole folder into one store.
    pub fn add_to(&self, store: StoreKind) -> AddReport {
        let options = AddOptions { store: Some(store), ..Self::options() };
        self.add_with(std::slice::from_ref(&self.root), &options)
    }

    pub fn count(&self, sql: &str) -> i64 {
        self.engine.reader().unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// Names, relative to the folder, of all files of the catalog.
    pub fn stored(&self) -> BTreeSet<String> {
        let files = catalog::files(&self.engine.reader().unwrap()).unwrap();
        files.into_iter().map(|file| self.relative(&file.path)).collect()
    }

    pub fn relative(&self, path: &str) -> String {
        Path::new(path).strip_prefix(&self.root).unwrap().display().to_string()
    }

    /// Paths a person would see: every document with the other paths it is at.
    pub fn listed(&self) -> Vec<Vec<String>> {
        let documents = catalog::documents(&self.engine.reader().unwrap()).unwrap();
        let paths = |document: catalog::StoredDocument| {
            std::iter::once(&document.path).chain(&document.also_at).map(|path| self.relative(path)).collect()
        };
        documents.into_iter().map(paths).collect()
    }

    /// Every store agrees with the catalog.
    pub fn sound(&self) {
        let reader = self.engine.reader().unwrap();
        let config = &self.engine.config;
        let diagnosis = doctor::diagnose(&reader, self.engine.data(), &config.vector, &config.graph).unwrap();
        assert!(diagnosis.ok, "{:#?}", diagnosis.checks);
    }

    /// The catalog has exactly the files on disk, each with the bytes it has there.
    pub fn equals_disk(&self) -> Result<(), String> {
        let own = walk::Own::new(&self.data, Arc::default());
        let found = walk::files(std::slice::from_ref(&self.root), &own);
        let on_disk: BTreeSet<(String, String)> = found
            .files
            .iter()
            .map(|file| (file.display().to_string(), std::fs::read(file).unwrap_or_default()))
            .map(|(path, bytes)| (path, blake3::hash(&bytes).to_hex().to_string()))
            .collect();
        let stored: BTreeSet<(String, String)> = catalog::files(&self.engine.reader().unwrap())
            .unwrap()
            .into_iter()
            .map(|file| (file.path, file.content_hash))
            .collect();
        if on_disk == stored { Ok(()) } else { Err(format!("disk {on_disk:#?}\ncatalog {stored:#?}")) }
    }

    pub fn search(&self, store: Ranking, question: &str) -> Vec<Retrieved> {
        ask::search(&self.engine, question, store, 10, &Cancel::default()).unwrap()
    }

    pub fn ask(&self, question: &str) -> AskReport {
        let trace = Trace::new(new_trace_id(), None);
        let options = AskOptions::default();
        ask::ask(&self.engine, question, &options, &trace, &Cancel::default(), &mut |_| {}).unwrap()
    }
}

/// `name status` for every document of a report, in order of names.
pub fn statuses(world: &World, report: &AddReport) -> Vec<String> {
    let line = |document: &AddedDocument| format!("{} {}", world.relative(&document.path), document.status);
    let mut lines: Vec<String> = report.documents.iter().map(line).collect();
    lines.sort();
    lines
}
