//! From token bytes to text: whole characters only, nothing beyond a possible stop string.

/// Gathers the bytes of tokens and gives out text that is safe to show.
///
/// Three things are held back: an incomplete character at the end, a suffix that may become a
/// stop string, and bytes that are no UTF-8 at all (these are dropped for good and counted, so
/// that no replacement character ever appears).
#[derive(Debug)]
pub(crate) struct TextStream {
    held: Vec<u8>,
    stops: Vec<Vec<u8>>,
    text: String,
    dropped_bytes: usize,
    stopped: bool,
}

impl TextStream {
    pub(crate) fn new(stops: &[String]) -> Self {
        let stops = stops.iter().filter(|s| !s.is_empty()).map(|s| s.as_bytes().to_vec()).collect();
        Self { held: Vec::new(), stops, text: String::new(), dropped_bytes: 0, stopped: false }
    }

    /// Adds the bytes of a token; returns the text that can be shown now.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> &str {
        if self.stopped {
            return "";
        }
        self.held.extend_from_slice(bytes);
        let release = match self.earliest_stop() {
            Some(position) => {
                self.stopped = true;
                position
            }
            None => self.held.len() - self.possible_stop_suffix(),
        };
        self.release(release)
    }

    /// Says whether a stop string was met.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped
    }

    /// Gives out what was held for a stop string that did not come; an incomplete character
    /// is dropped.
    pub(crate) fn flush(&mut self) -> &str {
        if self.stopped {
            return "";
        }
        let released = self.text.len();
        self.release(self.held.len());
        self.dropped_bytes += self.held.len();
        self.held.clear();
        &self.text[released..]
    }

    /// Returns all text given out so far and the number of bytes that were no UTF-8.
    pub(crate) fn into_text(self) -> (String, usize) {
        (self.text, self.dropped_bytes)
    }

    fn earliest_stop(&self) -> Option<usize> {
        self.stops.iter().filter_map(|stop| find(&self.held, stop)).min()
    }

    /// Returns the length of the longest suffix that begins some stop string.
    fn possible_stop_suffix(&self) -> usize {
        let longest = |stop: &Vec<u8>| {
            let most = (stop.len() - 1).min(self.held.len());
            (1..=most).rev().find(|&length| self.held.ends_with(&stop[..length])).unwrap_or(0)
        };
        self.stops.iter().map(longest).max().unwrap_or(0)
    }

    /// Moves the first `length` held bytes to the text, but for an incomplete character.
    fn release(&mut self, length: usize) -> &str {
        let start = self.text.len();
        let mut taken = 0;
        while taken < length {
            match std::str::from_utf8(&self.held[taken..length]) {
                Ok(valid) => {
                    self.text.push_str(valid);
                    taken = length;
                }
                Err(error) => {
                    let valid = taken + error.valid_up_to();
                    self.text.push_str(&String::from_utf8_lossy(&self.held[taken..valid]));
                    taken = valid;
                    match error.error_len() {
                        // A character that may be completed by the next token.
                        None if !self.stopped => break,
                        None => {
                            self.dropped_bytes += length - taken;
                            taken = length;
                        }
                        Some(wrong) => {
                            self.dropped_bytes += wrong;
                            taken += wrong;
                        }
                    }
                }
            }
        }
        self.held.drain(..taken);
        &self.text[start..]
    }
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.windows(pattern.len()).position(|window| window == pattern)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::TextStream;

    fn run(pieces: &[&[u8]], stops: &[&str]) -> (Vec<String>, String, bool) {
        let stops: Vec<String> = stops.iter().map(ToString::to_string).collect();
        let mut stream = TextStream::new(&stops);
        let mut shown: Vec<String> = pieces.iter().map(|piece| stream.push(piece).to_string()).collect();
        shown.push(stream.flush().to_string());
        let stopped = stream.stopped();
        (shown, stream.into_text().0, stopped)
    }

    #[test]
    fn l05_characters_split_over_tokens_come_whole() {
        for text in ["🐢", "歪", "👨‍👩‍👧‍👦", "ação", "é\u{301}", "a🐢b歪c"] {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            let (shown, whole, _) = run(&pieces, &[]);
            assert_eq!(whole, text);
            assert_eq!(shown.concat(), text);
            assert!(!whole.contains('\u{fffd}'));
        }
    }

    #[test]
    fn l05_an_unfinished_character_is_dropped_not_replaced() {
        let (_, whole, _) = run(&[b"ok ", &[0xF0, 0x9F, 0x90]], &[]);
        assert_eq!(whole, "ok ");
        let (_, whole, _) = run(&[b"a", &[0xE6, 0xAD], b"b"], &[]);
        assert_eq!(whole, "ab");
        let (_, whole, _) = run(&[&[0xFF, 0xFE], b"x"], &[]);
        assert_eq!(whole, "x");
    }

    #[test]
    fn l05_stop_strings_are_matched_across_tokens_and_never_shown() {
        let (shown, whole, stopped) = run(&[b"SELECT 1", b";", b"\n", b"\nmore"], &[";\n\n"]);
        assert_eq!((whole.as_str(), stopped), ("SELECT 1", true));
        assert_eq!(shown, ["SELECT 1", "", "", "", ""]);
        let (shown, whole, stopped) = run(&[b"a;", b"b"], &[";\n"]);
        assert_eq!((whole.as_str(), stopped), ("a;b", false));
        assert_eq!(shown, ["a", ";b", ""]);
        // The earliest stop wins, not the first in the list.
        let (_, whole, _) = run(&[b"one two three"], &["three", "two"]);
        assert_eq!(whole, "one ");
        // A stop string that begins within a character's bytes is matched on bytes.
        let (_, whole, stopped) = run(&[&"x歪".as_bytes()[..2], &"x歪y".as_bytes()[2..]], &["歪"]);
        assert_eq!((whole.as_str(), stopped), ("x", true));
    }

    #[test]
    fn l05_a_possible_stop_is_shown_at_the_end_when_it_did_not_come() {
        let (shown, whole, stopped) = run(&[b"end <", b"/"], &["</s>"]);
        assert_eq!((whole.as_str(), stopped), ("end </", false));
        assert_eq!(shown, ["end ", "", "</"]);
    }

    proptest! {
        #[test]
        fn the_way_text_is_cut_does_not_matter(text in "\\PC{0,40}", cuts in proptest::collection::vec(1usize..5, 1..40), stop in "[ab<é]{1,3}") {
            let bytes = text.as_bytes();
            let mut stream = TextStream::new(std::slice::from_ref(&stop));
            let mut position = 0;
            let mut shown = String::new();
            for cut in cuts.iter().cycle() {
                if position >= bytes.len() { break; }
                let end = (position + cut).min(bytes.len());
                shown.push_str(stream.push(&bytes[position..end]));
                position = end;
            }
            shown.push_str(stream.flush());
            let expected = text.find(&stop).map_or(text.as_str(), |at| &text[..at]);
            prop_assert_eq!(&shown, expected);
            prop_assert_eq!(stream.into_text().0, expected);
        }

        #[test]
        fn any_bytes_give_valid_text(pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..6), 0..20)) {
            let mut stream = TextStream::new(&["ab".to_string()]);
            for piece in &pieces { stream.push(piece); }
            stream.flush();
            let replaced = stream.into_text().0.contains(char::REPLACEMENT_CHARACTER);
            prop_assert!(!replaced);
        }
    }
}
