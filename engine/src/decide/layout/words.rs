//! Glyphs to words.

use super::geometry::{Bounds, median};

/// One character as it is drawn, upright.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glyph {
    /// The character; a glyph that stands for several is given as several.
    pub character: char,
    /// Where it begins on the baseline.
    pub left: f32,
    /// Where the next one would begin.
    pub right: f32,
    /// The baseline.
    pub baseline: f32,
    /// Font size.
    pub size: f32,
    /// Whether its font is bold.
    pub bold: bool,
}

/// A run of characters without a gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The characters.
    pub text: String,
    /// Where it stands: from ascender to descender, roughly.
    pub bounds: Bounds,
    /// Its baseline.
    pub baseline: f32,
    /// Font size.
    pub size: f32,
    /// Whether it is bold.
    pub bold: bool,
}

/// Gap, in font sizes, from which two glyphs belong to two words. A normal space is 0.25 to 0.33
/// wide and shrinks to about 0.2 in justified lines; kerning stays below 0.1.
const WORD_GAP: f32 = 0.17;
/// Rise of the baseline, in font sizes, from which a smaller glyph is a superscript.
const RISE: f32 = 0.2;
/// Parts of the font size above and below the baseline that a line takes.
const ASCENT: f32 = 0.78;
const DESCENT: f32 = 0.22;

/// Joins glyphs, in the order in which they are drawn, to words.
///
/// A glyph drawn twice at the same place (a shadow, or bold made by overprinting) counts once.
/// Raised digits become `¹²³…`, so that a note's mark is not read as a digit of the number it
/// stands at.
pub fn words(glyphs: &[Glyph]) -> Vec<Word> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < glyphs.len() {
        let end = run_end(glyphs, at);
        run_words(&glyphs[at..end], &mut found);
        at = end;
    }
    without_doubles(found)
}

/// Splits a line that is known as a whole (from OCR) into words, by the share of its characters.
pub fn line_words(text: &str, bounds: Bounds) -> Vec<Word> {
    let total = text.chars().count().max(1) as f32;
    let size = (bounds.height() * 0.9).max(1.0);
    let (mut found, mut at) = (Vec::new(), 0);
    for piece in text.split(char::is_whitespace) {
        let length = piece.chars().count();
        if length > 0 {
            let x = |offset: usize| bounds.left + bounds.width() * offset as f32 / total;
            found.push(Word {
                text: piece.to_owned(),
                bounds: Bounds::new(x(at), bounds.top, x(at + length), bounds.bottom),
                baseline: bounds.bottom - DESCENT * size,
                size,
                bold: false,
            });
        }
        at += length + 1;
    }
    found
}

/// Returns where the run of glyphs on one line that begins at `at` ends.
fn run_end(glyphs: &[Glyph], at: usize) -> usize {
    let mut end = at + 1;
    let (mut baseline, mut size) = (glyphs[at].baseline, glyphs[at].size);
    while let Some(next) = glyphs.get(end) {
        let shift = (next.baseline - baseline).abs();
        let back = glyphs[end - 1].left - next.left;
        if shift > 0.6 * size.max(next.size) || back > size.max(next.size) {
            break;
        }
        // The line's own baseline is that of its larger glyphs.
        if next.size > 0.85 * size {
            (baseline, size) = (next.baseline, next.size);
        }
        end += 1;
    }
    end
}

/// Cuts one run into words.
fn run_words(run: &[Glyph], found: &mut Vec<Word>) {
    let size = run.iter().map(|glyph| glyph.size).fold(0.0, f32::max);
    let baseline = run.iter().find(|glyph| glyph.size > 0.85 * size).map_or(0.0, |glyph| glyph.baseline);
    let gap = WORD_GAP.max(tracking(run) + 0.15);
    let mut open: Option<Word> = None;
    for (index, glyph) in run.iter().enumerate() {
        if glyph.character.is_whitespace() || glyph.character.is_control() {
            found.extend(open.take());
            continue;
        }
        let raised = glyph.size < 0.85 * size && baseline - glyph.baseline > RISE * size;
        let character = if raised { superscript(glyph.character) } else { glyph.character };
        let apart = index > 0 && glyph.left - run[index - 1].right > gap * glyph.size.max(1e-3);
        let shifted = open.as_ref().is_some_and(|word| {
            // Two baselines in one run (a fraction, a subscript line): only marks stay with the word.
            (word.baseline - glyph.baseline).abs() > 0.45 * size && !raised
        });
        if apart || shifted {
            found.extend(open.take());
        }
        match &mut open {
            Some(word) => {
                word.text.push(character);
                word.bounds = word.bounds.union(&glyph_bounds(glyph));
                word.bold &= glyph.bold;
            }
            None => {
                open = Some(Word {
                    text: character.to_string(),
                    bounds: glyph_bounds(glyph),
                    baseline: if raised { baseline } else { glyph.baseline },
                    size: if raised { size } else { glyph.size },
                    bold: glyph.bold,
                });
            }
        }
    }
    found.extend(open);
}

