//! What a grid of cells says about itself: header rows, figures, plausibility.

/// Says whether a cell holds a figure rather than words: digits are most of it.
pub(super) fn is_figure(cell: &str) -> bool {
    let (mut digits, mut letters) = (0, 0);
    for character in cell.chars() {
        digits += usize::from(character.is_ascii_digit());
        letters += usize::from(character.is_alphabetic());
    }
    digits > 0 && letters <= digits.max(3) && letters <= 3
        || matches!(cell.trim(), "-" | "–" | "—" | "n/a" | "N/A" | "n.a.")
}

/// Counts the rows at the top that name the columns.
///
/// The first row is a header when a column of figures begins with words, or when nothing in the
/// table is a figure; a second one only when it is wordy as well and the first left cells open
/// (a heading over several columns).
pub(super) fn header_rows(rows: &[Vec<String>]) -> usize {
    let Some(first) = rows.first() else { return 0 };
    let body = &rows[1..];
    let figures = |column: usize, rows: &[Vec<String>]| {
        let filled = rows.iter().filter(|row| !row[column].is_empty()).count();
        let figures = rows.iter().filter(|row| is_figure(&row[column])).count();
        (figures, filled)
    };
    let numeric: Vec<usize> = (0..first.len())
        .filter(|column| {
            let (figures, filled) = figures(*column, body);
            figures > 0 && figures * 10 >= filled * 6
        })
        .collect();
    if numeric.is_empty() {
        return usize::from(!body.is_empty() && first.iter().filter(|cell| !cell.is_empty()).count() >= 2);
    }
    let names = |row: &Vec<String>| {
        numeric.iter().filter(|column| names_a_column(&row[**column])).count() * 2 >= numeric.len()
            && row.iter().any(|cell| !cell.is_empty() && (!is_figure(cell) || is_year(cell)))
    };
    if !names(first) {
        return 0;
    }
    let open = first.iter().any(String::is_empty) || has_repeats(first);
    let second =
        rows.get(1).is_some_and(|row| names(row) && row.iter().all(|cell| !is_figure(cell) || is_year(cell)));
    if open && second && rows.len() > 3 { 2 } else { 1 }
}

/// Says whether a cell can stand over a column of figures: words, or a year.
fn names_a_column(cell: &str) -> bool {
    !is_figure(cell) && !cell.is_empty() || is_year(cell)
}

fn is_year(cell: &str) -> bool {
    cell.len() == 4 && cell.parse::<u32>().is_ok_and(|year| (1900..2100).contains(&year))
}

fn has_repeats(row: &[String]) -> bool {
    row.windows(2).any(|pair| !pair[0].is_empty() && pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_rows_are_told_from_data() {
        let check = |text: &str, expected| {
            let rows: Vec<Vec<String>> =
                text.split('\n').map(|row| row.split(',').map(str::to_owned).collect()).collect();
            assert_eq!(header_rows(&rows), expected, "{text}");
        };
        check("1,100,200\n2,101,201\n3,102,202", 0);
        check("Mês,Valor\nJan,10\nFev,20", 1);
        check("Conta,2023,2024\nA,10,12\nB,20,21", 1);
        check("Nome,Cargo\nAna,Chefe\nRui,Técnico", 1);
        check(",Vendas,Vendas\nMês,Norte,Sul\nJan,1,2\nFev,3,4", 2);
        check("Ana,10\nRui,20\nEva,30", 0);
    }

    #[test]
    fn figures_are_recognised() {
        for cell in ["10", "1.234,56", "12,5 %", "R$ 5,00", "-3", "–", "(12)", "2024"] {
            assert!(is_figure(cell), "{cell}");
        }
        for cell in ["", "Ana", "Total", "Item 3 da lista", "A1 Motors"] {
            assert!(!is_figure(cell), "{cell}");
        }
    }
}
