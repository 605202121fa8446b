//! Rich text (RTF): one pass over its tokens with a stack of group states, no recursion.

mod page;
mod tokens;

use std::collections::HashMap;
use std::path::Path;

use encoding_rs::Encoding;

use super::super::{Kind, ReadError, Reader, Warning};
use super::Content;
use super::words::push;
use page::{CellMerge, Page};
use tokens::{Token, Tokens};

/// Reads a rich text file.
pub(super) fn read(path: &Path, bytes: &[u8], reader: &Reader<'_>) -> Result<Content, ReadError> {
    let mut machine = Machine {
        state: State::new(encoding_rs::WINDOWS_1252),
        stack: Vec::new(),
        page: Page::new(path, reader),
        fonts: HashMap::new(),
        font: 0,
        base: encoding_rs::WINDOWS_1252,
        pending: Vec::new(),
        skip: 0,
        high: None,
        starred: false,
    };
    let mut tokens = Tokens::new(bytes);
    while let Some(token) = tokens.next() {
        if let Token::Word("bin", Some(count)) = token {
            tokens.pass(usize::try_from(count).unwrap_or(0));
            continue;
        }
        machine.take(token)?;
    }
    machine.flush();
    let open = machine.stack.len();
    let mut content = machine.page.finish()?;
    if open > 0 {
        let message = format!("the file ends inside {open} open groups: it was cut off");
        content.warnings.push(Warning { line: None, message });
    }
    if content.out.is_empty() && open > 0 {
        let reason = format!("it ends at byte {} inside {open} open groups", bytes.len());
        return Err(ReadError::Corrupt { path: path.to_path_buf(), kind: Kind::Rtf, reason });
    }
    Ok(content)
}

/// Where the words of a group go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The text.
    Body,
    /// Nowhere.
    Nowhere,
    /// A footnote or endnote.
    Note,
    /// A running header (false) or footer (true).
    Running(bool),
    /// The label of a list item.
    Label,
    /// A property of the document.
    Property(&'static str),
    /// The sheet of styles.
    Styles,
    /// The table of fonts.
    Fonts,
    /// Bytes of a picture, in hexadecimal.
    Picture,
}

#[derive(Debug, Clone, Copy)]
struct State {
    place: Place,
    hidden: bool,
    deleted: bool,
    raised: bool,
    /// Characters after `\u` that repeat it for old readers.
    fallback: usize,
    encoding: &'static Encoding,
}

impl State {
    fn new(encoding: &'static Encoding) -> Self {
        Self { place: Place::Body, hidden: false, deleted: false, raised: false, fallback: 1, encoding }
    }
}

struct Machine<'r> {
    state: State,
    stack: Vec<State>,
    page: Page<'r>,
    fonts: HashMap<i32, &'static Encoding>,
    font: i32,
    base: &'static Encoding,
    pending: Vec<u8>,
    skip: usize,
    high: Option<u32>,
    starred: bool,
}

