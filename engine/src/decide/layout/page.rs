//! One page: tables first, then columns, then paragraphs.

use super::geometry::Bounds;
use super::paragraphs::{Line, paragraphs};
use super::segments::{Segment, segments};
use super::{Block, PageContent, TableBlock, aligned, columns, ruled};

/// Orders and classifies what stands on a page.
pub fn page_blocks(page: &PageContent) -> Vec<Block> {
    let (ruled, rest) = ruled::tables(&page.words, &page.rules);
    let mut pieces = segments(&rest);
    for (index, found) in ruled.iter().enumerate() {
        pieces.push(Segment::placed(index, found.bounds));
    }
    let mut tables: Vec<Option<TableBlock>> = ruled.into_iter().map(|found| Some(found.table)).collect();
    let mut blocks = Vec::new();
    for region in columns::regions(&pieces) {
        region_blocks(&pieces, &region, page.scanned, &mut tables, &mut blocks);
    }
    blocks
}

fn region_blocks(
    pieces: &[Segment],
    region: &[usize],
    scanned: bool,
    tables: &mut [Option<TableBlock>],
    blocks: &mut Vec<Block>,
) {
    let rows = columns::rows(pieces, region);
    let mut found = aligned::tables(pieces, &rows, scanned).into_iter().peekable();
    let (mut lines, mut at) = (Vec::new(), 0);
    while at < rows.len() {
        if let Some(table) = found.next_if(|table| table.start == at) {
            flush(&mut lines, scanned, blocks);
            blocks.push(Block::Table(table.table));
            at = table.end;
            continue;
        }
        lines.extend(Line::new(pieces, &rows[at]));
        for index in &rows[at] {
            if let Some(block) = pieces[*index].block {
                flush(&mut lines, scanned, blocks);
                blocks.extend(tables.get_mut(block).and_then(Option::take).map(Block::Table));
            }
        }
        at += 1;
    }
    flush(&mut lines, scanned, blocks);
}

fn flush(lines: &mut Vec<Line>, scanned: bool, blocks: &mut Vec<Block>) {
    blocks.extend(paragraphs(lines, scanned).into_iter().map(Block::Paragraph));
    lines.clear();
}

/// Share of a page that a rectangle covers, in `[0, 1]`.
pub fn share_of_page(bounds: &Bounds, width: f32, height: f32) -> f32 {
    let page = Bounds::new(0.0, 0.0, width, height);
    let (common_x, common_y) = (page.overlap_x(bounds).max(0.0), page.overlap_y(bounds).max(0.0));
    if page.area() > 0.0 { (common_x * common_y / page.area()).min(1.0) } else { 0.0 }
}
