//! A table built in memory, a method as a struct, progress while it runs, and a report.
//! `cargo run --release -p crowdwise --example own_data`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use crowdwise::methods::classes::confusion::DawidSkene;
use crowdwise::{Context, Dataset, Event, LabelKind, Report, TableBuilder};

fn main() -> Result<(), crowdwise::Error> {
    // (item, annotator, class); names are any text, and rows may come in any order
    let mut table = TableBuilder::new(LabelKind::Categorical);
    for (picture, says) in [("p1", ["cat", "cat", "dog"]), ("p2", ["dog", "dog", "dog"]), ("p3", ["cat", "dog", "cat"])]
    {
        for (who, class) in ["ann", "bob", "eve"].into_iter().zip(says) {
            table.label(picture, who, class)?;
        }
    }
    let data = Dataset::new(table.finish()?);

    // the parameters are the method: a plain struct with defaults
    let method = DawidSkene { alpha: 1.0, max_iter: 50, ..DawidSkene::default() };

    // seed and threads belong to the run, and so does whoever wants to watch it
    let mut steps = 0;
    let mut watch = |event: &Event| steps += usize::from(matches!(event, Event::Iteration { .. }));
    let fit = crowdwise::questions::reviewed(&method, &data, &mut Context::new(0, 1).with_sink(&mut watch))?;
    println!("{:?} after {} iterations; progress reports: {steps}", fit.diagnostics.stop, fit.diagnostics.iterations);

    // one page for people, or with a name that ends in .json, a document for programs
    let page = std::env::temp_dir().join("crowdwise-example.html");
    Report::new(&data, &fit).title("Three pictures").save(&page)?;
    println!("{}", page.display());
    Ok(())
}
