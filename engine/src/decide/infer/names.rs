//! Names for SQL: folded, lower case, unique, never a reserved word.

use std::collections::HashSet;

use crate::decide::text::fold;

/// Longest identifier, in characters.
const LONGEST: usize = 60;

/// Words SQLite does not take as a bare identifier, and its row id names.
const RESERVED: &[&str] = &[
    "add",
    "all",
    "alter",
    "and",
    "as",
    "autoincrement",
    "between",
    "by",
    "case",
    "check",
    "collate",
    "commit",
    "constraint",
    "create",
    "cross",
    "default",
    "deferrable",
    "delete",
    "desc",
    "distinct",
    "drop",
    "else",
    "end",
    "escape",
    "except",
    "exists",
    "foreign",
    "from",
    "full",
    "glob",
    "group",
    "having",
    "if",
    "in",
    "index",
    "inner",
    "insert",
    "intersect",
    "into",
    "is",
    "isnull",
    "join",
    "left",
    "like",
    "limit",
    "match",
    "natural",
    "not",
    "nothing",
    "notnull",
    "null",
    "offset",
    "on",
    "or",
    "order",
    "outer",
    "over",
    "primary",
    "raise",
    "references",
    "regexp",
    "returning",
    "right",
    "rowid",
    "select",
    "set",
    "table",
    "then",
    "to",
    "transaction",
    "union",
    "unique",
    "update",
    "using",
    "values",
    "when",
    "where",
    "with",
    "_rowid_",
    "oid",
];

/// Folds a header or file name to an identifier: `Preço Unitário (R$)` becomes
/// `preco_unitario_rs`, `% ICMS` becomes `pct_icms`, `2024` becomes `c_2024`, `order` becomes
/// `order_`. Letters of other scripts stay. Empty when nothing is left.
pub fn identifier(header: &str) -> String {
    let spelled =
        header.replace("R$", " rs ").replace("US$", " usd ").replace('%', " pct ").replace('€', " eur ");
    let spelled = spelled.replace('£', " gbp ").replace("m²", "m2").replace("m³", "m3");
    let mut name = String::new();
    for character in fold(&spelled).chars() {
        if character.is_alphanumeric() {
            name.push(character);
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let mut name: String = name.trim_end_matches('_').chars().take(LONGEST).collect();
    name.truncate(name.trim_end_matches('_').len());
    if name.starts_with(|c: char| c.is_numeric()) {
        name.insert_str(0, "c_");
    }
    if RESERVED.contains(&name.as_str()) || name.starts_with("sqlite_") {
        name.push('_');
    }
    name
}

/// Names the columns under `headers`, in order.
///
/// A blank header becomes `col_N` (its 1-based position); of equal names the first keeps it and
/// the others get `_2`, `_3`, skipping any name that a real header has.
pub fn unique_names<S: AsRef<str>>(headers: &[S]) -> Vec<String> {
    let wanted: Vec<String> = headers.iter().map(|header| identifier(header.as_ref())).collect();
    let real: HashSet<&str> = wanted.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let mut used: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(wanted.len());
    for (index, name) in wanted.iter().enumerate() {
        let (base, mut number) =
            if name.is_empty() { ("col".to_owned(), index + 1) } else { (name.clone(), 2) };
        let mut candidate = if name.is_empty() { format!("{base}_{number}") } else { name.clone() };
        while used.contains(&candidate) || (candidate != *name && real.contains(candidate.as_str())) {
            if candidate == format!("{base}_{number}") {
                number += 1;
            }
            candidate = format!("{base}_{number}");
        }
        used.insert(candidate.clone());
        names.push(candidate);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_folded() {
        for (header, expected) in [
            ("Preço Unitário (R$)", "preco_unitario_rs"),
            ("% ICMS", "pct_icms"),
            ("2024", "c_2024"),
            ("order", "order_"),
            ("Endereço 1", "endereco_1"),
            ("  ", ""),
            ("名前", "名前"),
            ("Área (m²)", "area_m2"),
            ("rowid", "rowid_"),
        ] {
            assert_eq!(identifier(header), expected, "{header}");
        }
    }

    #[test]
    fn t08_t09_names_are_unique_and_spare_real_ones() {
        assert_eq!(unique_names(&["c", "c", "c", "c_1"]), ["c", "c_2", "c_3", "c_1"]);
        assert_eq!(unique_names(&["c", "c", "c_2"]), ["c", "c_3", "c_2"]);
        assert_eq!(unique_names(&["nome", "", ""]), ["nome", "col_2", "col_3"]);
        assert_eq!(unique_names(&["", "col_1", "Col 1"]), ["col_2", "col_1", "col_1_2"]);
        assert_eq!(unique_names(&["Preço", "preco", "PREÇO"]), ["preco", "preco_2", "preco_3"]);
    }
}
