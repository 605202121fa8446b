//! `config.toml` and the defaults in code say the same.
#![allow(clippy::unwrap_used)]

use polyrag::decide::graph_query::GraphConfig;
use polyrag::ingest::extract::ExtractionConfig;

fn section<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let all: toml::Table = toml::from_str(include_str!("../../config.toml")).unwrap();
    all[name].clone().try_into().unwrap()
}

fn keys<T: serde::Serialize>(value: &T) -> Vec<String> {
    let mut keys: Vec<String> = toml::Table::try_from(value).unwrap().keys().cloned().collect();
    keys.sort();
    keys
}

#[test]
fn defaults_equal_the_file_and_no_key_is_missing_there() {
    assert_eq!(section::<GraphConfig>("graph"), GraphConfig::default());
    assert_eq!(section::<ExtractionConfig>("extraction"), ExtractionConfig::default());
    for (name, keys) in
        [("graph", keys(&GraphConfig::default())), ("extraction", keys(&ExtractionConfig::default()))]
    {
        let table: toml::Table = section(name);
        let mut found: Vec<&String> = table.keys().collect();
        found.sort();
        assert_eq!(found, keys.iter().collect::<Vec<_>>());
    }
}
