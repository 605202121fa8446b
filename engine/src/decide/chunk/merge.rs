//! Segments to chunks: neighbours of one section are joined while small and alike.

use super::{Chunk, ChunkKind, ChunkLimits, Segment, tabular_density};

/// Joins segments into chunks.
///
/// `similarity`, given the indexes of two neighbouring segments, returns their cosine; without
/// it size alone decides. A piece under `min_tokens` is joined whatever its similarity. Tables
/// stay alone, but for their notes.
pub fn merge(
    text: &str,
    segments: &[Segment],
    similarity: Option<&dyn Fn(usize, usize) -> f32>,
    limits: &ChunkLimits,
    count: &dyn Fn(&str) -> usize,
) -> Vec<Chunk> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        let joins =
            groups.last().is_some_and(|group| group.takes(text, segments, index, similarity, limits, count));
        match groups.last_mut().filter(|_| joins) {
            Some(group) => {
                group.last = index;
                group.tokens += segment.tokens;
            }
            None => groups.push(Group { first: index, last: index, tokens: segment.tokens }),
        }
    }
    let parts = parts_of_sections(segments, &groups);
    let title = document_title(segments);
    let mut lines = Lines { text, at: 0, line: 1 };
    let build = |(ordinal, (group, part)): (usize, (&Group, &(usize, usize)))| {
        let members = &segments[group.first..=group.last];
        let range = members[0].range.start..members[members.len() - 1].range.end;
        let body = format!("{}{}", members[0].repeated, &text[range.clone()]);
        let headings = members[0].headings.clone();
        Chunk {
            ordinal,
            overlap: members[0].repeated.len(),
            location: location(&headings, title.as_deref(), *part, lines.of(&range)),
            tokens: if members.len() == 1 { members[0].tokens } else { count(&body) },
            kind: kind(members),
            tabular_density: tabular_density(&body),
            range,
            headings,
            text: body,
        }
    };
    let mut chunks: Vec<Chunk> = groups.iter().zip(&parts).enumerate().map(build).collect();
    for same in chunks.chunk_by_mut(|a, b| a.location == b.location) {
        let parts = same.len();
        for (index, chunk) in same.iter_mut().enumerate().filter(|_| parts > 1) {
            chunk.location += &format!(" (part {} of {parts})", index + 1);
        }
    }
    chunks
}

/// Neighbouring segments that become one chunk.
struct Group {
    first: usize,
    last: usize,
    tokens: usize,
}

impl Group {
    /// Says whether the group takes the segment after it.
    fn takes(
        &self,
        text: &str,
        segments: &[Segment],
        next: usize,
        similarity: Option<&dyn Fn(usize, usize) -> f32>,
        limits: &ChunkLimits,
        count: &dyn Fn(&str) -> usize,
    ) -> bool {
        let (first, last, segment) = (&segments[self.first], &segments[self.last], &segments[next]);
        let sum = self.tokens + segment.tokens;
        if last.section != segment.section || !segment.repeated.is_empty() {
            return false;
        }
        let limit = if segment.bound_to_previous { limits.max_tokens } else { limits.target_tokens };
        if sum > limit {
            return false;
        }
        let small = self.tokens < limits.min_tokens || segment.tokens < limits.min_tokens;
        let is_table = |segment: &Segment| segment.kind == ChunkKind::Table;
        let tables = segments[self.first..=next].iter().any(is_table);
        let wanted = segment.bound_to_previous
            || (!tables
                && (small || similarity.is_none_or(|cosine| cosine(self.last, next) >= limits.similarity)));
        // Tokens may not add up exactly across a join.
        wanted
            && count(&text[first.range.start..segment.range.end]) + count(&first.repeated)
                <= limits.max_tokens
    }
}

/// Numbers the chunks of each section: `(part, parts)`.
fn parts_of_sections(segments: &[Segment], groups: &[Group]) -> Vec<(usize, usize)> {
    let section = |group: &Group| segments[group.first].section;
    let mut parts = Vec::with_capacity(groups.len());
    for same in groups.chunk_by(|a, b| section(a) == section(b)) {
        parts.extend((1..=same.len()).map(|part| (part, same.len())));
    }
    parts
}

/// Returns the heading that stands above every other one, if there is one: the document's title.
fn document_title(segments: &[Segment]) -> Option<String> {
    let first = segments.iter().find_map(|segment| segment.headings.first())?;
    let below =
        segments.iter().all(|segment| segment.headings.first().is_none_or(|heading| heading == first));
    let deeper = segments.iter().any(|segment| segment.headings.len() > 1);
    (below && deeper).then(|| first.clone())
}

/// Says where a chunk is: headings below the title, or lines; the part where a section has several.
fn location(headings: &[String], title: Option<&str>, part: (usize, usize), lines: (u64, u64)) -> String {
    let below = match headings {
        [first, rest @ ..] if !rest.is_empty() && Some(first.as_str()) == title => rest,
        all => all,
    };
    if below.is_empty() {
        return if lines.0 == lines.1 {
            format!("line {}", lines.0)
        } else {
            format!("lines {}-{}", lines.0, lines.1)
        };
    }
    let trail = below.join(" > ");
    if part.1 == 1 { trail } else { format!("{trail} (part {} of {})", part.0, part.1) }
}

/// Counts lines along ascending ranges.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// Returns the first and last line with visible text of a range that starts at or after the last one.
    fn of(&mut self, range: &std::ops::Range<usize>) -> (u64, u64) {
        let newlines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let body = &self.text[range.clone()];
        let lead = body.len() - body.trim_start().len();
        let first = self.line + newlines(&self.text[self.at..range.start + lead]);
        let last = first + newlines(body[lead..].trim_end());
        (self.at, self.line) = (range.end, self.line + newlines(&self.text[self.at..range.end]));
        (first, last.max(first))
    }
}

/// Returns the kind with most tokens; a table with its notes is a table.
fn kind(members: &[Segment]) -> ChunkKind {
    if members.iter().any(|member| member.kind == ChunkKind::Table) {
        return ChunkKind::Table;
    }
    let tokens = |kind: ChunkKind| -> usize {
        members.iter().filter(|member| member.kind == kind).map(|member| member.tokens).sum()
    };
    let (prose, list, code) = (tokens(ChunkKind::Prose), tokens(ChunkKind::List), tokens(ChunkKind::Code));
    if code > prose.max(list) {
        ChunkKind::Code
    } else if list > prose {
        ChunkKind::List
    } else {
        ChunkKind::Prose
    }
}
