//! How a vision model (GLM-OCR) is asked to read a picture: prompt, size, bounds, and when to stop.
//!
//! Pure arithmetic, so that a page never fills the context and a loop never fills the index.

use serde::Serialize;

/// What a region of a page is read as. The model was trained on these prompts and no others: a
/// chatty one makes it chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VisionTask {
    /// Running text.
    Text,
    /// A table, as HTML.
    Table,
    /// A formula, as LaTeX.
    Formula,
}

impl VisionTask {
    /// The fixed prompt.
    pub fn prompt(self) -> &'static str {
        match self {
            Self::Text => "Text Recognition:",
            Self::Table => "Table Recognition:",
            Self::Formula => "Formula Recognition:",
        }
    }
}

/// Pixels of a side that become one image token: patches of 14, merged two by two.
pub const TOKEN_PIXELS: usize = 28;
/// Tokens of the fixed prompt, the template and the image's own marks, rounded up.
const PROMPT_TOKENS: usize = 32;
/// Answer tokens per image token: writing of 6 x 12 pixels a character, two characters a token,
/// fills 28 x 28 pixels with about five.
const ANSWER_PER_IMAGE: usize = 5;
/// Bounds of an answer: a word in a tiny picture; a dense page.
const LEAST_ANSWER: usize = 64;
const MOST_ANSWER: usize = 4096;
/// Share of the context that a picture may take, in tenths: the rest is for the answer.
const IMAGE_TENTHS: usize = 6;

/// How a picture is put before the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct VisionPlan {
    /// Size the picture is scaled to, multiples of [`TOKEN_PIXELS`].
    pub width: usize,
    /// See `width`.
    pub height: usize,
    /// Tokens it takes.
    pub image_tokens: usize,
    /// Most tokens the model may write.
    pub answer_tokens: usize,
    /// Whether it had to be made smaller, so that small print may be lost.
    pub reduced: bool,
}

/// Plans the reading of a picture of `width` x `height` pixels in a context of `context` tokens.
///
/// Image tokens are counted first; a page that would take more than its share is scaled down. What
/// is left bounds the answer, which is bounded by the size of the picture as well. `None` when the
/// context holds no picture at all, or there is none.
pub fn vision_plan(width: usize, height: usize, context: usize) -> Option<VisionPlan> {
    if width == 0 || height == 0 {
        return None;
    }
    let most_image = context.checked_sub(PROMPT_TOKENS + LEAST_ANSWER)?.min(context * IMAGE_TENTHS / 10);
    if most_image == 0 {
        return None;
    }
    let tokens =
        |length: usize, scale: f64| ((length as f64 * scale / TOKEN_PIXELS as f64).round() as usize).max(1);
    let (mut across, mut down) = (tokens(width, 1.0), tokens(height, 1.0));
    let reduced = across.saturating_mul(down) > most_image;
    if reduced {
        let scale = (most_image as f64 / (across as f64 * down as f64)).sqrt();
        (across, down) = (tokens(width, scale), tokens(height, scale));
        // Rounding may leave it a row too large, and a strip cannot shrink on its short side.
        while across * down > most_image {
            if across >= down { across -= 1 } else { down -= 1 }
        }
    }
    let image_tokens = across * down;
    let room = context - PROMPT_TOKENS - image_tokens;
    let answer_tokens = (image_tokens * ANSWER_PER_IMAGE).clamp(LEAST_ANSWER, MOST_ANSWER).min(room);
    Some(VisionPlan {
        width: across * TOKEN_PIXELS,
        height: down * TOKEN_PIXELS,
        image_tokens,
        answer_tokens,
        reduced,
    })
}

/// Longest unit, in characters, that a loop is looked for with.
const LONGEST_UNIT: usize = 400;

