//! Names that are never documents: hidden files, locks, and copies that are still being written.

/// Whole names, in lower case.
const NAMES: &[&str] = &[
    // Vim writes and removes this to learn whether the folder can be written to.
    "4913",
    "thumbs.db",
    "ehthumbs.db",
    "desktop.ini",
    "icon\r",
    "lost+found",
    "$recycle.bin",
    "system volume information",
    "__macosx",
];

/// Endings, in lower case: temporary files, downloads under way, locks, SQLite's side files.
const ENDINGS: &[&str] = &[
    "~",
    ".tmp",
    ".temp",
    ".part",
    ".partial",
    ".filepart",
    ".crdownload",
    ".download",
    ".opdownload",
    ".!ut",
    ".swp",
    ".swo",
    ".swx",
    ".lock",
    ".lck",
    ".laccdb",
    "-wal",
    "-shm",
    "-journal",
];

/// Whether a file or folder of this name is left alone.
pub fn is_noise(name: &str) -> bool {
    let name = name.to_lowercase();
    name.is_empty()
        || name.starts_with('.')
        || name.starts_with("~$")
        || (name.starts_with('#') && name.ends_with('#'))
        || NAMES.contains(&name.as_str())
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a path, relative to the folder that is watched or added, has a part that is left alone.
pub fn is_noise_path(relative: &str) -> bool {
    relative.split(['/', '\\']).any(is_noise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_temporary_and_hidden_names_are_left_alone() {
        for name in [
            "~$relatório.docx",
            ".~lock.planilha.ods#",
            ".notes.md.swp",
            "notes.md.swp",
            "4913",
            "#draft.md#",
            ".#draft.md",
            "draft.md~",
            "a.tmp",
            "A.TMP",
            "film.part",
            "report.pdf.crdownload",
            "Thumbs.db",
            ".DS_Store",
            "._a.md",
            "desktop.ini",
            ".git",
            "__MACOSX",
            "catalog.db-wal",
            "catalog.db-shm",
            "",
        ] {
            assert!(is_noise(name), "{name}");
        }
        for name in
            ["a.md", "4913.md", "lock.md", "template.docx", "wal", "part.csv", "$10 offer.txt", "#1.md"]
        {
            assert!(!is_noise(name), "{name}");
        }
        assert!(is_noise_path("sub/.hidden/a.md") && !is_noise_path("sub/deep/a.md"));
    }
}
