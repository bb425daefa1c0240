//! How failures are said.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use crowdwise::Error;
use crowdwise::report::printable_lines;
pub use crowdwise_terminal::Exit;
use std::io::Write;

/// Prints every problem with its hint and gives the exit code.
pub fn report(error: &Error) -> u8 {
    let mut out = anstream::stderr().lock();
    for e in flatten(error) {
        let _ = writeln!(out, "crowdwise: \x1b[1;31merror[{}]\x1b[0m: {}", e.code(), printable_lines(&e.to_string()));
        if let Some(hint) = e.hint() {
            let _ = writeln!(out, "  \x1b[1mhint\x1b[0m: {}", printable_lines(&hint));
        }
    }
    if matches!(error, Error::Interrupted) { 130 } else { 2 }
}

fn flatten(error: &Error) -> Vec<&Error> {
    match error {
        Error::Several(all) => all.iter().flat_map(flatten).collect(),
        e => vec![e],
    }
}

/// Help and version as they are; anything else in the manner of our own errors.
pub fn report_usage(error: &clap::Error) -> u8 {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            0
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            2
        }
        _ => report(&usage_error(error)),
    }
}

fn usage_error(error: &clap::Error) -> Error {
    let one = |kind| match error.get(kind) {
        Some(ContextValue::String(s)) => Some(s.clone()),
        Some(ContextValue::Strings(all)) => all.first().cloned(),
        _ => None,
    };
    let many = |kind| match error.get(kind) {
        Some(ContextValue::Strings(all)) => all.clone(),
        Some(ContextValue::String(s)) => vec![s.clone()],
        _ => Vec::new(),
    };
    let help = format!("`{} -h` shows the usage", called());
    let argument = one(ContextKind::InvalidArg).unwrap_or_default();
    match error.kind() {
        ErrorKind::InvalidSubcommand => Error::Unknown {
            what: "command",
            name: one(ContextKind::InvalidSubcommand).unwrap_or_default(),
            nearest: one(ContextKind::SuggestedSubcommand),
            hint: Some("`crowdwise -h` lists the commands".into()),
        },
        ErrorKind::UnknownArgument if argument.starts_with('-') => Error::Unknown {
            what: "option",
            name: argument,
            nearest: one(ContextKind::SuggestedArg),
            hint: Some(format!("`{} --help` lists the options", called())),
        },
        ErrorKind::UnknownArgument => {
            Error::Usage { what: format!("unexpected argument `{argument}`"), hint: Some(help) }
        }
        ErrorKind::InvalidValue => {
            let value = one(ContextKind::InvalidValue).unwrap_or_default();
            let what = if value.is_empty() {
                format!("{argument} needs a value")
            } else {
                format!("`{value}` is not a valid value for {argument}")
            };
            let valid = many(ContextKind::ValidValue);
            let hint = match one(ContextKind::SuggestedValue) {
                Some(near) => Some(format!("did you mean `{near}`?")),
                None if valid.is_empty() => Some(help),
                None => Some(format!("valid values: {}", valid.join(", "))),
            };
            Error::Usage { what, hint }
        }
        ErrorKind::ValueValidation => {
            let value = one(ContextKind::InvalidValue).unwrap_or_default();
            let why = std::error::Error::source(error).map(|s| format!(": {s}")).unwrap_or_default();
            Error::Usage { what: format!("`{value}` is not a valid value for {argument}{why}"), hint: Some(help) }
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = many(ContextKind::InvalidArg);
            Error::Usage { what: format!("missing: {}", missing.join(", ")), hint: Some(help) }
        }
        ErrorKind::ArgumentConflict => {
            let other = many(ContextKind::PriorArg);
            let what = if other.first() == Some(&argument) {
                format!("{argument} was given more than once")
            } else {
                format!("{argument} cannot be used together with {}", other.join(", "))
            };
            Error::Usage { what, hint: None }
        }
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Error::Usage { what: first.trim_start_matches("error: ").to_owned(), hint: Some(help) }
        }
    }
}

/// The command as it was called, for hints: `crowdwise fit`.
fn called() -> String {
    use clap::CommandFactory;
    let known = crate::cli::Cli::command();
    let named = std::env::args().skip(1).find(|a| known.find_subcommand(a).is_some());
    named.map_or_else(|| "crowdwise".into(), |n| format!("crowdwise {n}"))
}
