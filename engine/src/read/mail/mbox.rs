//! Boxes of messages: a line `From `, between a blank line and a header, begins the next.

/// Says whether a file is a box.
pub(super) fn is_box(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).starts_with(b"From ")
}

/// Returns the messages with the lines they begin on; quoted `From ` lines are restored.
pub(super) fn messages(bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let (mut found, mut after_blank): (Vec<(u64, Vec<u8>)>, bool) = (Vec::new(), true);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    for (index, line) in lines.iter().copied().enumerate() {
        let header_follows = || lines.get(index + 1).is_some_and(|next| is_header(next));
        if after_blank && line.starts_with(b"From ") && header_follows() {
            found.push((index as u64 + 1, Vec::new()));
        } else if let Some((_, message)) = found.last_mut() {
            let quoted = line
                .iter()
                .position(|byte| *byte != b'>')
                .is_some_and(|at| at > 0 && line[at..].starts_with(b"From "));
            message.extend_from_slice(if quoted { &line[1..] } else { line });
        }
        after_blank = line.iter().all(u8::is_ascii_whitespace);
    }
    found.retain(|(_, message)| message.iter().any(|byte| !byte.is_ascii_whitespace()));
    found
}

/// Says whether a line is a header: a name without spaces, then a colon.
fn is_header(line: &[u8]) -> bool {
    let name = line.iter().position(|byte| *byte == b':').unwrap_or(0);
    name > 0 && line[..name].iter().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_before_a_header_begins_a_message() {
        let text = b"From a@b Mon\nSubject: 1\n\nFrom here on\nhello\n>From x\n>>From y\n\nFrom c@d Tue\nSubject: 2\n\nb\n";
        let found = messages(text);
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 9]);
        assert!(found[0].1.ends_with(b"hello\nFrom x\n>From y\n\n"));
        assert!(is_box(text) && !is_box(b"From: a"));
    }
}
