//! Why a cached answer is not served.

use std::fmt;

use serde::Serialize;

/// Why a cached answer is not served.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum Reason {
    /// The similarity is under the threshold.
    Score {
        /// Cosine similarity.
        score: f32,
        /// Least similarity of a hit.
        threshold: f32,
    },
    /// One of the questions says nothing that could be compared.
    Empty,
    /// The questions are in different languages.
    Language {
        /// Codes of both languages.
        differ: [String; 2],
    },
    /// They hold a different number of questions.
    Questions {
        /// Number of questions in each.
        differ: [usize; 2],
    },
    /// They ask for different kinds of things (`when`, `where`).
    Interrogative {
        /// What each asks for.
        differ: [String; 2],
    },
    /// Numbers, percentages or dates differ.
    Numbers {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// Codes differ.
    Codes {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// Names differ.
    Names {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// Words that compare or rank differ.
    Comparison {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// One is negated more often.
    Negation {
        /// Negations in each.
        differ: [usize; 2],
    },
    /// Words on one side only have no synonym on the other.
    Words {
        /// Those on one side only, of each.
        differ: [Vec<String>; 2],
    },
    /// The same words play other roles.
    Roles {
        /// The words in the order of each.
        differ: [Vec<String>; 2],
    },
    /// One asks about the past, the other about the present.
    Tense,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn sides(f: &mut fmt::Formatter<'_>, what: &str, differ: &[Vec<String>; 2]) -> fmt::Result {
            let side = |words: &[String]| if words.is_empty() { "-".to_owned() } else { words.join(" ") };
            write!(f, "{what} differ: {}/{}", side(&differ[0]), side(&differ[1]))
        }
        match self {
            Reason::Score { score, threshold } => write!(f, "score {score:.3} under {threshold:.3}"),
            Reason::Empty => f.write_str("nothing to compare"),
            Reason::Language { differ: [a, b] } => write!(f, "languages differ: {a}/{b}"),
            Reason::Questions { differ: [a, b] } => write!(f, "number of questions differs: {a}/{b}"),
            Reason::Interrogative { differ: [a, b] } => write!(f, "interrogatives differ: {a}/{b}"),
            Reason::Numbers { differ } => sides(f, "numbers", differ),
            Reason::Codes { differ } => sides(f, "codes", differ),
            Reason::Names { differ } => sides(f, "names", differ),
            Reason::Comparison { differ } => sides(f, "comparisons", differ),
            Reason::Negation { differ: [a, b] } => write!(f, "negations differ: {a}/{b}"),
            Reason::Words { differ } => sides(f, "words", differ),
            Reason::Roles { differ } => sides(f, "roles", differ),
            Reason::Tense => f.write_str("tenses differ"),
        }
    }
}
