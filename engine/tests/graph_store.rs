//! The graph store against its tables: writing, deleting, updating, asking (cases G).
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashMap};

use polyrag::decide::graph_query::GraphConfig;
use polyrag::decide::triples::Triple;
use polyrag::store::graph::{
    GraphError, GraphIndex, GraphPassage, GraphQuery, GraphSearch, GraphWriter, SCHEMA, delete_chunk,
    texts_to_embed, write_chunk,
};
use proptest::prelude::*;
use rusqlite::Connection;

const DIMENSION: usize = 64;

/// Embeds by hashed letter trigrams: texts that share letters are near.
fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.001f32; DIMENSION];
    let letters: Vec<char> = format!("  {}  ", text.to_lowercase()).chars().collect();
    for window in letters.windows(3) {
        let hash = window.iter().fold(7u32, |hash, &c| hash.wrapping_mul(31).wrapping_add(c as u32));
        vector[(hash as usize) % DIMENSION] += 1.0;
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

/// A store with its writer's memory and its snapshot, changed one document at a time.
struct Store {
    connection: Connection,
    writer: GraphWriter,
    index: GraphIndex,
    config: GraphConfig,
    embedded: usize,
}

impl Store {
    fn new() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("PRAGMA foreign_keys = ON").unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        let config = GraphConfig { synonym_threshold: 0.8, ..GraphConfig::default() };
        let index = GraphIndex::load(&connection, &config).unwrap();
        Self { connection, writer: GraphWriter::default(), index, config, embedded: 0 }
    }

    fn write(&mut self, chunk_id: i64, triples: &[Triple]) {
        let text: Vec<String> = triples.iter().map(Triple::text).collect();
        self.write_passage(&GraphPassage { chunk_id, titles: &[], text: &text.join(". "), triples });
    }

    fn write_passage(&mut self, passage: &GraphPassage<'_>) {
        let texts = texts_to_embed(&self.connection, [passage], &self.config).unwrap();
        self.embedded += texts.len();
        let vectors: HashMap<String, Vec<f32>> = texts.into_iter().map(|t| (t.clone(), embed(&t))).collect();
        let transaction = self.connection.transaction().unwrap();
        write_chunk(&transaction, passage, &vectors, &mut self.writer, &self.config).unwrap();
        transaction.commit().unwrap();
        self.publish(passage.chunk_id);
    }

    fn delete(&mut self, chunk_id: i64) {
        let transaction = self.connection.transaction().unwrap();
        delete_chunk(&transaction, chunk_id, &mut self.writer).unwrap();
        transaction.commit().unwrap();
        self.publish(chunk_id);
    }

    fn publish(&mut self, chunk_id: i64) {
        self.writer.commit();
        self.index = self.index.updated(&self.connection, &[chunk_id], &self.config).unwrap();
    }

    fn search(&self, question: &str) -> GraphSearch {
        self.search_with(question, &[])
    }

    fn search_with(&self, question: &str, dense: &[(i64, f32)]) -> GraphSearch {
        let vector = embed(question);
        let query = GraphQuery { vector: &vector, text: question, dense, lexical: &[], allowed: None };
        self.index.search(&query, &self.config, 5)
    }

    fn count(&self, table: &str) -> i64 {
        self.connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }
}

const TABLES: [&str; 10] = [
    "graph_chunks",
    "graph_words",
    "graph_titles",
    "graph_mentions",
    "graph_entities",
    "graph_aliases",
    "graph_facts",
    "graph_statements",
    "graph_vectors",
    "graph_synonyms",
];

fn triples(list: &[(&str, &str, &str)]) -> Vec<Triple> {
    list.iter().map(|(s, r, o)| Triple::new(s, r, o)).collect()
}

fn found(search: &GraphSearch) -> Vec<i64> {
    search.hits.iter().map(|hit| hit.chunk_id).collect()
}

