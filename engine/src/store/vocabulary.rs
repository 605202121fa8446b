//! Names the stores hold: entities, values of text columns, headings, document names.

use std::collections::HashSet;

use rusqlite::Connection;

use crate::decide::guard;
use crate::decide::text::{content_words, fold};
use crate::store::StoreError;

/// A set of folded words that name things in this corpus.
///
/// Lower-case "sudeste" in a question is a name when a column holds `Sudeste`: the cache's guard
/// asks here, because no similarity threshold separates "sudeste" from "nordeste".
#[derive(Debug, Default)]
pub struct Vocabulary {
    words: HashSet<String>,
}

impl Vocabulary {
    /// Reads the names from the catalog.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`].
    pub fn load(connection: &Connection) -> Result<Self, StoreError> {
        let mut words = HashSet::new();
        for sql in [
            "SELECT key FROM graph_entities",
            "SELECT DISTINCT value FROM table_values",
            "SELECT name FROM documents",
            "SELECT DISTINCT location FROM chunks",
        ] {
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let text: String = row.get(0)?;
                // A long value is a sentence, not a name.
                if text.len() <= 80 {
                    words.extend(content_words(&text));
                }
            }
        }
        Ok(Self { words })
    }
}

impl guard::Vocabulary for Vocabulary {
    fn is_name(&self, word: &str) -> bool {
        self.words.contains(&fold(word))
    }
}
