//! Runs questions over SQLite databases through the relational route, one JSON line each.
//!
//! ```text
//! cargo run --release --example text2sql -- MODEL.gguf DATABASE-FOLDER QUESTIONS.jsonl [key=value ...]
//! ```
//! A question line is `{"id", "db", "question", ...}`; its line comes back with `sql`, `columns`, `rows`,
//! `abstained`, `attempts`, `links` and `usage` added. `key=value` sets a key of the `[sql]` section.
//! Scoring is `eval/text2sql.py --results FILE`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

#[cfg(feature = "llama")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    run::run()
}

#[cfg(not(feature = "llama"))]
fn main() {
    eprintln!("needs the model runtime (default features)");
}

#[cfg(feature = "llama")]
mod run {
    use std::collections::BTreeMap;
    use std::path::Path;

    use polyrag::ask::sql::{answer, link_values};
    use polyrag::decide::sql::SqlConfig;
    use polyrag::models::llama::LlamaGenerator;
    use polyrag::models::{Cancel, GenerateOptions};
    use polyrag::store::tables::guard::ReadOnly;
    use polyrag::store::tables::{SCHEMA, import_sqlite};
    use rusqlite::Connection;
    use serde_json::{Value, json};

    type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

    pub fn run() -> Outcome<()> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [model, databases, questions, settings @ ..] = arguments.as_slice() else {
            return Err("MODEL.gguf DATABASE-FOLDER QUESTIONS.jsonl [key=value ...]".into());
        };
        let config: SqlConfig = toml::from_str(&settings.join("\n"))?;
        let options = GenerateOptions { context_tokens: 4096, ..Default::default() };
        let model = LlamaGenerator::load(Path::new(model), &options)?;
        let mut by_database: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in std::fs::read_to_string(questions)?.lines() {
            let question: Value = serde_json::from_str(line)?;
            by_database
                .entry(question["db"].as_str().unwrap_or_default().to_owned())
                .or_default()
                .push(question);
        }
        let folder = std::env::temp_dir().join(format!("text2sql-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        for (database, questions) in by_database {
            let catalog = folder.join(format!("{database}.db"));
            let mut writer = Connection::open(&catalog)?;
            writer.pragma_update(None, "journal_mode", "WAL")?;
            writer.execute_batch(SCHEMA)?;
            let tx = writer.transaction()?;
            import_sqlite(&tx, 1, &Path::new(databases).join(format!("{database}.sqlite")))?;
            tx.commit()?;
            let store = ReadOnly::open(&catalog, &config.limits)?;
            for mut line in questions {
                let question = line["question"].as_str().unwrap_or_default().to_owned();
                let links = link_values(&question, &writer, store.card(), &config)?;
                let done =
                    answer(&question, &store, links, &model, &config, &Cancel::default(), &mut |_| {})?;
                line["sql"] = json!(done.sql);
                line["columns"] = json!(done.rows.as_ref().map(|rows| &rows.columns));
                line["rows"] = json!(done.rows.as_ref().map(|rows| &rows.rows));
                line["abstained"] = json!(done.abstained);
                line["attempts"] = json!(done.attempts);
                line["links"] = json!(done.links.iter().map(|link| link.words()).collect::<Vec<_>>());
                line["usage"] = json!(done.usage);
                println!("{line}");
            }
        }
        std::fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