/// Case G03: the passage is there, can be found by its dense score, and the answer says so.
#[test]
fn passage_without_entities_is_a_passage_node() {
    let mut store = Store::new();
    store.write(1, &[]);
    assert_eq!(store.index.size().passages, 1);
    assert_eq!(store.count("graph_entities"), 0);
    let search = store.search_with("everything fine?", &[(1, 0.8)]);
    assert!(search.zero_seeds);
    assert_eq!(found(&search), [1]);
    assert!(store.search("everything fine?").hits.is_empty());
    store.write(2, &triples(&[("Ana", "works at", "Vega")]));
    assert_eq!(found(&store.search_with("Ana", &[(1, 0.8)])), [2, 1], "it stays reachable beside others");
}

/// Case G05: a fact lives as long as a passage states it.
#[test]
fn a_fact_with_two_sources_survives_one_deletion() {
    let mut store = Store::new();
    store.write(1, &triples(&[("Ana", "works at", "Vega")]));
    store.write(2, &triples(&[("ana", "Works at", "Vega"), ("Ana", "lives in", "Évora")]));
    assert_eq!(store.count("graph_facts"), 2);
    let both = store.search("who works at Vega?");
    assert_eq!(both.facts[0].chunks, [1, 2]);
    store.delete(1);
    assert_eq!(store.count("graph_facts"), 2);
    assert_eq!(store.search("who works at Vega?").facts[0].chunks, [2]);
    store.delete(2);
    for table in TABLES {
        assert_eq!(store.count(table), 0, "{table}");
    }
    assert!(store.writer.is_empty());
    assert!(store.search("who works at Vega?").facts.is_empty());
    assert_eq!(store.index.canonical(), Vec::<String>::new());
}

/// G05, sibling: the entity stays for another fact, the first one's vectors go.
#[test]
fn an_entity_survives_while_any_passage_names_it() {
    let mut store = Store::new();
    store.write(1, &triples(&[("Ana", "works at", "Vega")]));
    store.write(2, &triples(&[("Ana", "lives in", "Évora")]));
    store.delete(1);
    let names: Vec<(&str, usize)> = store.index.entity_names().collect();
    assert_eq!(names, [("Ana", 1), ("Évora", 1)]);
    assert_eq!(store.count("graph_vectors"), 3);
    store.delete(99);
    assert_eq!(store.count("graph_chunks"), 1, "deleting what is not there changes nothing");
}

/// Case G08, the store's part: after the edit the old fact is gone everywhere.
#[test]
fn an_edited_passage_leaves_nothing_of_the_old_fact() {
    let mut store = Store::new();
    store.write(1, &triples(&[("A", "was born in", "987"), ("B", "was born in", "988")]));
    store.write(1, &triples(&[("A", "was born in", "986"), ("B", "was born in", "988")]));
    let search = store.search("when was A born?");
    assert!(search.facts.iter().any(|fact| fact.text == "A was born in 986"));
    assert!(search.facts.iter().all(|fact| !fact.text.contains("987")));
    for (table, column) in [
        ("graph_entities", "key"),
        ("graph_aliases", "alias"),
        ("graph_statements", "text"),
        ("graph_vectors", "text"),
    ] {
        let sql = format!("SELECT count(*) FROM {table} WHERE {column} LIKE '%987%'");
        let left: i64 = store.connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table}");
    }
}

/// Case G11: a deletion shows in the next question, without a rebuild.
#[test]
fn a_deleted_passage_is_not_found_again() {
    let mut store = Store::new();
    store.write(1, &triples(&[("Atlas", "depends on", "Órion")]));
    store.write(2, &triples(&[("Órion", "is kept by", "team Norte")]));
    assert_eq!(found(&store.search("what does Atlas depend on?")).len(), 2);
    store.delete(2);
    assert_eq!(found(&store.search("what does Atlas depend on?")), [1]);
    assert_eq!(found(&store.search("who keeps Órion, team Norte?")), [1]);
}

