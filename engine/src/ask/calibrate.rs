//! Calibration from a labelled set: questions whose store is known, run through the router.

use serde::Deserialize;

use crate::ask::{AskOptions, embed, plain_request, retrieve};
use crate::decide::calibrate::{Calibration, Sample, from_labelled};
use crate::decide::route::{StoreKind, combined};
use crate::engine::{Engine, new_trace_id};
use crate::error::{Error, Result};
use crate::models::Cancel;
use crate::trace::Trace;

/// A question with its right store, as a line of a labelled set; other keys are ignored.
#[derive(Debug, Clone, Deserialize)]
pub struct Labelled {
    /// The question.
    pub question: String,
    /// Its store.
    #[serde(default)]
    pub route: Option<String>,
    /// Its stores, as in a golden set; a question with several is left out.
    #[serde(default)]
    pub routes: Vec<String>,
    /// Whether the files hold no answer.
    #[serde(default, alias = "absent")]
    pub unanswerable: bool,
}

impl Labelled {
    /// The right store, `None` for a question without an answer; the outer `None` leaves it out.
    fn truth(&self) -> Result<Option<Option<StoreKind>>> {
        let names: Vec<&str> = self.route.iter().chain(&self.routes).map(String::as_str).collect();
        match names.as_slice() {
            [] if self.unanswerable => Ok(Some(None)),
            [name] => StoreKind::parse(name).map(|store| Some(Some(store))).ok_or_else(|| {
                Error::Usage(format!(
                    "`{}`: unknown route `{name}`: use relational, vector or graph",
                    self.question
                ))
            }),
            [] => Err(Error::Usage(format!("`{}` has no `route` and is not `unanswerable`", self.question))),
            _ => Ok(None),
        }
    }
}

/// Fits the thresholds of the embedder in use to a labelled set and puts them in force.
///
/// # Errors
/// [`Error::Usage`] naming the question that has no known route; [`Error::Model`], [`Error::Store`].
pub fn calibrate(engine: &Engine, set: &[Labelled], name: &str, cancel: &Cancel) -> Result<Calibration> {
    let base = engine.fitted_from_phrases()?;
    let trace = Trace::new(new_trace_id(), None);
    let options = AskOptions::default();
    let request = plain_request(engine, &options, &trace, cancel)?;
    let connection = engine.reader()?;
    let mut samples = Vec::new();
    for labelled in set {
        let Some(truth) = labelled.truth()? else { continue };
        let vector = embed(engine, &[&labelled.question], &trace, cancel)?.remove(0);
        let (decision, _) = retrieve::route(&request, &connection, &labelled.question, &vector)?;
        samples.push(Sample {
            truth,
            scores: combined(&decision, decision.anchor_weight),
            anchors: decision.anchors.iter().map(|(store, anchor)| (store.clone(), anchor.score)).collect(),
            held: decision.evidence.values().map(|held| held.dense).fold(f32::NEG_INFINITY, f32::max),
            worded: decision.evidence.values().any(|held| held.lexical >= 0.5),
        });
    }
    if samples.is_empty() {
        return Err(Error::Usage(format!("{name} has no question with one route")));
    }
    let fitted = from_labelled(&engine.fit()?, &base, &samples, name);
    engine.keep_calibration(&fitted)?;
    Ok(fitted)
}
