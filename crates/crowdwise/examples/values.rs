//! Real values: ratings by annotators with biases of their own. `cargo run --release -p crowdwise --example values`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use crowdwise::Annotators;
use crowdwise::questions::LabelView;

fn main() -> Result<(), crowdwise::Error> {
    // a column called `value` that holds numbers makes these real values and not classes
    let data = crowdwise::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ratings.csv"))?;
    let fit = crowdwise::fit(&data, "gaussian-annotators", &[])?;

    // an estimate for each item; ± 1.645 standard errors are a 90 % interval
    let view = LabelView::new(&data, &fit);
    for u in 0..3 {
        let row = view.value_row(u);
        if let (Some(value), Some(sd)) = (row.value, row.sd) {
            println!("{}: {value:.1} ± {:.1} from {} ratings", data.table.unit_name(u), 1.645 * sd, row.n);
        }
    }

    // this model says by how much each annotator is off, and how much they scatter around that
    if let Annotators::Gaussian { bias, sd } = &fit.annotators {
        for (j, name) in data.table.annotators().iter().enumerate() {
            println!("{name}: bias {:+.1}, scatter {:.1}", bias[j], sd[j]);
        }
    }
    for finding in &fit.findings {
        println!("{}: {}", finding.code, finding.message);
    }
    Ok(())
}