/// Case G12: no node index of the old snapshot points at another node of the new one.
#[test]
fn removing_a_node_in_the_middle_shifts_nothing() {
    let mut store = Store::new();
    let chain = ["Alfa", "Bravo", "Cedro", "Delta", "Ester"];
    for (place, pair) in chain.windows(2).enumerate() {
        store.write(place as i64 + 1, &triples(&[(pair[0], "feeds", pair[1])]));
    }
    store.delete(2);
    let names: Vec<&str> = store.index.entity_names().map(|name| name.0).collect();
    assert_eq!(names, chain, "Bravo and Cedro are still named by others");
    store.delete(3);
    let names: Vec<&str> = store.index.entity_names().map(|name| name.0).collect();
    assert_eq!(names, ["Alfa", "Bravo", "Delta", "Ester"]);
    let search = store.search("Delta feeds Ester");
    assert_eq!(search.hits[0].chunk_id, 4);
    assert!(search.hits.iter().all(|hit| hit.chunk_id != 3));
    let rebuilt = GraphIndex::load(&store.connection, &store.config).unwrap();
    assert_eq!(store.index.canonical(), rebuilt.canonical());
}

/// The chain that the graph is for: two passages that never mention each other.
#[test]
fn a_chain_over_two_passages_is_found_and_explained() {
    let mut store = Store::new();
    store.write(1, &triples(&[("Portal do Cliente", "depende do", "Serviço Vega")]));
    store.write(2, &triples(&[("Serviço Vega", "é mantido pela", "equipe Boreal")]));
    store.write(3, &triples(&[("Cantina", "serve", "almoço")]));
    let dense = [(1, 0.9), (3, 0.85), (2, 0.8)];
    let search = store.search_with("De que depende o Portal do Cliente?", &dense);
    assert_eq!(found(&search)[..2], [1, 2], "{search:#?}");
    let path = &search.hits[1].path;
    assert_eq!(path.last().unwrap().to, "chunk:2");
    assert_eq!(path.last().unwrap().from, "Serviço Vega");
    assert!(path.iter().all(|step| step.mass > 0.0));
    let mass: f64 = search.seeds.iter().map(|seed| seed.mass).sum();
    assert!((mass + search.passage_seed_mass - 1.0).abs() < 1e-9);
    assert_eq!(search, store.search_with("De que depende o Portal do Cliente?", &dense));
}

#[test]
fn vectors_are_computed_once() {
    let mut store = Store::new();
    let list = triples(&[("Ana", "works at", "Vega"), ("Ana", "lives in", "Évora")]);
    store.write(1, &list);
    assert_eq!(store.embedded, 5);
    store.write(2, &list);
    store.write(1, &list);
    assert_eq!(store.embedded, 5);
}

#[test]
fn unusable_vectors_are_refused_and_nothing_is_left() {
    let mut store = Store::new();
    store.write(1, &triples(&[("Ana", "works at", "Vega")]));
    let before = store.index.canonical();
    let list = triples(&[("Rui", "works at", "Vega")]);
    let passage = GraphPassage { chunk_id: 2, titles: &[], text: "Rui works at Vega", triples: &list };
    let short: HashMap<String, Vec<f32>> =
        [("Rui works at Vega".to_owned(), vec![1.0, 0.0]), ("rui".to_owned(), embed("rui"))].into();
    for vectors in [HashMap::new(), short] {
        let transaction = store.connection.transaction().unwrap();
        let error =
            write_chunk(&transaction, &passage, &vectors, &mut store.writer, &store.config).unwrap_err();
        assert!(matches!(error, GraphError::MissingVector { .. } | GraphError::Dimension { .. }), "{error}");
        drop(transaction);
        store.writer.rollback();
    }
    assert_eq!(store.writer.len(), 2);
    assert_eq!(GraphIndex::load(&store.connection, &store.config).unwrap().canonical(), before);
}

#[test]
fn names_that_are_nearly_equal_are_joined() {
    let mut store = Store::new();
    store.write(1, &triples(&[("Banco de Dados Órion", "guarda", "pedidos")]));
    store.write(2, &triples(&[("o Banco de Dados Orions", "roda em", "Norte")]));
    assert_eq!(store.index.size().synonyms, 1);
    store.delete(1);
    assert_eq!(store.index.size().synonyms, 0);
    assert_eq!(store.count("graph_synonyms"), 0);
}

