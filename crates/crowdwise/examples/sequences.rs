//! Sequences: tags of the words of a text. `cargo run --release -p crowdwise --example sequences`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use crowdwise::Structure;
use crowdwise::questions::{LabelView, merged_spans};

fn main() -> Result<(), crowdwise::Error> {
    // a CoNLL file with one column of tags for each annotator
    let data = crowdwise::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tags.conll"))?;
    let Structure::Chains { starts, names } = &data.structure else {
        unreachable!("a CoNLL file holds sequences");
    };

    // the model knows that annotators who miss the beginning of a name miss the rest, and that I- needs a B-
    let fit = crowdwise::fit(&data, "bayes-seq", &[])?;
    let classes = data.table.categorical().expect("tags are classes").classes;
    let view = LabelView::new(&data, &fit);
    let first = starts[0] as usize..starts[1] as usize;
    println!("{}:", names.name(0));
    for u in first {
        let row = view.row(u);
        println!("  {:12} {} ({:.2})", data.word(u).unwrap_or_default(), classes.name(row.class), row.probability);
    }

    // tags of the kind B-…, I-…, O also come as spans
    println!("{} spans in all sequences", merged_spans(&fit, &data).map_or(0, |spans| spans.len()));
    Ok(())
}
