//! `crowdwise report`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::fitting;
use crate::options::{FailIf, folds, read_truth};
use crate::output::{Target, unwritable};
use crate::source::{FitOptions, is_fit};
use crate::talk::Talk;
use crowdwise::questions::compare;
use crowdwise::{Error, Report, Severity};
use crowdwise_terminal::choice::{Params, check_names, chosen};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise report votes.csv -o report.html
  crowdwise report votes.csv -o report.html --compare dawid-skene,glad
"
)]
pub struct Args {
    /// File with the answers, or - for stdin
    pub answers: String,
    /// File to write the page to
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Also compare these methods, or `all` that suit the data
    #[arg(long, value_name = "A,B,…|all", value_delimiter = ',')]
    pub compare: Vec<String>,
    /// Number of folds for the held-out score of --compare
    #[arg(long, default_value_t = 5, value_name = "N", hide_short_help = true, requires = "compare")]
    #[arg(value_parser = folds, allow_negative_numbers = true)]
    pub folds: usize,
    /// Known truth (item,label), used for evaluation only
    #[arg(long, value_name = "FILE")]
    pub truth: Option<String>,
    /// Title of the page [default: name of the answers file]
    #[arg(long)]
    pub title: Option<String>,
    /// Exit with code 1 if this is the case
    #[arg(long, value_enum, value_name = "CONDITION", value_delimiter = ',', hide_short_help = true)]
    pub fail_if: Vec<FailIf>,
    #[command(flatten)]
    pub fit: FitOptions,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    check_names(&args.compare)?;
    if is_fit(&args.answers) {
        return Err(Error::Usage {
            what: format!("{} is a finished fit, but a report also shows the answers", args.answers),
            hint: Some("give the answers instead".into()),
        });
    }
    check_page(&args.output)?;
    let to_stdout = args.output.as_os_str() == "-";
    let [gold, items, probabilities, graph, attribute] = args.fit.files();
    let inputs = [Some(args.answers.as_str()), args.truth.as_deref(), gold, items, probabilities, graph, attribute];
    let mut out = Target::open((!to_stdout).then_some(args.output.as_path()), &inputs)?;
    let (data, fitted) = args.fit.fit(&args.answers, talk)?;
    let truth = args.truth.as_deref().map(|file| read_truth(file, &data, args.fit.input.sets, talk)).transpose()?;
    let comparison = if args.compare.is_empty() {
        None
    } else {
        let methods = chosen(&args.compare, Some(&data), &Params::parse(&[])?)?;
        Some(talk.timed("compare", || {
            fitting::with_progress("compare", &args.fit.run, talk, |cx| {
                compare(&data, &methods, truth.as_ref(), args.folds, cx)
            })
        }))
    };
    let mut report = Report::new(&data, &fitted.fit)
        .truth(truth.as_ref())
        .comparison(comparison.as_ref())
        .elapsed(fitted.elapsed)
        .command(command());
    if let Some(title) = &args.title {
        report = report.title(title);
    }
    let html = talk.timed("page", || report.html());
    out.write_all(html.as_bytes()).map_err(|e| unwritable(&out.name(), &e))?;
    out.finish()?;
    let severities: Vec<Severity> = fitted.fit.findings.iter().map(|f| f.severity).collect();
    Ok(fitting::exit(Some(fitted.fit.diagnostics.stop), &severities, &args.fail_if, talk))
}

/// A page under another name would be opened by the wrong program.
fn check_page(path: &Path) -> Result<(), Error> {
    let end = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let special = std::fs::metadata(path).is_ok_and(|m| !m.is_file());
    if special || path.as_os_str() == "-" || matches!(end.as_deref(), Some("html" | "htm")) {
        return Ok(());
    }
    Err(Error::Usage {
        what: format!("a report is an HTML page, but `{}` does not end in .html", path.display()),
        hint: Some("`-o report.html`; a browser can print it to PDF".into()),
    })
}

/// The command as it was typed, so that the page can be made again.
fn command() -> String {
    let plain = |a: &str| !a.is_empty() && a.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./=,:+@".contains(&b));
    let quoted = |a: String| if plain(&a) { a } else { format!("'{}'", a.replace('\'', "'\\''")) };
    let rest: Vec<String> = std::env::args_os().skip(1).map(|a| quoted(a.to_string_lossy().into_owned())).collect();
    format!("crowdwise {}", rest.join(" "))
}
