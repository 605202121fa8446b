//! Names the stores hold: entities, values of text columns, headings, document names.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use crate::decide::text::{content_words, fold, folded_words};
use crate::decide::{followup, guard};
use crate::store::StoreError;

/// A set of folded words that name things in this corpus.
///
/// Lower-case "sudeste" in a question is a name when a column holds `Sudeste`: the cache's guard
/// asks here, because no similarity threshold separates "sudeste" from "nordeste".
#[derive(Debug, Default)]
pub struct Vocabulary {
    words: HashSet<String>,
    /// Values of text columns, as folded words, with the column that holds them.
    kinds: HashMap<String, String>,
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
        let mut kinds = HashMap::new();
        let mut statement = connection.prepare(
            "SELECT value, table_id || '.' || column_index FROM table_values ORDER BY table_id DESC, column_index DESC",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let value: String = row.get(0)?;
            if value.len() <= 80 {
                kinds.insert(folded_words(&value).join(" "), row.get(1)?);
            }
        }
        Ok(Self { words, kinds })
    }
}

impl guard::Vocabulary for Vocabulary {
    fn is_name(&self, word: &str) -> bool {
        self.words.contains(&fold(word))
    }
}

impl followup::Names for Vocabulary {
    fn kind(&self, folded: &str) -> Option<String> {
        self.kinds.get(folded).cloned()
    }
}
