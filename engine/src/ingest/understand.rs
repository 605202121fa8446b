//! What models add to chunks: vectors, placements, facts.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::decide::route::StoreKind;
use crate::decide::triples::Triple;
use crate::engine::Engine;
use crate::error::Result;
use crate::ingest::adder::Adder;
use crate::ingest::extract::{ExtractionCache, Extractor, Passage};
use crate::ingest::prepare::{self, Prepared, PreparedChunk};
use crate::ingest::storing::titles_of;
use crate::models::Purpose;
use crate::store::catalog::NewChunk;
use crate::store::graph::GraphPassage;
use crate::store::{StoreError, catalog, graph};

impl Adder<'_> {
    /// Embeds every chunk (reusing vectors of unchanged text) and decides where it goes.
    pub(super) fn embed_and_place(
        &mut self,
        batch: &[Prepared],
        done: &mut usize,
        total: usize,
    ) -> Result<Vec<NewChunk>> {
        if batch.iter().all(|document| document.chunks.is_empty()) {
            return Ok(Vec::new());
        }
        let all: Vec<&PreparedChunk> = batch.iter().flat_map(|document| &document.chunks).collect();
        let mut vectors: Vec<Option<Vec<f32>>> = Vec::with_capacity(all.len());
        let connection = self.engine.reader()?;
        for chunk in &all {
            vectors.push(catalog::embedding_of(&connection, &chunk.hash())?);
        }
        let missing: Vec<String> = all
            .iter()
            .zip(&vectors)
            .filter(|(_, vector)| vector.is_none())
            .map(|(chunk, _)| chunk.embedded_text())
            .collect();
        *done += all.len() - missing.len();
        let embedder = self.engine.embedder()?;
        let mut fresh = Vec::with_capacity(missing.len());
        for group in missing.chunks(32) {
            let texts: Vec<&str> = group.iter().map(String::as_str).collect();
            fresh.extend(embedder.embed(Purpose::Passage, &texts, self.cancel)?);
            *done += group.len();
            self.progress.step("embedding", *done, total);
        }
        let mut fresh = fresh.into_iter();
        for slot in vectors.iter_mut().filter(|slot| slot.is_none()) {
            *slot = fresh.next();
        }
        let placer = prepare::Placer::new(self.engine, self.asked)?;
        let mut vectors = vectors.into_iter().map(Option::unwrap_or_default);
        Ok(batch
            .iter()
            .flat_map(|document| {
                let own = vectors.by_ref().take(document.chunks.len()).collect();
                placer.document(&document.chunks, own)
            })
            .collect())
    }

    /// Triples of every chunk that goes to the graph; an empty list for the others.
    pub(super) fn extract(&mut self, batch: &[Prepared], chunks: &[NewChunk]) -> Result<Vec<Vec<Triple>>> {
        let names: Vec<&str> = batch
            .iter()
            .flat_map(|document| document.chunks.iter().map(|_| document.document.name.as_str()))
            .collect();
        let wanted: Vec<usize> =
            (0..chunks.len()).filter(|at| chunks[*at].stores.contains(&StoreKind::Graph)).collect();
        let mut triples = vec![Vec::new(); chunks.len()];
        if wanted.is_empty() {
            return Ok(triples);
        }
        if let Some(given) = self.triples {
            for at in wanted {
                triples[at] = given.of(names[at], &chunks[at].text);
            }
            return Ok(triples);
        }
        // Without a generator the patterns do it: a document is better half understood than refused.
        let generator =
            if self.options.fast_extraction { None } else { self.engine.models.generate.get().ok() };
        let headings: Vec<Vec<&str>> =
            wanted.iter().map(|at| chunks[*at].headings.iter().map(String::as_str).collect()).collect();
        let passages: Vec<Passage> = wanted
            .iter()
            .zip(&headings)
            .map(|(at, headings)| Passage { text: &chunks[*at].text, headings })
            .collect();
        let cache = RememberedOutputs { engine: self.engine };
        let extractor = Extractor::new(generator.as_deref(), &self.engine.config.extraction, &cache);
        let progress = Mutex::new(&mut *self.progress);
        let found = extractor.extract_all(&passages, self.cancel, &|done| {
            if let Ok(mut progress) = progress.lock() {
                progress.step("extracting facts", done, passages.len());
            }
        })?;
        for (at, extracted) in wanted.into_iter().zip(found) {
            triples[at] = extracted.triples;
        }
        Ok(triples)
    }

    /// Embeds the words of facts and entities that have no stored vector.
    pub(super) fn embed_facts(
        &mut self,
        chunks: &[NewChunk],
        triples: &[Vec<Triple>],
    ) -> Result<HashMap<String, Vec<f32>>> {
        let titles: Vec<Vec<&str>> = chunks.iter().map(titles_of).collect();
        let passages: Vec<GraphPassage> = chunks
            .iter()
            .zip(&titles)
            .zip(triples)
            .filter(|((chunk, _), _)| chunk.stores.contains(&StoreKind::Graph))
            .map(|((chunk, titles), triples)| GraphPassage {
                chunk_id: 0,
                titles,
                text: &chunk.text,
                triples,
            })
            .collect();
        let texts = graph::texts_to_embed(&self.engine.reader()?, &passages, &self.engine.config.graph)
            .map_err(StoreError::from)?;
        let embedder = self.engine.embedder()?;
        let mut vectors = HashMap::with_capacity(texts.len());
        for group in texts.chunks(64) {
            let slices: Vec<&str> = group.iter().map(String::as_str).collect();
            let embedded = embedder.embed(Purpose::Passage, &slices, self.cancel)?;
            vectors.extend(group.iter().cloned().zip(embedded));
            self.progress.step("embedding facts", vectors.len(), texts.len());
        }
        Ok(vectors)
    }
}

/// Model outputs kept in the catalog: an extraction that was cut off goes on where it was.
struct RememberedOutputs<'a> {
    engine: &'a Engine,
}

impl ExtractionCache for RememberedOutputs<'_> {
    fn get(&self, key: &str) -> Option<String> {
        self.engine.bookkeeping(|connection| Ok(catalog::model_output(connection, key)?)).ok().flatten()
    }

    fn put(&self, key: &str, output: &str) {
        // A lost output is only extracted again.
        let _ =
            self.engine.bookkeeping(|connection| Ok(catalog::keep_model_output(connection, key, output)?));
    }
}
