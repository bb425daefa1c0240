//! Similarities: "same or different?" to clusters. `cargo run --release -p crowdwise --example similarities`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use crowdwise::questions::LabelView;
use std::collections::BTreeMap;

fn main() -> Result<(), crowdwise::Error> {
    let data = crowdwise::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/same.csv"))?;
    let fit = crowdwise::fit(&data, "crowd-clusters", &[])?;

    // every item gets a cluster, and how sure it is that it belongs there
    let view = LabelView::new(&data, &fit);
    let mut clusters: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for i in 0..view.len() {
        let row = view.cluster_row(i);
        let member = format!("{} ({:.2})", data.table.items().name(i), row.confidence);
        clusters.entry(row.cluster).or_default().push(member);
    }
    for (number, members) in clusters {
        println!("cluster {number}: {}", members.join(", "));
    }
    Ok(())
}
