//! The program's own sentences, in the languages it answers in.

/// Fixed sentences of the program itself.
pub(super) enum Phrase {
    NotInFiles,
    LanguageRule,
    Question,
}

pub(super) fn phrase(language: &str, which: Phrase) -> &'static str {
    match (language, which) {
        ("pt", Phrase::NotInFiles) => "Não encontrei isso nos seus arquivos.",
        ("es", Phrase::NotInFiles) => "No lo encontré en sus archivos.",
        (_, Phrase::NotInFiles) => "I did not find that in your files.",
        ("pt", Phrase::LanguageRule) => "Responda em português, em uma ou duas frases.",
        ("es", Phrase::LanguageRule) => "Responde en español, en una o dos frases.",
        (_, Phrase::LanguageRule) => "Answer in English, in one or two sentences.",
        ("pt", Phrase::Question) => "Pergunta",
        ("es", Phrase::Question) => "Pregunta",
        (_, Phrase::Question) => "Question",
    }
}
