//! `chat`: one question after another, with follow-ups.

use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

use polyrag::ask::AskOptions;
use polyrag::ask::conversation::Conversation;
use polyrag::engine::{Engine, new_trace_id};
use polyrag::models::Cancel;
use polyrag::trace::Trace;
use polyrag::{Error, Result};
use serde_json::json;

use crate::args::{ChatArgs, Cli};
use crate::{lines, show};

const HELP: &str = "\
Type a question. A follow-up such as `and in April?` takes over what it leaves out.
  /new    forget what was said
  /help   show this
  /quit   leave (also Ctrl-D)
Ctrl-C stops an answer.";

/// What a line asks of the program.
#[derive(Debug, PartialEq)]
enum Input<'a> {
    Nothing,
    New,
    Help,
    Quit,
    Unknown(&'a str),
    Message(&'a str),
}

fn read(line: &str) -> Input<'_> {
    match line.trim() {
        "" => Input::Nothing,
        "/new" => Input::New,
        "/help" | "/?" => Input::Help,
        "/quit" | "/exit" => Input::Quit,
        // A path may begin a question: only a lone word after the slash is a command.
        command if command.starts_with('/') && command[1..].chars().all(char::is_alphabetic) => {
            Input::Unknown(command)
        }
        message => Input::Message(message),
    }
}

/// Runs `chat`.
pub fn run(cli: &Cli, engine: &Engine, arguments: &ChatArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut chat = Chat {
        engine,
        json: cli.json,
        options: AskOptions {
            use_cache: !arguments.no_cache,
            top_k: usize::from(arguments.top_k),
            filter: arguments.filter.clone(),
            ..AskOptions::default()
        },
        conversation: Conversation::new(),
        all_well: true,
    };
    let prompted = std::io::stdin().is_terminal() && !cli.json;
    if prompted {
        eprintln!("{HELP}");
    }
    let mut input = std::io::stdin().lock();
    let mut line = String::new();
    loop {
        if prompted {
            print!("\n> ");
            flush()?;
        }
        line.clear();
        let read_bytes = input
            .read_line(&mut line)
            .map_err(|source| Error::Io { path: "standard input".into(), source })?;
        // An interrupt at the prompt stopped nothing.
        cancel.reset();
        if read_bytes == 0 || !chat.line(&line, cancel)? {
            break;
        }
    }
    Ok(ExitCode::from(u8::from(!chat.all_well && !prompted)))
}

struct Chat<'a> {
    engine: &'a Engine,
    json: bool,
    options: AskOptions,
    conversation: Conversation,
    all_well: bool,
}

impl Chat<'_> {
    /// Does what a line asks; `false` to leave.
    fn line(&mut self, line: &str, cancel: &Cancel) -> Result<bool> {
        match read(line) {
            Input::Nothing => {}
            Input::New => {
                self.conversation.clear();
                if self.json {
                    lines::print(&json!({ "new": true }))?;
                } else {
                    println!("(new conversation)");
                }
            }
            Input::Help => eprintln!("{HELP}"),
            Input::Quit => return Ok(false),
            Input::Unknown(command) => {
                self.failed(command, &Error::Usage(format!("unknown command {command}: try /help")))?;
            }
            Input::Message(message) => {
                if let Err(error) = self.answer(message, cancel) {
                    self.failed(message, &error)?;
                }
                // Ctrl-C stops the answer, not the program.
                cancel.reset();
            }
        }
        Ok(true)
    }

    fn answer(&mut self, message: &str, cancel: &Cancel) -> Result<()> {
        let trace = Trace::new(new_trace_id(), None);
        if self.json {
            let report =
                self.conversation.ask(self.engine, message, &self.options, &trace, cancel, &mut |_| {})?;
            return lines::print(&report);
        }
        if let Some(completion) = self.conversation.complete(self.engine, message)? {
            println!("  ({})", completion.question);
        }
        let report =
            self.conversation.ask(self.engine, message, &self.options, &trace, cancel, &mut |text| {
                print!("{text}");
                // A closed pipe shows at the next prompt.
                let _ = std::io::stdout().flush();
            })?;
        show::answer(&report, false, &[]);
        Ok(())
    }

    fn failed(&mut self, message: &str, error: &Error) -> Result<()> {
        self.all_well = false;
        if self.json {
            return lines::print(
                &json!({ "question": message, "error": error.to_string(), "hint": error.hint() }),
            );
        }
        println!();
        match error {
            Error::Cancelled => eprintln!("(stopped)"),
            other => eprintln!("polyrag: {other}"),
        }
        if let Some(hint) = error.hint() {
            eprintln!("hint: {hint}");
        }
        Ok(())
    }
}

fn flush() -> Result<()> {
    std::io::stdout().flush().map_err(|source| Error::Io { path: "standard output".into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_questions() {
        for (line, expected) in [
            ("/new\n", Input::New),
            ("  /quit ", Input::Quit),
            ("/exit", Input::Quit),
            ("/help", Input::Help),
            ("/?", Input::Help),
            ("\n", Input::Nothing),
            ("/nwe", Input::Unknown("/nwe")),
            ("/var/log is full: why?", Input::Message("/var/log is full: why?")),
            ("E em abril?\r\n", Input::Message("E em abril?")),
        ] {
            assert_eq!(read(line), expected, "{line:?}");
        }
    }
}
