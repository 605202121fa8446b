//! CSV records with their lines: RFC 4180, lenient where files are.
//!
//! Blank lines are records here (they separate tables), and a quote that is never closed
//! swallows nothing.

use std::borrow::Cow;

/// Reads records of `text[start..end]`.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    line: u64,
    delimiter: u8,
    /// From here on no quote closes: quotes are plain characters.
    unclosed: bool,
}

/// Where a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// 1-based line on which it starts.
    pub line: u64,
    /// Byte at which it starts.
    pub start: usize,
    /// Byte after its line end.
    pub end: usize,
}

impl<'a> Records<'a> {
    /// Starts at byte `start`, which is on line `line`, and reads up to byte `end`.
    pub fn new(text: &'a str, start: usize, end: usize, line: u64, delimiter: u8) -> Self {
        Self { text, at: start, end, line, delimiter, unclosed: false }
    }

    /// Reads the next record into `fields`; `None` at the end.
    pub fn read(&mut self, fields: &mut Vec<Cow<'a, str>>) -> Option<Place> {
        fields.clear();
        if self.at >= self.end {
            return None;
        }
        let (start, line) = (self.at, self.line);
        loop {
            let field = self.field();
            fields.push(field);
            match self.text.as_bytes()[..self.end].get(self.at).copied() {
                Some(byte) if byte == self.delimiter => self.at += 1,
                Some(b'\r') => {
                    self.at += 1;
                    if self.text.as_bytes()[..self.end].get(self.at) == Some(&b'\n') {
                        self.at += 1;
                    }
                    break;
                }
                Some(_) => {
                    self.at += 1;
                    break;
                }
                None => break,
            }
        }
        self.line += 1;
        Some(Place { line, start, end: self.at })
    }

    /// Reads one field and stops at its delimiter, its line end or the end.
    fn field(&mut self) -> Cow<'a, str> {
        let bytes = &self.text.as_bytes()[..self.end];
        let mut open = self.at;
        while bytes.get(open).is_some_and(|byte| *byte == b' ') {
            open += 1;
        }
        if bytes.get(open) == Some(&b'"')
            && !self.unclosed
            && let Some(field) = self.quoted(open + 1)
        {
            return field;
        }
        let delimiter = self.delimiter;
        let stop =
            bytes[self.at..].iter().position(|byte| *byte == delimiter || *byte == b'\n' || *byte == b'\r');
        let end = stop.map_or(self.end, |offset| self.at + offset);
        let field = &self.text[self.at..end];
        self.at = end;
        Cow::Borrowed(field)
    }

    /// Reads a quoted field whose content starts at `from`; `None` if its quote is a stray one.
    fn quoted(&mut self, from: usize) -> Option<Cow<'a, str>> {
        let bytes = &self.text.as_bytes()[..self.end];
        let (mut at, mut newlines, mut doubled, mut inner, mut lone) = (from, 0_u64, false, false, 0_u64);
        loop {
            let Some(byte) = bytes.get(at).copied() else {
                self.unclosed = true;
                return None;
            };
            match byte {
                b'\n' | b'\r' if inner => return None,
                b'\n' => newlines += 1,
                b'\r' if bytes.get(at + 1) != Some(&b'\n') => lone += 1,
                b'"' if bytes.get(at + 1) == Some(&b'"') => {
                    doubled = true;
                    at += 1;
                }
                b'"' => match self.after_quote(at + 1) {
                    Some(stop) => {
                        let content = &self.text[from..at];
                        (self.at, self.line) = (stop, self.line + newlines + lone);
                        let content =
                            if doubled { content.replace("\"\"", "\"").into() } else { content.into() };
                        return Some(content);
                    }
                    // `"he said "hi""`: a quote inside, if the field ends well on this line.
                    None if newlines + lone > 0 => return None,
                    None => inner = true,
                },
                _ => {}
            }
            at += 1;
        }
    }

    /// Returns where a field stops whose closing quote is right before `at`, if it does.
    fn after_quote(&self, mut at: usize) -> Option<usize> {
        let bytes = &self.text.as_bytes()[..self.end];
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        match bytes.get(at) {
            None | Some(b'\n' | b'\r') => Some(at),
            Some(byte) if *byte == self.delimiter => Some(at),
            Some(_) => None,
        }
    }
}

/// Says whether a record has nothing in it.
pub fn is_blank(fields: &[Cow<'_, str>]) -> bool {
    fields.iter().all(|field| field.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(u64, &[&str])]) {
        let mut records = Records::new(text, 0, text.len(), 1, b',');
        let (mut fields, mut found) = (Vec::new(), Vec::new());
        while let Some(place) = records.read(&mut fields) {
            found.push((place.line, fields.iter().map(|field| field.to_string()).collect::<Vec<_>>()));
        }
        let expected: Vec<(u64, Vec<String>)> = expected
            .iter()
            .map(|(line, fields)| (*line, fields.iter().map(|f| (*f).to_string()).collect()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn records_keep_lines_and_quotes() {
        check("a,b\n1,2\n", &[(1, &["a", "b"]), (2, &["1", "2"])]);
        check("a,b\r\n\r\n1,2", &[(1, &["a", "b"]), (2, &[""]), (3, &["1", "2"])]);
        check("\"a\nb\",\"c\"\"d\"\nx,", &[(1, &["a\nb", "c\"d"]), (3, &["x", ""])]);
        check("a\rb\rc", &[(1, &["a"]), (2, &["b"]), (3, &["c"])]);
    }

    #[test]
    fn stray_quotes_swallow_nothing() {
        check("1,\"abc\n2,x\n3,y\n", &[(1, &["1", "\"abc"]), (2, &["2", "x"]), (3, &["3", "y"])]);
        check("1,\"abc\n2,\"x\"\n", &[(1, &["1", "\"abc"]), (2, &["2", "x"])]);
        check("\"he said \"hi\" twice\",5\n", &[(1, &["he said \"hi\" twice", "5"])]);
        check("12\",x\n", &[(1, &["12\"", "x"])]);
        check("1, \"a, b\"\n", &[(1, &["1", "a, b"])]);
    }
}
