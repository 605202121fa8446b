//! The engine: a data folder, its models, one writer and any number of snapshots.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::config::{Config, RouteConfig};
use crate::decide::calibrate::{Calibration, Fit, Scale, from_phrases};
use crate::decide::route::{Route, StoreKind};
use crate::error::{Error, Result};
use crate::models::lazy::Models;
use crate::models::{Cancel, Embed, ModelIdentity, Purpose};
use crate::store::graph::{GraphIndex, GraphWriter};
use crate::store::vectors::{VectorIndex, blob_to_vector, vector_to_blob};
use crate::store::vocabulary::Vocabulary;
use crate::store::{StoreError, calibrations, catalog};

/// A data folder opened for questions and changes.
pub struct Engine {
    /// Settings in force.
    pub config: Config,
    /// Models, loaded on first use.
    pub models: Models,
    data: PathBuf,
    writer: Mutex<Writer>,
    snapshot: RwLock<Option<Arc<Snapshot>>>,
}

/// The one connection that writes, with what only writing needs.
struct Writer {
    connection: Connection,
    graph_writer: GraphWriter,
    /// Corpus version `graph_writer` was read at; another process may have moved on.
    version: i64,
}

/// Everything a question reads, of one corpus version; a question keeps one to its end.
pub struct Snapshot {
    /// The corpus version it shows.
    pub version: i64,
    /// Chunk embeddings.
    pub vectors: VectorIndex,
    /// Facts and passages.
    pub graph: GraphIndex,
    /// Names the stores hold, for the cache's guard.
    pub vocabulary: Vocabulary,
    /// Routes for questions.
    pub question_routes: Vec<Route>,
    /// Routes for chunks.
    pub content_routes: Vec<Route>,
    /// Thresholds, fitted for the embedder.
    pub calibration: Calibration,
}

impl Engine {
    /// Opens a data folder, creating it if needed.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder can't be made; [`Error::Store`] when the catalog can't be opened.
    pub fn open(data: &Path, config: Config, models: Models) -> Result<Self> {
        std::fs::create_dir_all(data).map_err(|source| Error::Io { path: data.to_owned(), source })?;
        let writer = catalog::open_writer(&catalog::path_in(data))?;
        Ok(Self {
            config,
            models,
            data: data.to_owned(),
            writer: Mutex::new(Writer {
                connection: writer,
                graph_writer: GraphWriter::default(),
                version: -1,
            }),
            snapshot: RwLock::new(None),
        })
    }