impl Machine<'_> {
    fn take(&mut self, token: Token<'_>) -> Result<(), ReadError> {
        if self.skip > 0 && self.skipped(token) {
            return Ok(());
        }
        match token {
            Token::Text(bytes) if self.skip > 0 => {
                let visible = bytes.iter().filter(|byte| !matches!(byte, b'\r' | b'\n')).copied();
                let rest: Vec<u8> = visible.skip(std::mem::take(&mut self.skip)).collect();
                self.pending.extend(rest);
            }
            Token::Text(bytes) => {
                self.pending.extend(bytes.iter().filter(|byte| !matches!(byte, b'\r' | b'\n' | 0)));
            }
            Token::Byte(byte) => self.pending.push(byte),
            Token::Open => {
                self.flush();
                self.stack.push(self.state);
            }
            Token::Close => self.close()?,
            Token::Symbol(symbol) => self.symbol(symbol),
            Token::Word(word, number) => {
                self.flush();
                let starred = std::mem::take(&mut self.starred);
                if !self.destination(word, starred) {
                    self.word(word, number)?;
                }
            }
        }
        Ok(())
    }

    /// Passes over one character that repeats a `\u`.
    fn skipped(&mut self, token: Token<'_>) -> bool {
        match token {
            Token::Byte(_) | Token::Symbol(_) => {
                self.skip -= 1;
                true
            }
            Token::Text(_) => false,
            _ => {
                self.skip = 0;
                false
            }
        }
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'*' => {
                self.flush();
                self.starred = true;
            }
            b'{' | b'}' | b'\\' => self.pending.push(symbol),
            b'~' => self.say(" "),
            b'_' => self.say("-"),
            b'\r' | b'\n' => {
                self.flush();
                self.page.end_paragraph(self.state.place);
            }
            _ => {}
        }
    }

    fn close(&mut self) -> Result<(), ReadError> {
        self.flush();
        let ended = self.state.place;
        if let Some(outer) = self.stack.pop() {
            self.state = outer;
        }
        if ended != self.state.place {
            self.page.leave(ended);
        } else if ended == Place::Styles {
            self.page.end_style();
        }
        Ok(())
    }

    /// Opens a destination; `true` if the word was one.
    fn destination(&mut self, word: &str, starred: bool) -> bool {
        let place = match word {
            "fonttbl" => Place::Fonts,
            "stylesheet" => Place::Styles,
            "footnote" => Place::Note,
            "header" | "headerl" | "headerr" | "headerf" => Place::Running(false),
            "footer" | "footerl" | "footerr" | "footerf" => Place::Running(true),
            "listtext" | "pntext" => Place::Label,
            "pict" => Place::Picture,
            "title" => Place::Property("title"),
            "author" => Place::Property("author"),
            "subject" => Place::Property("subject"),
            "keywords" => Place::Property("keywords"),
            "doccomm" => Place::Property("description"),
            "company" => Place::Property("company"),
            // Inside these groups is text, or a group that says so itself.
            "shppict" | "shpinst" | "shptxt" | "fldrslt" | "bkmkstart" | "bkmkend" => {
                if word.starts_with("bkmk") {
                    self.state.place = Place::Nowhere;
                }
                return true;
            }
            "colortbl" | "listtable" | "listoverridetable" | "revtbl" | "rsidtbl" | "fldinst"
            | "nonshppict" | "sp" | "shprslt" | "xe" | "tc" | "nesttableprops" | "annotation" | "atnid"
            | "atnauthor" | "pntxta" | "pntxtb" | "objdata" | "datafield" | "filetbl" | "ftnsep"
            | "ftnsepc" | "aftnsep" | "aftnsepc" | "comment" | "operator" | "creatim" | "revtim"
            | "printim" | "buptim" => Place::Nowhere,
            _ if starred => Place::Nowhere,
            _ => return false,
        };
        if self.state.place != Place::Nowhere {
            if place == Place::Note {
                let mark = self.page.enter_note();
                self.say(&mark);
            }
            self.state.place = place;
        }
        true
    }

    fn word(&mut self, word: &str, number: Option<i32>) -> Result<(), ReadError> {
        let on = number != Some(0);
        match word {
            "u" => self.unicode(number.unwrap_or(0)),
            "uc" => {
                self.state.fallback =
                    number.and_then(|count| usize::try_from(count).ok()).unwrap_or(1).min(16)
            }
            "ansicpg" => {
                let page = number.and_then(|page| u16::try_from(page).ok()).unwrap_or(1252);
                self.base = code_page(page);
                self.state.encoding = self.base;
            }
            "mac" => {
                self.base = encoding_rs::MACINTOSH;
                self.state.encoding = self.base;
            }
            "f" if self.state.place == Place::Fonts => self.font = number.unwrap_or(0),
            "fcharset" => {
                let encoding = charset(number.unwrap_or(0)).unwrap_or(self.base);
                self.fonts.insert(self.font, encoding);
            }
            "f" => {
                let known = number.and_then(|font| self.fonts.get(&font).copied());
                self.state.encoding = known.unwrap_or(self.base);
            }
            "v" => self.state.hidden = on,
            "deleted" => self.state.deleted = on,
            "super" => self.state.raised = on,
            "nosupersub" | "sub" => self.state.raised = false,
            "plain" => {
                let State { place, fallback, deleted, .. } = self.state;
                self.state = State { place, fallback, deleted, ..State::new(self.base) };
            }
            "tab" | "cell" | "nestcell" | "row" | "nestrow" | "par" | "sect" | "page" | "line" | "column" => {
                self.structure(word)?;
            }
            _ => match character(word) {
                Some(text) => self.say(text),
                None => self.page.setting(word, number, self.state.place),
            },
        }
        Ok(())
    }

    fn structure(&mut self, word: &str) -> Result<(), ReadError> {
        // The end of a deleted paragraph is deleted with it.
        if self.state.place == Place::Nowhere || (self.state.deleted && word == "par") {
            return Ok(());
        }
        match word {
            "tab" | "nestcell" => self.say(" "),
            "line" | "column" | "nestrow" => self.say("\n"),
            "cell" if self.state.place == Place::Body => self.page.end_cell(),
            "row" if self.state.place == Place::Body => self.page.end_row()?,
            "cell" | "row" => self.say(" "),
            _ => self.page.end_paragraph(self.state.place),
        }
        Ok(())
    }

    fn unicode(&mut self, number: i32) {
        self.skip = self.state.fallback;
        let unit = (number & 0xffff) as u32;
        if (0xd800..0xdc00).contains(&unit) {
            self.high = Some(unit);
            return;
        }
        let code = match self.high.take() {
            Some(high) if (0xdc00..0xe000).contains(&unit) => {
                0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00)
            }
            _ => unit,
        };
        if let Some(character) = char::from_u32(code).filter(|character| !character.is_control()) {
            self.say(character.encode_utf8(&mut [0; 4]));
        }
    }

    /// Decodes the bytes that wait.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pending);
        if self.state.place == Place::Picture {
            self.page.picture(&bytes);
            return;
        }
        let (text, _) = self.state.encoding.decode_without_bom_handling(&bytes);
        self.say(&text);
    }

    fn say(&mut self, text: &str) {
        self.flush();
        if self.state.hidden || self.state.deleted || self.state.place == Place::Nowhere {
            return;
        }
        let raised = self.state.raised;
        if let Some(into) = self.page.text(self.state.place) {
            push(into, text, raised);
        }
    }
}

impl CellMerge {
    /// Reads a cell setting; `None` if the word is none.
    pub(super) fn of(word: &str) -> Option<fn(&mut Self)> {
        match word {
            "clmrg" => Some(|cell| cell.left = true),
            "clvmrg" => Some(|cell| cell.above = true),
            _ => None,
        }
    }
}

fn character(word: &str) -> Option<&'static str> {
    Some(match word {
        "emdash" => "—",
        "endash" => "–",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        "emspace" | "enspace" | "qmspace" => " ",
        _ => return None,
    })
}

fn code_page(page: u16) -> &'static Encoding {
    let label = match page {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        874 => "windows-874".to_owned(),
        65001 => "utf-8".to_owned(),
        10000 => "macintosh".to_owned(),
        866 => "ibm866".to_owned(),
        page => format!("windows-{page}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252)
}

/// Encoding of a font's character set; `None` for the document's own.
fn charset(number: i32) -> Option<&'static Encoding> {
    let page = match number {
        77 => 10000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    Some(code_page(page))
}