#[test]
fn mentions_are_found_whichever_comes_first() {
    let plain =
        GraphPassage { chunk_id: 1, titles: &[], text: "A visita ao vale do Órion foi boa.", triples: &[] };
    let list = triples(&[("Órion", "guarda", "pedidos"), ("vale", "fica em", "SP")]);
    let facts =
        GraphPassage { chunk_id: 2, titles: &["Órion"], text: "O Órion guarda pedidos.", triples: &list };
    let mut graphs = Vec::new();
    for order in [[&plain, &facts], [&facts, &plain]] {
        let mut store = Store::new();
        order.into_iter().for_each(|passage| store.write_passage(passage));
        assert_eq!(store.index.entity_names().find(|name| name.0 == "Órion"), Some(("Órion", 2)));
        let before = store.index.canonical();
        store.delete(2);
        assert_eq!(store.count("graph_mentions"), 0);
        store.write_passage(&facts);
        assert_eq!(store.index.canonical(), before);
        graphs.push(before);
    }
    assert_eq!(graphs[0], graphs[1]);
}

#[test]
fn headings_are_names_too() {
    let mut store = Store::new();
    let passage =
        GraphPassage { chunk_id: 1, titles: &["PC-04 — Compras"], text: "Exige cotação.", triples: &[] };
    store.write_passage(&passage);
    let names: Vec<&str> = store.index.entity_names().map(|name| name.0).collect();
    assert_eq!(names, ["PC-04", "PC-04 — Compras"]);
}

#[derive(Debug, Clone)]
enum Step {
    Write(i64, Vec<(usize, usize, usize)>),
    Delete(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let triple = (0usize..8, 0usize..3, 0usize..8);
    prop_oneof![
        3 => (0i64..10, prop::collection::vec(triple, 0..5)).prop_map(|(chunk, list)| Step::Write(chunk, list)),
        1 => (0i64..10).prop_map(Step::Delete),
    ]
}

const NAMES: [&str; 8] = ["Ana", "ana", "Vega Sul", "Vega  sul", "a Órion", "ORION", "PC-04", "Órions"];
const RELATIONS: [&str; 3] = ["works at", "Works At", "keeps"];

fn named(list: &[(usize, usize, usize)]) -> Vec<Triple> {
    list.iter().map(|&(s, r, o)| Triple::new(NAMES[s], RELATIONS[r], NAMES[o])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// After any sequence of additions, changes and removals, the snapshot kept up step by step,
    /// the tables, and a fresh store of what is left are the same graph.
    #[test]
    fn any_history_equals_a_fresh_build(steps in prop::collection::vec(step(), 1..200)) {
        let mut store = Store::new();
        let mut left: BTreeMap<i64, Vec<(usize, usize, usize)>> = BTreeMap::new();
        for step in &steps {
            match step {
                Step::Write(chunk, list) => {
                    store.write(*chunk, &named(list));
                    left.insert(*chunk, list.clone());
                }
                Step::Delete(chunk) => {
                    store.delete(*chunk);
                    left.remove(chunk);
                }
            }
        }
        let mut fresh = Store::new();
        for (chunk, list) in &left {
            fresh.write(*chunk, &named(list));
        }
        prop_assert_eq!(store.index.canonical(), fresh.index.canonical());
        let reloaded = GraphIndex::load(&store.connection, &store.config).unwrap();
        prop_assert_eq!(reloaded.canonical(), fresh.index.canonical());
        for table in TABLES {
            prop_assert_eq!(store.count(table), fresh.count(table), "{}", table);
        }
        prop_assert_eq!(store.writer.len(), fresh.writer.len());
        let (mine, theirs) = (store.search("ana works at vega sul"), fresh.search("ana works at vega sul"));
        prop_assert_eq!(mine.hits.len(), theirs.hits.len());
        for hit in &mine.hits {
            let other = theirs.hits.iter().find(|other| other.chunk_id == hit.chunk_id);
            prop_assert!(other.is_some_and(|other| (other.score - hit.score).abs() < 1e-4), "{:?} {:?}", hit, other);
        }
    }
}
