//! Records to rows: nested objects become columns `a.b`, nested lists of records tables of their
//! own that name their parent.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Rows of records under one name.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Path of the list in the document, `.` between names.
    pub name: String,
    /// Column names, in order of appearance.
    pub columns: Vec<String>,
    /// Cells; rows may be shorter than `columns`.
    pub rows: Vec<Vec<String>>,
    places: HashMap<String, usize>,
    /// Columns left out because of the limit.
    pub dropped: usize,
}

impl Rows {
    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    fn set(&mut self, row: &mut Vec<String>, column: &str, value: String, most: usize) {
        let at = match self.places.get(column) {
            Some(at) => *at,
            None if self.columns.len() >= most => {
                self.dropped += 1;
                return;
            }
            None => {
                self.columns.push(column.to_owned());
                self.places.insert(column.to_owned(), self.columns.len() - 1);
                self.columns.len() - 1
            }
        };
        if row.len() <= at {
            row.resize(at + 1, String::new());
        }
        row[at] = value;
    }
}

/// Turns records into one table and those of the lists inside them. Values that are no objects are
/// skipped and counted.
pub(super) fn tables<'v>(
    name: &str,
    records: impl Iterator<Item = &'v Value>,
    most_columns: usize,
) -> (Vec<Rows>, usize) {
    let mut taken =
        Taken { tables: vec![Rows::named(name)], by_name: HashMap::new(), most: most_columns.max(1) };
    let mut skipped = 0;
    for record in records {
        match record {
            Value::Object(fields) => taken.record(0, fields, None),
            _ => skipped += 1,
        }
    }
    (taken.tables, skipped)
}

struct Taken {
    tables: Vec<Rows>,
    by_name: HashMap<String, usize>,
    most: usize,
}

impl Taken {
    /// Adds a record to table `at`; `parent` is a column and its value that lead to the parent.
    fn record(&mut self, at: usize, fields: &Map<String, Value>, parent: Option<(&str, &str)>) {
        let most = self.most;
        let mut row = Vec::new();
        if let Some((column, value)) = parent {
            self.tables[at].set(&mut row, column, value.to_owned(), most);
        }
        let mut lists = Vec::new();
        self.fields(at, "", fields, &mut row, &mut lists);
        if !lists.is_empty() {
            let number = (self.tables[at].rows.len() + 1).to_string();
            let own = self.tables[at].name.rsplit('.').next().unwrap_or_default().to_owned();
            let id = fields.get("id").filter(|id| id.is_string() || id.is_number()).map(scalar);
            if id.is_none() {
                self.tables[at].set(&mut row, "record", number.clone(), most);
            }
            let (key, value) = match &id {
                Some(id) => (format!("{own}_id"), id.clone()),
                None => (format!("{own}_record"), number),
            };
            for (path, list) in lists {
                let name = format!("{}.{path}", self.tables[at].name);
                let child = self.table(&name);
                for record in list.iter().filter_map(Value::as_object) {
                    self.record(child, record, Some((&key, &value)));
                }
            }
        }
        self.tables[at].rows.push(row);
    }

    fn fields<'v>(
        &mut self,
        at: usize,
        prefix: &str,
        fields: &'v Map<String, Value>,
        row: &mut Vec<String>,
        lists: &mut Vec<(String, &'v [Value])>,
    ) {
        for (name, value) in fields {
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match value {
                Value::Object(inner) => self.fields(at, &path, inner, row, lists),
                Value::Array(items) if is_records(items) => lists.push((path, items)),
                Value::Null => self.tables[at].set(row, &path, String::new(), self.most),
                value => self.tables[at].set(row, &path, scalar(value), self.most),
            }
        }
    }

    fn table(&mut self, name: &str) -> usize {
        if let Some(at) = self.by_name.get(name) {
            return *at;
        }
        self.tables.push(Rows::named(name));
        self.by_name.insert(name.to_owned(), self.tables.len() - 1);
        self.tables.len() - 1
    }
}

/// Says whether a list is one of records.
pub(super) fn is_records(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(Value::is_object)
}

/// Writes a value as a cell: lists of plain values joined, anything deeper as JSON.
pub(super) fn scalar(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => cell_number(&number.to_string()),
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            items.iter().map(scalar).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// `1.234` could be read with a thousands mark; `1.2340` cannot.
fn cell_number(text: &str) -> String {
    let plain = !text.contains(['e', 'E']);
    if plain && text.split_once('.').is_some_and(|(_, fraction)| fraction.len() == 3) {
        return format!("{text}0");
    }
    text.to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn nested_records_are_flattened_and_name_their_parent() {
        let value: Value = serde_json::from_str(
            r#"[{"id":7,"cliente":{"nome":"Ana","uf":"SC"},"tags":["a","b"],"itens":[{"sku":"x","q":1.125},{"sku":"y"}]},
                {"id":8,"cliente":null,"novo":true}]"#,
        )
        .unwrap();
        let (tables, skipped) = tables("pedidos", value.as_array().unwrap().iter(), 100);
        assert_eq!(skipped, 0);
        assert_eq!(tables[0].columns, ["id", "cliente.nome", "cliente.uf", "tags", "cliente", "novo"]);
        assert_eq!(tables[0].rows[0], ["7", "Ana", "SC", "a, b"]);
        assert_eq!(tables[0].rows[1], ["8", "", "", "", "", "true"]);
        assert_eq!(
            (tables[1].name.as_str(), tables[1].columns.join(" ").as_str()),
            ("pedidos.itens", "pedidos_id sku q")
        );
        assert_eq!(tables[1].rows, [vec!["7", "x", "1.1250"], vec!["7", "y"]]);
    }

    #[test]
    fn records_without_an_id_are_numbered() {
        let value: Value =
            serde_json::from_str(r#"[{"n":"a","x":[{"v":1}]},{"n":"b","x":[{"v":2}]}]"#).unwrap();
        let (tables, _) = tables("t", value.as_array().unwrap().iter(), 100);
        assert_eq!(tables[0].columns, ["n", "record"]);
        assert_eq!(tables[1].rows, [["1", "1"], ["2", "2"]]);
    }
}