/// Typical gap between the letters of a run, in font sizes: above 0 for letter-spaced text.
fn tracking(run: &[Glyph]) -> f32 {
    if run.len() < 8 {
        return 0.0;
    }
    let gaps: Vec<f32> = run
        .windows(2)
        .filter(|pair| !pair[0].character.is_whitespace() && !pair[1].character.is_whitespace())
        .map(|pair| (pair[1].left - pair[0].right) / pair[0].size.max(1e-3))
        .collect();
    // Beyond 0.4 the glyphs are columns of single figures rather than letters of words.
    let typical = median(gaps);
    if (0.0..0.4).contains(&typical) { typical } else { 0.0 }
}

fn glyph_bounds(glyph: &Glyph) -> Bounds {
    Bounds::new(
        glyph.left,
        glyph.baseline - ASCENT * glyph.size,
        glyph.right,
        glyph.baseline + DESCENT * glyph.size,
    )
}

fn superscript(character: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    character.to_digit(10).map_or(character, |digit| DIGITS[digit as usize])
}

/// Removes words drawn again at (almost) the same place.
fn without_doubles(words: Vec<Word>) -> Vec<Word> {
    let mut seen = std::collections::HashMap::<(i32, i32, String), ()>::with_capacity(words.len());
    let cell = |value: f32, size: f32| (value / (0.25 * size.max(1.0))).round() as i32;
    words
        .into_iter()
        .filter(|word| {
            let key = (cell(word.bounds.left, word.size), cell(word.baseline, word.size), word.text.clone());
            seen.insert(key, ()).is_none()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets `text` at 10 points, every letter 5 wide; `_` is a gap of `space`.
    fn set(text: &str, space: f32) -> Vec<Glyph> {
        let mut x = 0.0;
        let mut glyphs = Vec::new();
        for character in text.chars() {
            if character == '_' {
                x += space;
                continue;
            }
            glyphs.push(Glyph {
                character,
                left: x,
                right: x + 5.0,
                baseline: 100.0,
                size: 10.0,
                bold: false,
            });
            x += 5.0;
        }
        glyphs
    }

    fn texts(glyphs: &[Glyph]) -> Vec<String> {
        words(glyphs).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn gaps_and_spaces_end_words() {
        assert_eq!(texts(&set("uma_casa", 2.5)), ["uma", "casa"]);
        assert_eq!(texts(&set("uma casa", 0.0)), ["uma", "casa"]);
        assert_eq!(texts(&set("A_V_e", 0.9)), ["AVe"], "kerning is no space");
        assert_eq!(texts(&set("R_E_L_A_T_O_R_I_O", 2.0)), ["RELATORIO"], "letter-spaced");
        assert_eq!(texts(&set("1_2_3_4_5_6_7_8_9", 20.0)).len(), 9, "columns of figures");
    }

    #[test]
    fn overprinted_text_counts_once() {
        let mut glyphs = set("Total", 0.0);
        glyphs.extend(set("Total", 0.0).into_iter().map(|glyph| Glyph { left: glyph.left + 0.3, ..glyph }));
        assert_eq!(texts(&glyphs), ["Total"]);
    }

    #[test]
    fn a_raised_digit_is_a_mark() {
        let mut glyphs = set("10", 0.0);
        glyphs.push(Glyph {
            character: '2',
            left: 10.0,
            right: 13.0,
            baseline: 96.0,
            size: 6.0,
            bold: false,
        });
        assert_eq!(texts(&glyphs), ["10²"]);
    }

    #[test]
    fn a_line_of_ocr_is_split_by_its_characters() {
        let words = line_words("ab  cdef", Bounds::new(0.0, 0.0, 80.0, 10.0));
        assert_eq!(words.len(), 2);
        assert_eq!((words[1].bounds.left, words[1].bounds.right), (40.0, 80.0));
    }
}
