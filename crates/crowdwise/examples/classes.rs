//! Classes: a file to labels, annotators and findings. `cargo run --release -p crowdwise --example classes`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use crowdwise::io::{self, ReadOptions, Source};
use crowdwise::questions::{LabelView, annotators, evaluate};
use std::path::Path;

fn main() -> Result<(), crowdwise::Error> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    let data = crowdwise::read(folder.join("demo.csv"))?;

    // `auto` chooses a model for these data; any method of `crowdwise::methods()` could be named here
    let fit = crowdwise::fit(&data, "auto", &[])?;

    // what is true, and how sure: one row for each item
    let classes = data.table.categorical().expect("demo.csv has classes").classes;
    let labels = LabelView::new(&data, &fit);
    for u in 0..3 {
        let row = labels.row(u);
        println!("{}: {} ({:.2})", data.table.unit_name(u), classes.name(row.class), row.probability);
    }

    // whom to trust: accuracy with its 90 % interval, and what the findings say of them
    for row in annotators(&data, &fit) {
        let (accuracy, [low, high]) = (row.accuracy.unwrap_or(f64::NAN), row.interval.unwrap_or([f64::NAN; 2]));
        let name = data.table.annotators().name(row.annotator);
        println!("{name}: {accuracy:.2} [{low:.2}, {high:.2}] {}", row.flags.join(" "));
    }

    // known truth, only to see how good the answer is
    let truth = io::read_truth(&Source::from(&*folder.join("demo-truth.csv")), &data.table, &ReadOptions::default())?;
    println!("accuracy {:.3}", evaluate(&fit, &data, &truth.value).accuracy.unwrap_or(f64::NAN));
    Ok(())
}
