//! The command line, as types.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Answers questions about a folder of files, on this machine, and shows its arithmetic.
///
/// Add files, then ask. Every answer comes with the store it was looked up in, the scores that
/// decided so, and the passages or the query behind it.
#[derive(Debug, Parser)]
#[command(name = "polyrag", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    /// Folder that holds everything PolyRAG stores.
    #[arg(long, global = true, value_name = "DIR", default_value = ".polyrag")]
    pub data: PathBuf,
    /// Configuration on top of the defaults (only the keys it changes).
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print exactly one JSON document on standard output (JSON lines with --batch).
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "Examples:
  polyrag models fetch                      get the models, once
  polyrag add reports/ sales.csv            read files into the stores
  polyrag ask \"What was the total in March?\"
  polyrag ask --details \"Quem aprova uma compra de 80 mil?\"
  polyrag route \"Which region sold most?\"   the decision alone

Environment:
  POLYRAG_MODELS   folder of the model files (default ~/.cache/polyrag/models)

Exit status: 0 done, 1 failed, 2 wrong usage.";

const WATCH_EVENTS: &str = "With --json, one JSON line per event, each with \"time\" (UTC) and \"event\":
  watching   folder
  rescan     reason (start, overflow, events failed, after trouble): everything is compared
  document   as in `add --json`: path, status (added, updated, unchanged, removed, failed), error,
             chunks, placements, tables, warnings, duplicate_of, moved_from; retry_in_s when failed
  waiting    path: a file keeps changing
  settled    changed, failing: nothing is under way, the stores equal the disk but for what failed
  trouble    error, hint, retry_in_s: concerns more than one file
  stopped    the end; what was committed stays
Hidden files, lock and temporary files, and what polyrag writes itself are left alone.
Timing is set under [watch] in the configuration.";

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List, fetch or verify the model files.
    Models {
        /// What to do with them.
        #[command(subcommand)]
        action: ModelsAction,
    },
    /// Read files or folders into the stores.
    ///
    /// Unchanged files are skipped, changed ones replaced. A file that cannot be read is
    /// reported, kept in `ls` with the reason until it works, and does not stop the others; the
    /// exit status is then 1. A file that was renamed keeps its documents; the same bytes under a
    /// second name are stored once. Files that were deleted are named and kept, unless --mirror.
    Add(AddArgs),
    /// Follow a folder: take in what appears or changes, remove what is deleted, until Ctrl-C.
    #[command(after_help = WATCH_EVENTS)]
    Watch(WatchArgs),
    /// Write a copy of everything stored to one file; questions and `watch` may go on meanwhile.
    ///
    /// A file that is there already is replaced only if it is a backup too.
    Backup {
        /// The copy; it appears when it is complete.
        file: PathBuf,
    },
    /// Put a backup in the place of everything stored.
    ///
    /// The file is checked first; what was stored stays until the copy is in place. No other
    /// polyrag may use the data folder meanwhile.
    Restore {
        /// A file written by `backup`, or the catalog.db of a data folder.
        file: PathBuf,
    },
    /// Remove documents by path, folder, name or id.
    Rm {
        /// What to remove, as `ls` shows it.
        #[arg(required = true, value_name = "PATH|ID")]
        targets: Vec<String>,
    },
    /// List the documents.
    Ls,
    /// Count what the stores hold.
    Stats,
    /// Check that the stores agree with the catalog.
    Doctor {
        /// Rebuild what is derived.
        #[arg(long)]
        repair: bool,
    },
    /// Answer a question.
    Ask(AskArgs),
    /// Show the routing decision alone; needs no model but the embedder.
    Route(BatchArgs),
    /// Show one store's ranking alone.
    Search(SearchArgs),
    /// Ask the relational store alone.
    Sql(BatchArgs),
    /// Split a message into its questions.
    Split(BatchArgs),
    /// The answer cache.
    Cache {
        /// What to do with it.
        #[command(subcommand)]
        action: CacheAction,
    },
    /// Ask one question after another; a follow-up takes over what it leaves out.
    Chat(ChatArgs),
    /// Fit the router's thresholds to the embedder: from the example phrases, or from a labelled set.
    Calibrate {
        /// JSON lines: {"question","route"}, or "unanswerable": true. Without it the phrases are used.
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Ask the questions of labelled sets and measure the answers.
    Eval(EvalArgs),
    /// The router as a library: the intents of texts, by labelled examples. Needs the embedder alone.
    Classify(ClassifyArgs),
    /// Show a stored answer's trace again.
    Explain {
        /// The id an answer carries.
        trace_id: String,
    },
}

