//! What DrawingML holds in Word documents and presentations alike: charts, diagrams, pictures.

use roxmltree::{Document, Node};

use super::super::ReadError;
use super::super::markup::Grid;
use super::package::{Package, Relations};
use super::xml::{self, Element};

/// Returns the part of a relation.
pub(super) fn part_of(relations: &Relations, id: Option<&str>) -> Option<String> {
    relations.get(id?)?.target.clone()
}

/// Reads the chart that an element refers to, as the table it was drawn from.
pub(super) fn chart(
    package: &mut Package<'_>,
    relations: &Relations,
    node: Node<'_, '_>,
) -> Result<Option<Grid>, ReadError> {
    let reference = node.descendants().find(|inner| inner.name() == "chart" && inner.attr("id").is_some());
    let Some(name) = reference.and_then(|found| part_of(relations, found.attr("id"))) else {
        return Ok(None);
    };
    let Some(text) = package.text(&name)? else { return Ok(None) };
    let document =
        xml::parse(&text, package.limits.max_depth).map_err(|error| package.damaged(&name, &error))?;
    Ok(chart_grid(&document, package.limits.max_cells))
}

/// Categories down, series across.
fn chart_grid(document: &Document<'_>, max_cells: u64) -> Option<Grid> {
    let chart = document.root_element().inside("chart")?;
    let title = chart.child("title").map(plain_text).filter(|title| !title.is_empty());
    let series: Vec<Node<'_, '_>> = chart.descendants().filter(|node| node.name() == "ser").collect();
    let categories = series.iter().map(|one| points(*one, &["cat", "xVal"])).max_by_key(Vec::len)?;
    let values: Vec<Vec<String>> = series.iter().map(|one| points(*one, &["val", "yVal"])).collect();
    let rows = values.iter().map(Vec::len).max().unwrap_or(0).max(categories.len());
    if rows == 0 || (rows as u64).saturating_mul(series.len() as u64 + 1) > max_cells {
        return None;
    }
    let mut header = vec![axis_title(chart)];
    header.extend(series.iter().enumerate().map(|(index, one)| {
        let name = one.child("tx").map(plain_text).unwrap_or_default();
        if name.is_empty() { format!("Series {}", index + 1) } else { name }
    }));
    let cell = |column: &Vec<String>, row: usize| column.get(row).cloned().unwrap_or_default();
    let mut grid = Grid { rows: vec![header], header_rows: 1, caption: title };
    for row in 0..rows {
        let mut cells = vec![cell(&categories, row)];
        cells.extend(values.iter().map(|column| cell(column, row)));
        grid.rows.push(cells);
    }
    Some(grid)
}

fn axis_title(chart: Node<'_, '_>) -> String {
    let axis = chart.descendants().find(|node| matches!(node.name(), "catAx" | "dateAx"));
    axis.and_then(|axis| axis.child("title")).map(plain_text).unwrap_or_default()
}

/// Text of a title or a cached reference.
fn plain_text(node: Node<'_, '_>) -> String {
    let words: Vec<&str> = node
        .descendants()
        .filter(|inner| matches!(inner.name(), "t" | "v"))
        .filter_map(|inner| inner.text())
        .collect();
    words.concat().trim().to_owned()
}

/// Cached points of a series by their indexes.
fn points(series: Node<'_, '_>, names: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let Some(data) = names.iter().find_map(|name| series.child(name)) else { return found };
    let percent = data
        .inside("formatCode")
        .and_then(|code| code.text().map(str::to_owned))
        .is_some_and(|code| code.contains('%'));
    // Categories of several levels: the innermost comes first and names the points.
    let level = data.inside("lvl").unwrap_or(data);
    for point in level.descendants().filter(|node| node.name() == "pt") {
        let Some(index) = point.attr("idx").and_then(|index| index.parse::<usize>().ok()) else { continue };
        let Some(text) = point.child("v").and_then(|value| value.text()) else { continue };
        // An index is no promise of a point: gaps are filled up to a bound.
        if index > found.len() + 10_000 {
            continue;
        }
        if found.len() <= index {
            found.resize(index + 1, String::new());
        }
        found[index] = number(text.trim(), percent);
    }
    found
}

/// Writes a cached number without binary noise and so that `1.234` is not read as thousands.
fn number(text: &str, percent: bool) -> String {
    let Ok(value) = text.parse::<f64>() else { return text.to_owned() };
    if !value.is_finite() {
        return text.to_owned();
    }
    let value = if percent { value * 100.0 } else { value };
    let rounded: f64 = format!("{value:.10}").parse().unwrap_or(value);
    let mut written = format!("{rounded}");
    if written.split_once('.').is_some_and(|(_, fraction)| fraction.len() == 3) {
        written.push('0');
    }
    if percent { written + "%" } else { written }
}

/// Reads the words of a diagram (SmartArt) that an element refers to.
pub(super) fn diagram(
    package: &mut Package<'_>,
    relations: &Relations,
    node: Node<'_, '_>,
) -> Result<Vec<String>, ReadError> {
    let reference = node.descendants().find(|inner| inner.name() == "relIds");
    let Some(name) = reference.and_then(|found| part_of(relations, found.attr("dm"))) else {
        return Ok(Vec::new());
    };
    let Some(text) = package.text(&name)? else { return Ok(Vec::new()) };
    let document =
        xml::parse(&text, package.limits.max_depth).map_err(|error| package.damaged(&name, &error))?;
    let points = document.descendants().filter(|node| node.name() == "pt");
    let words =
        points.filter(|point| point.attr("type") != Some("pres")).filter_map(|point| point.child("t"));
    Ok(words.map(|words| paragraphs(words).join(" ")).filter(|words| !words.is_empty()).collect())
}

/// Texts of the `a:p` inside an element, line breaks kept.
pub(super) fn paragraphs(node: Node<'_, '_>) -> Vec<String> {
    node.descendants()
        .filter(|inner| inner.name() == "p")
        .map(|paragraph| {
            let mut words = String::new();
            for inner in paragraph.descendants() {
                match inner.name() {
                    "t" => words.push_str(inner.text().unwrap_or_default()),
                    "br" => words.push('\n'),
                    _ => {}
                }
            }
            words.trim().to_owned()
        })
        .filter(|words| !words.is_empty())
        .collect()
}

/// Returns what a picture shows, in the words of its author.
pub(super) fn description(node: Node<'_, '_>) -> Option<String> {
    let settings = node.descendants().find(|inner| matches!(inner.name(), "docPr" | "cNvPr"))?;
    let words = settings.attr("descr").filter(|words| !words.trim().is_empty());
    let words = words.or_else(|| settings.attr("title")).map(str::trim).unwrap_or_default();
    // What programs write by themselves says nothing: `image1.png`, `Picture 3`.
    let useful = words.split_whitespace().count() > 1 && !words.contains('\\');
    useful.then(|| words.to_owned())
}

/// Returns the ids of the pictures inside an element.
pub(super) fn pictures<'a>(node: Node<'a, '_>) -> Vec<&'a str> {
    node.descendants()
        .filter_map(|inner| match inner.name() {
            "blip" => inner.attr("embed"),
            "imagedata" => inner.attr("id"),
            _ => None,
        })
        .collect()
}