    /// The data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs short bookkeeping on the writing connection: what changes no document.
    ///
    /// # Errors
    /// What `work` returns.
    pub fn bookkeeping<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        work(&self.writer().connection)
    }

    /// Changes the corpus in one transaction: all of `work` becomes visible at once, or nothing.
    ///
    /// Raises the corpus version, which drops the cached answers of the older one. Never call a
    /// model inside: questions and other writers would wait for it.
    ///
    /// # Errors
    /// What `work` returns, after undoing it; [`StoreError::Sqlite`].
    pub fn change<T>(&self, work: impl FnOnce(&Transaction, &mut GraphWriter) -> Result<T>) -> Result<T> {
        self.transaction(true, work)
    }

    /// Does as [`Engine::change`] and undoes it: to learn what a change would bring.
    ///
    /// # Errors
    /// As [`Engine::change`].
    pub fn rehearse<T>(&self, work: impl FnOnce(&Transaction, &mut GraphWriter) -> Result<T>) -> Result<T> {
        self.transaction(false, work)
    }

    fn transaction<T>(
        &self,
        keep: bool,
        work: impl FnOnce(&Transaction, &mut GraphWriter) -> Result<T>,
    ) -> Result<T> {
        let mut writer = self.writer();
        let Writer { connection, graph_writer, version } = &mut *writer;
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(StoreError::from)?;
        let current = catalog::corpus_version(&transaction)?;
        if *version != current {
            *graph_writer = GraphWriter::load(&transaction).map_err(StoreError::from)?;
            *version = current;
        }
        let outcome = work(&transaction, graph_writer).and_then(|value| {
            if !keep {
                transaction.rollback().map_err(StoreError::from)?;
                return Ok((value, current));
            }
            let next = catalog::bump_corpus_version(&transaction)?;
            transaction.commit().map_err(StoreError::from)?;
            Ok((value, next))
        });
        match outcome {
            Ok((value, reached)) if reached != current => {
                graph_writer.commit();
                *version = reached;
                Ok(value)
            }
            Ok((value, _)) => {
                graph_writer.rollback();
                Ok(value)
            }
            Err(error) => {
                graph_writer.rollback();
                Err(error)
            }
        }
    }

    /// Opens a connection that reads.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`].
    pub fn reader(&self) -> Result<Connection> {
        Ok(catalog::open_reader(&catalog::path_in(&self.data))?)
    }

    /// The embedder, checked against the one the stored vectors come from.
    ///
    /// # Errors
    /// [`Error::Model`] when it can't be loaded, [`StoreError::OtherEmbedder`] when it differs.
    pub fn embedder(&self) -> Result<Arc<dyn Embed>> {
        let embedder = self.models.embed.get()?;
        let identity = serde_json::to_string(embedder.identity()).unwrap_or_default();
        let writer = self.writer();
        let connection = &writer.connection;
        match catalog::meta(connection, "embedder")? {
            None => catalog::set_meta(connection, "embedder", &identity)?,
            Some(stored) if stored == identity => {}
            Some(stored) => {
                let name = |json: &str| {
                    serde_json::from_str::<ModelIdentity>(json)
                        .map_or_else(|_| json.to_owned(), |id| format!("{} ({})", id.name, id.fingerprint))
                };
                let chunks: i64 = connection
                    .query_row("SELECT count(*) FROM chunks", [], |row| row.get(0))
                    .map_err(StoreError::from)?;
                if chunks > 0 {
                    let (stored, configured) = (name(&stored), name(&identity));
                    return Err(StoreError::OtherEmbedder { stored, configured }.into());
                }
                catalog::set_meta(connection, "embedder", &identity)?;
            }
        }
        drop(writer);
        Ok(embedder)
    }

    /// Returns a snapshot of the corpus as it is now, loading it if it changed since the last.
    ///
    /// # Errors
    /// [`Error::Store`], [`Error::Model`] when the anchors can't be embedded.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>> {
        let reader = self.reader()?;
        let version = catalog::corpus_version(&reader)?;
        if let Some(known) = self.snapshot.read().unwrap_or_else(PoisonError::into_inner).as_ref()
            && known.version == version
        {
            return Ok(Arc::clone(known));
        }
        let mut slot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        let question_routes = self.embed_routes(RouteSide::Questions)?;
        let content_routes = self.embed_routes(RouteSide::Content)?;
        let calibration = self.calibration(&question_routes, &content_routes)?;
        let transaction = reader.unchecked_transaction().map_err(StoreError::from)?;
        let version = catalog::corpus_version(&transaction)?;
        let snapshot = Arc::new(Snapshot {
            version,
            vectors: VectorIndex::load(&transaction, &self.data, version, &self.config.vector)?,
            graph: GraphIndex::load(&transaction, &self.config.graph).map_err(StoreError::from)?,
            vocabulary: Vocabulary::load(&transaction)?,
            calibration,
            question_routes,
            content_routes,
        });
        *slot = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// The calibration in force for the embedder: of a labelled set, else of the example phrases,
    /// fitted and kept when these phrases are new.
    fn calibration(&self, questions: &[Route], content: &[Route]) -> Result<Calibration> {
        let fit = self.fit()?;
        let known = calibrations::in_force(&self.writer().connection, &fit.embedder, &fit.fitted_for)?;
        match known {
            Some(known) => Ok(known),
            None => {
                let fitted = from_phrases(&fit, questions, content, self.scale()?);
                // The person did not ask: a labelled set's fit waits for its phrases to come back.
                calibrations::save(&self.writer().connection, &fitted, false, now())?;
                Ok(fitted)
            }
        }
    }

    /// Fits from the example phrases, without putting the result in force.
    ///
    /// # Errors
    /// [`Error::Store`], [`Error::Model`].
    pub fn fitted_from_phrases(&self) -> Result<Calibration> {
        let (questions, content) =
            (self.embed_routes(RouteSide::Questions)?, self.embed_routes(RouteSide::Content)?);
        Ok(from_phrases(&self.fit()?, &questions, &content, self.scale()?))
    }

    /// Puts a calibration in force, from the next question on; one from the phrases ends a labelled set's.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub fn keep_calibration(&self, calibration: &Calibration) -> Result<()> {
        calibrations::save(&self.writer().connection, calibration, true, now())?;
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// What a fit needs to know: the embedder, and what the phrases and settings are.
    ///
    /// # Errors
    /// [`Error::Model`], [`Error::Store`].
    pub fn fit(&self) -> Result<Fit<'_>> {
        let embedder = serde_json::to_string(self.embedder()?.identity()).unwrap_or_default();
        let Config { routes, router, calibration, cache, .. } = &self.config;
        let settings = serde_json::to_string(&(routes, router, calibration, cache.threshold));
        let fitted_for = blake3::hash(settings.unwrap_or_default().as_bytes()).to_hex()[..16].to_owned();
        Ok(Fit { embedder, fitted_for, router, config: calibration, cache_threshold: cache.threshold })
    }

    /// The embedder's scale, measured on the phrases the program comes with: a person's own phrases
    /// must not move the thresholds of the configuration.
    fn scale(&self) -> Result<Option<Scale>> {
        Ok(Scale::of(&self.embedded(&Config::defaults()?.routes, RouteSide::Questions)?))
    }

    /// Embeds the example phrases of the routes; phrases seen before come from the catalog.
    ///
    /// # Errors
    /// [`Error::Store`], [`Error::Model`].
    pub fn embed_routes(&self, side: RouteSide) -> Result<Vec<Route>> {
        self.embedded(&self.config.routes, side)
    }

    fn embedded(&self, configured: &[RouteConfig], side: RouteSide) -> Result<Vec<Route>> {
        let mut routes = Vec::new();
        for route in configured {
            let phrases = match side {
                RouteSide::Questions => &route.questions,
                RouteSide::Content => &route.content,
            };
            if phrases.is_empty() {
                continue;
            }
            let purpose = match side {
                RouteSide::Questions => Purpose::Query,
                RouteSide::Content => Purpose::Passage,
            };
            let texts: Vec<&str> = phrases.iter().map(String::as_str).collect();
            let vectors = self.embed_remembered(purpose, &texts)?;
            routes.push(Route {
                name: route.name.clone(),
                store: route.store,
                phrases: phrases.clone(),
                vectors,
            });
        }
        Ok(routes)
    }

    /// Embeds texts that never change, remembering their vectors in the catalog.
    fn embed_remembered(&self, purpose: Purpose, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let embedder = self.embedder()?;
        let key = |text: &str| {
            let identity = &embedder.identity().fingerprint;
            blake3::hash(format!("{identity}\0{purpose:?}\0{text}").as_bytes()).to_hex()[..32].to_owned()
        };
        let mut found = Vec::with_capacity(texts.len());
        {
            let writer = self.writer();
            for text in texts {
                let blob = catalog::remembered(&writer.connection, &key(text))?;
                found.push(blob.map(|blob| blob_to_vector(&blob)));
            }
        }
        let missing: Vec<&str> =
            texts.iter().zip(&found).filter(|(_, vector)| vector.is_none()).map(|(text, _)| *text).collect();
        if !missing.is_empty() {
            let mut fresh = embedder.embed(purpose, &missing, &Cancel::default())?.into_iter();
            let writer = self.writer();
            for (text, slot) in texts.iter().zip(found.iter_mut()).filter(|(_, slot)| slot.is_none()) {
                let vector = fresh.next().unwrap_or_default();
                catalog::remember(&writer.connection, &key(text), &vector_to_blob(&vector))?;
                *slot = Some(vector);
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Stores that hold anything in this snapshot.
    pub fn filled_stores(snapshot: &Snapshot) -> Vec<StoreKind> {
        StoreKind::ALL.into_iter().filter(|store| snapshot.vectors.count(*store) > 0).collect()
    }
}

/// Which example phrases of the routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteSide {
    /// Phrases like questions.
    Questions,
    /// Phrases like stored text.
    Content,
}

/// Seconds since 1970.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs() as i64)
}

/// A fresh trace id: 16 hexadecimal digits.
pub fn new_trace_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_nanos());
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    blake3::hash(format!("{nanos} {count} {}", std::process::id()).as_bytes()).to_hex()[..16].to_owned()
}