/// `models …`.
#[derive(Debug, Subcommand)]
pub enum ModelsAction {
    /// Show which model files are there.
    List(ProfileArgs),
    /// Download what is missing, resuming what an earlier run began.
    Fetch(ProfileArgs),
    /// Check every file's SHA-256.
    Verify(ProfileArgs),
}

/// A profile of the model set.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// The set: `starter` runs on two CPU cores, `full` wants 6 GB of GPU memory.
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<polyrag::models::fetch::Profile>,
}

/// `cache …`.
#[derive(Debug, Subcommand)]
pub enum CacheAction {
    /// List the stored answers; with a question, how near each is and what the guard says.
    List {
        /// A question to compare with every entry.
        #[arg(value_name = "QUESTION")]
        question: Option<String>,
    },
    /// Remove stored answers.
    Rm {
        /// Ids, as `cache list` shows them.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<i64>,
    },
    /// Remove every stored answer.
    Clear,
    /// Would the second question be served the first one's answer? Reads {"a","b"} lines.
    Check {
        /// Read JSON lines from standard input.
        #[arg(long, required = true)]
        batch: bool,
    },
}

/// `add …`.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// Files and folders. A .jsonl of {"title","text"} lines counts as one document a line.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Store every chunk here instead of letting the router decide.
    #[arg(long, value_enum, default_value = "auto")]
    pub store: StoreArg,
    /// Threads that hash and parse files ahead of the writer; 0 for one a core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,
    /// Ready triples (JSON lines: title, text, triples), used instead of extraction.
    #[arg(long, value_name = "FILE")]
    pub triples: Option<PathBuf>,
    /// Find facts by patterns instead of by the generator: fast, coarser.
    #[arg(long)]
    pub fast: bool,
    /// Also remove stored files of these folders that are no longer on disk.
    #[arg(long)]
    pub mirror: bool,
    /// Password for encrypted files.
    #[arg(long, value_name = "PASSWORD")]
    pub password: Option<String>,
    /// When pages and pictures are read by OCR.
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub ocr: OcrArg,
}

/// `watch …`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Threads that hash and parse files ahead of the writer; 0 for one a core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,
    /// Find facts by patterns instead of by the generator: fast, coarser.
    #[arg(long)]
    pub fast: bool,
}

/// When pages and pictures are read by OCR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OcrArg {
    /// Where there is no usable text layer.
    Auto,
    /// Everywhere, also where there is one.
    Force,
    /// Nowhere; what needs it is named and read the next time.
    Off,
}

/// A store, or the router's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StoreArg {
    /// The router decides.
    Auto,
    /// SQL tables.
    Relational,
    /// Free text by embedding.
    Vector,
    /// Facts and passages.
    Graph,
}

/// `ask …`.
#[derive(Debug, Args)]
pub struct AskArgs {
    /// The question; left out with --batch.
    #[arg(value_name = "QUESTION", required_unless_present = "batch")]
    pub question: Option<String>,
    /// Read {"id","question"} JSON lines from standard input, write JSON lines in order.
    #[arg(long, conflicts_with = "question")]
    pub batch: bool,
    /// Neither look in the answer cache nor fill it.
    #[arg(long)]
    pub no_cache: bool,
    /// Retrieve only; no answer is worded.
    #[arg(long)]
    pub no_answer: bool,
    /// Passages per question.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top_k: u16,
    /// Only these documents: document=NAME, folder=PATH or kind=csv; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_filter)]
    pub filter: Vec<(String, String)>,
    /// Also show every score, the evidence and the time of every step.
    #[arg(long)]
    pub details: bool,
}

