//! Fitted thresholds, by embedder: what `calibrate` found, and what was fitted from the phrases.

use rusqlite::{Connection, OptionalExtension, params};

use crate::decide::calibrate::Calibration;
use crate::store::StoreError;

/// One row for the phrases and one for a labelled set, for every embedder that was used.
pub const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS calibrations (
  embedder TEXT NOT NULL,            -- identity as JSON
  labelled INTEGER NOT NULL,         -- 0: from the example phrases, 1: from a labelled set
  fitted_at INTEGER NOT NULL,        -- seconds since 1970
  record TEXT NOT NULL,              -- JSON
  PRIMARY KEY (embedder, labelled)
) WITHOUT ROWID;
";

/// Returns the calibration of an embedder from a labelled set, or from the phrases.
///
/// A record that cannot be read (an older program wrote it) counts as absent.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn load(
    connection: &Connection,
    embedder: &str,
    labelled: bool,
) -> Result<Option<Calibration>, StoreError> {
    let record: Option<String> = connection
        .prepare_cached("SELECT record FROM calibrations WHERE embedder = ?1 AND labelled = ?2")?
        .query_row(params![embedder, labelled], |row| row.get(0))
        .optional()?;
    Ok(record.and_then(|record| serde_json::from_str(&record).ok()))
}

/// Returns the calibration in force: of a labelled set if it was fitted for these phrases and
/// settings, else of the phrases.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn in_force(
    connection: &Connection,
    embedder: &str,
    fitted_for: &str,
) -> Result<Option<Calibration>, StoreError> {
    for labelled in [true, false] {
        let found = load(connection, embedder, labelled)?.filter(|stored| stored.fitted_for == fitted_for);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Keeps a calibration in place of the embedder's last one of its kind. A fit from the phrases that
/// was asked for also ends the one from a labelled set: `replace_labelled`.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn save(
    connection: &Connection,
    calibration: &Calibration,
    replace_labelled: bool,
    now: i64,
) -> Result<(), StoreError> {
    let record = serde_json::to_string(calibration).unwrap_or_default();
    let labelled = calibration.is_labelled();
    let transaction = connection.unchecked_transaction()?;
    transaction.execute(
        "INSERT OR REPLACE INTO calibrations VALUES (?1, ?2, ?3, ?4)",
        params![calibration.embedder, labelled, now, record],
    )?;
    if replace_labelled && !labelled {
        transaction.execute(
            "DELETE FROM calibrations WHERE embedder = ? AND labelled = 1",
            [&calibration.embedder],
        )?;
    }
    transaction.commit()?;
    Ok(())
}

/// Says in a line whether the embedder that the vectors come from is calibrated: what `doctor` shows.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn summary(connection: &Connection, embedder: &str) -> Result<String, StoreError> {
    let labelled = load(connection, embedder, true)?;
    Ok(match labelled.or(load(connection, embedder, false)?) {
        Some(found) => found.summary(),
        None => "not yet: the first question fits them from the example phrases".to_owned(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::decide::calibrate::{CalibrationConfig, Fit, from_phrases};
    use crate::decide::route::RouterConfig;
    use crate::store::catalog;

    fn calibration(embedder: &str, fitted_for: &str, source: &str) -> Calibration {
        let fit = Fit {
            embedder: embedder.into(),
            fitted_for: fitted_for.into(),
            router: &RouterConfig::default(),
            config: &CalibrationConfig::default(),
            cache_threshold: 0.88,
        };
        Calibration { source: source.into(), ..from_phrases(&fit, &[], &[], None) }
    }

    #[test]
    fn thresholds_belong_to_an_embedder_and_to_its_phrases() {
        let folder = tempfile::tempdir().unwrap();
        let connection = catalog::open_writer(&catalog::path_in(folder.path())).unwrap();
        let (phrases, set) = (calibration("e5", "p1", "phrases"), calibration("e5", "p1", "set.jsonl"));
        save(&connection, &phrases, false, 1).unwrap();
        assert_eq!(in_force(&connection, "e5", "p1").unwrap().unwrap(), phrases);
        save(&connection, &set, false, 2).unwrap();
        assert_eq!(in_force(&connection, "e5", "p1").unwrap().unwrap(), set);
        assert_eq!(in_force(&connection, "bge", "p1").unwrap(), None);
        // Other phrases: the labelled set's fit waits for `calibrate`, and is not lost.
        assert_eq!(in_force(&connection, "e5", "p2").unwrap(), None);
        let renewed = calibration("e5", "p2", "phrases");
        save(&connection, &renewed, false, 3).unwrap();
        assert_eq!(in_force(&connection, "e5", "p2").unwrap().unwrap(), renewed);
        assert_eq!(load(&connection, "e5", true).unwrap().unwrap(), set);
        assert!(summary(&connection, "e5").unwrap().contains("set.jsonl"));
        save(&connection, &renewed, true, 4).unwrap();
        assert_eq!(load(&connection, "e5", true).unwrap(), None);
        assert!(summary(&connection, "bge").unwrap().contains("not yet"));
    }
}