/// Says where a text that ends in the same words over and over should end: after the first round.
///
/// Returns the byte to cut at. Short units need many rounds (a row of dots or dashes is no loop
/// before it is longer than any line), long ones three.
pub fn repetition_cut(text: &str) -> Option<usize> {
    let characters: Vec<char> = text.chars().rev().take(LONGEST_UNIT * 4).collect();
    for unit in 1..=LONGEST_UNIT.min(characters.len() / 3) {
        let mut rounds = 1;
        while (rounds + 1) * unit <= characters.len()
            && characters[rounds * unit..(rounds + 1) * unit] == characters[..unit]
        {
            rounds += 1;
        }
        if rounds < rounds_allowed(unit) {
            continue;
        }
        // Rounds beyond those looked at, back to the first.
        let bytes: usize = characters[..unit].iter().map(|character| character.len_utf8()).sum();
        let mut start = text.len() - bytes * rounds;
        let last = &text[text.len() - bytes..];
        while start >= bytes && text.is_char_boundary(start - bytes) && &text[start - bytes..start] == last {
            start -= bytes;
        }
        return Some(start + bytes);
    }
    None
}

fn rounds_allowed(unit: usize) -> usize {
    match unit {
        1..=3 => 160 / unit,
        4..=15 => 12,
        16..=39 => 6,
        _ => 3,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn d23_only_fixed_prompts_are_used() {
        let prompts = [VisionTask::Text, VisionTask::Table, VisionTask::Formula].map(VisionTask::prompt);
        assert_eq!(prompts, ["Text Recognition:", "Table Recognition:", "Formula Recognition:"]);
    }

    #[test]
    fn d22_a_page_is_scaled_to_the_context() {
        // A4 at 300 dots per inch.
        for context in [1024, 2048, 4096, 8192, 16384] {
            let plan = vision_plan(2480, 3508, context).unwrap();
            assert!(plan.image_tokens + plan.answer_tokens + PROMPT_TOKENS <= context, "{context}: {plan:?}");
            assert_eq!(plan.width * plan.height, plan.image_tokens * TOKEN_PIXELS * TOKEN_PIXELS);
            let ratio = plan.width as f64 / plan.height as f64;
            assert!((0.6..0.85).contains(&ratio), "{context}: {plan:?}");
            assert!(
                plan.answer_tokens >= context / 4 || plan.answer_tokens == MOST_ANSWER,
                "{context}: {plan:?}"
            );
            assert!(plan.reduced || context == 16384, "{context}: {plan:?}");
        }
    }

    #[test]
    fn d22_odd_shapes_and_small_contexts_have_a_plan_or_none() {
        for (width, height, context) in [(20_000, 30, 2048), (30, 20_000, 2048), (1, 1, 256), (9, 4000, 128)]
        {
            let plan = vision_plan(width, height, context).unwrap();
            assert!(
                plan.image_tokens >= 1 && plan.image_tokens + plan.answer_tokens + PROMPT_TOKENS <= context
            );
        }
        assert_eq!(vision_plan(100, 100, 64), None);
        assert_eq!(vision_plan(100, 100, 0), None);
        assert_eq!(vision_plan(0, 100, 4096), None);
    }

    #[test]
    fn d20_a_short_sentence_has_a_short_answer() {
        let plan = vision_plan(420, 84, 8192).unwrap();
        assert_eq!((plan.image_tokens, plan.answer_tokens), (45, 225));
        assert_eq!(vision_plan(28, 28, 8192).unwrap().answer_tokens, LEAST_ANSWER);
    }

    #[test]
    fn d20_rounds_are_cut_after_the_first() {
        let check = |text: String, expected: Option<&str>| {
            assert_eq!(repetition_cut(&text).map(|at| &text[..at]), expected, "{text:.60}");
        };
        check(
            format!("Título\n{}", "A linha que volta sempre outra vez.\n".repeat(40)),
            Some("Título\nA linha que volta sempre outra vez.\n"),
        );
        check(format!("x{}", "é".repeat(500)), Some("xé"));
        check("<td></td>".repeat(200), Some("<td></td>"));
        let long = "uma frase comprida o bastante para ser um parágrafo inteiro da página. ".repeat(3);
        check(long.clone(), Some(&long[..long.len() / 3]));
    }

    #[test]
    fn d20_what_repeats_by_right_stays() {
        for text in [
            "1. Introdução ........................................ 3",
            "| a | b |\n| --- | --- |\n| 0 | 0 |\n| 0 | 0 |\n| 0 | 0 |\n",
            "não, não, não e não",
            "----------------------------------------",
            "ha ha ha ha ha",
            "",
        ] {
            assert_eq!(repetition_cut(text), None, "{text}");
        }
    }
}