/// `chat …`.
#[derive(Debug, Args)]
pub struct ChatArgs {
    /// Neither look in the answer cache nor fill it.
    #[arg(long)]
    pub no_cache: bool,
    /// Passages per question.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top_k: u16,
    /// Only these documents: document=NAME, folder=PATH or kind=csv; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_filter)]
    pub filter: Vec<(String, String)>,
}

/// `eval …`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Sets of JSON lines: {"id","question","routes","facts","documents","unanswerable"}.
    #[arg(required = true, value_name = "SET")]
    pub sets: Vec<PathBuf>,
    /// Retrieve only: routing and recall, no facts.
    #[arg(long)]
    pub no_answer: bool,
    /// Passages per question.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top_k: u16,
    /// Fail when a figure of a set is lower: routing=0.95, split, recall@1, recall@5, mrr, facts, found,
    /// declined_rightly or answered; may be given several times.
    #[arg(long, value_name = "FIGURE=LEAST", value_parser = parse_least)]
    pub require: Vec<(String, f64)>,
    /// Write the whole result there as JSON, whatever is printed.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `classify …`.
#[derive(Debug, Args)]
pub struct ClassifyArgs {
    /// Labelled examples, as JSON lines: {"text","intent"}.
    #[arg(long, value_name = "FILE")]
    pub routes: PathBuf,
    /// More labelled texts to fit the threshold on; the intent "oos" is none of them.
    #[arg(long, value_name = "FILE")]
    pub fit: Option<PathBuf>,
    /// Read {"text"} JSON lines from standard input.
    #[arg(long, required = true)]
    pub batch: bool,
}

/// A question or a batch of them.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// The question; left out with --batch.
    #[arg(value_name = "QUESTION", required_unless_present = "batch")]
    pub question: Option<String>,
    /// Read {"id","question"} JSON lines from standard input, write JSON lines in order.
    #[arg(long, conflicts_with = "question")]
    pub batch: bool,
}

/// `search …`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The ranking wanted.
    #[arg(long, value_enum)]
    pub store: RankingArg,
    /// Passages wanted.
    #[arg(short, long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub k: u16,
    /// Question or batch.
    #[command(flatten)]
    pub input: BatchArgs,
}

/// A ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RankingArg {
    /// By embedding.
    Vector,
    /// By Personalized PageRank.
    Graph,
    /// By BM25 over the full text.
    Fts,
}

fn parse_filter(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("use KEY=VALUE, for example document=policies.md")?;
    if !["document", "folder", "kind"].contains(&key) {
        return Err(format!("unknown filter `{key}`: use document, folder or kind"));
    }
    Ok((key.to_owned(), value.to_owned()))
}

fn parse_least(text: &str) -> Result<(String, f64), String> {
    let (name, least) = text.split_once('=').ok_or("use FIGURE=LEAST, for example routing=0.95")?;
    if !polyrag::decide::measure::FIGURES.contains(&name) {
        return Err(format!("unknown figure `{name}`: use {}", polyrag::decide::measure::FIGURES.join(", ")));
    }
    least
        .parse()
        .map(|value| (name.to_owned(), value))
        .map_err(|_| format!("`{least}` is no number between 0 and 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn filters_need_a_known_key() {
        assert_eq!(parse_filter("kind=csv"), Ok(("kind".into(), "csv".into())));
        assert!(parse_filter("csv").is_err());
        assert!(parse_filter("date=2026").is_err());
    }

    #[test]
    fn thresholds_need_a_known_figure_and_a_number() {
        assert_eq!(parse_least("recall@5=0.98"), Ok(("recall@5".into(), 0.98)));
        for wrong in ["routing", "beauty=1", "routing=much"] {
            assert!(parse_least(wrong).is_err(), "{wrong}");
        }
    }
}
