//! Rankings of several items, best first. `cargo run --release -p crowdwise --example rankings`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use crowdwise::Structure;
use crowdwise::questions::LabelView;

fn main() -> Result<(), crowdwise::Error> {
    let data = crowdwise::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/rankings.csv"))?;

    // a ranking implies comparisons: the table holds these, and the rankings stand beside it
    if let Structure::Rankings(rankings) = &data.structure {
        println!("{} rankings imply {} comparisons", rankings.len(), data.table.n_labels());
    }

    // Plackett-Luce takes a ranking as one answer; methods for comparisons would count its pairs as independent
    let default = crowdwise::default_method(&data);
    println!("default: {}", default.info.id);
    let fit = crowdwise::fit(&data, default.info.id, &[])?;

    let view = LabelView::new(&data, &fit);
    let mut rows: Vec<_> = (0..view.len()).map(|i| view.score_row(i)).collect();
    rows.sort_by_key(|row| row.rank);
    for row in rows.iter().take(3) {
        println!("{}. {} ({:.2})", row.rank, data.table.items().name(row.item), row.score);
    }
    Ok(())
}
