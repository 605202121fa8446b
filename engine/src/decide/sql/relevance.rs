//! Which tables a question is shown when there are too many for one prompt.

use super::card::{SchemaCard, TableCard};
use super::linking::{Link, normalise, variants};
use crate::decide::text::folded_words;

/// Cuts a card to the tables most relevant to a question: linked values first, then names, then
/// tables that those refer to. A card that is small enough is returned whole, so that its prompt
/// stays the same from question to question.
pub fn relevant(
    question: &str,
    card: &SchemaCard,
    links: &[Link],
    most_tables: usize,
    most_columns: usize,
) -> SchemaCard {
    let mut tables: Vec<TableCard> = card.tables.clone();
    if tables.len() > most_tables {
        let mut words = folded_words(question);
        words.extend(words.clone().iter().flat_map(|word| variants(word)));
        let scored: Vec<f64> = tables.iter().map(|table| score(table, &words, links)).collect();
        let with_neighbours: Vec<f64> = tables
            .iter()
            .zip(&scored)
            .map(|(table, own)| {
                let near = tables
                    .iter()
                    .zip(&scored)
                    .filter(|(other, _)| refers(other, table) || refers(table, other))
                    .map(|(_, score)| *score)
                    .fold(0.0, f64::max);
                own + near / 3.0
            })
            .collect();
        let mut order: Vec<usize> = (0..tables.len()).collect();
        order.sort_by(|a, b| with_neighbours[*b].total_cmp(&with_neighbours[*a]).then(a.cmp(b)));
        order.truncate(most_tables);
        order.sort_unstable();
        tables = order.into_iter().map(|index| tables[index].clone()).collect();
        let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
        for table in &mut tables {
            table.foreign_keys.retain(|key| names.contains(&key.table));
        }
    }
    for table in &mut tables {
        table.columns.truncate(most_columns);
        for row in &mut table.sample_rows {
            row.truncate(most_columns);
        }
    }
    SchemaCard { version: card.version, tables }
}

fn refers(from: &TableCard, to: &TableCard) -> bool {
    from.foreign_keys.iter().any(|key| key.table == to.name)
}

fn score(table: &TableCard, words: &[String], links: &[Link]) -> f64 {
    let named = |name: &str| {
        normalise(name).split(' ').filter(|part| words.iter().any(|word| word == part)).count() as f64
    };
    let values = links.iter().filter(|link| link.table == table.name).count() as f64;
    let columns: f64 =
        table.columns.iter().map(|column| named(&column.name).max(named(&column.header)).min(1.0)).sum();
    3.0 * values + 2.0 * named(&table.name) + columns + table.caption.as_deref().map_or(0.0, named)
}
