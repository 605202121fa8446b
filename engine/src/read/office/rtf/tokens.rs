//! Tokens of RTF.

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{`.
    Open,
    /// `}`.
    Close,
    /// `\word`, with its number if it has one.
    Word(&'a str, Option<i32>),
    /// `\` and one other character, such as `\~`.
    Symbol(u8),
    /// A byte written as `\'hh`.
    Byte(u8),
    /// Bytes of text.
    Text(&'a [u8]),
}

/// Goes through the tokens of a file.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Skips binary data.
    pub fn pass(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.bytes.len());
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let rest = &self.bytes[self.at..];
        let first = *rest.first()?;
        if first == b'\'' {
            let digits = rest.get(1..3).and_then(|digits| std::str::from_utf8(digits).ok());
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            self.pass(if byte.is_some() { 3 } else { 1 });
            return Some(byte.map_or(Token::Text(b""), Token::Byte));
        }
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters == 0 {
            self.pass(1);
            return Some(Token::Symbol(first));
        }
        let word = std::str::from_utf8(&rest[..letters]).unwrap_or_default();
        let sign = usize::from(rest.get(letters) == Some(&b'-'));
        let digits = rest[letters + sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = if digits == 0 { letters } else { letters + sign + digits };
        let number = std::str::from_utf8(&rest[letters..end]).ok().and_then(|number| number.parse().ok());
        // One space after a control word belongs to it.
        self.pass(end + usize::from(rest.get(end) == Some(&b' ')));
        Some(Token::Word(word, number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let byte = *self.bytes.get(self.at)?;
        match byte {
            b'{' | b'}' => {
                self.at += 1;
                Some(if byte == b'{' { Token::Open } else { Token::Close })
            }
            b'\\' => {
                self.at += 1;
                self.control()
            }
            _ => {
                let rest = &self.bytes[self.at..];
                let length =
                    rest.iter().position(|byte| matches!(byte, b'{' | b'}' | b'\\')).unwrap_or(rest.len());
                self.at += length;
                Some(Token::Text(&rest[..length]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_bytes() {
        let found: Vec<Token<'_>> = Tokens::new(br"{\b0 x\u-12?\'e7\~\par}").collect();
        let expected = [
            Token::Open,
            Token::Word("b", Some(0)),
            Token::Text(b"x"),
            Token::Word("u", Some(-12)),
            Token::Text(b"?"),
            Token::Byte(0xe7),
            Token::Symbol(b'~'),
            Token::Word("par", None),
            Token::Close,
        ];
        assert_eq!(found, expected);
        for cut in [&br"\"[..], br"\'", br"\'e", br"\par-", b"{"] {
            assert!(Tokens::new(cut).count() <= 3);
        }
    }
}
