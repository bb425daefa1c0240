//! Comparisons: which of two is better, to a leaderboard. `cargo run --release -p crowdwise --example comparisons`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use crowdwise::questions::LabelView;

fn main() -> Result<(), crowdwise::Error> {
    let data = crowdwise::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pairs.csv"))?;

    // the method that suits these comparisons, and why: judges are weighed if each gave enough answers
    let (method, why) = crowdwise::ranking_method(&data);
    println!("{}: {why}", method.info.id);
    let fit = crowdwise::fit(&data, method.info.id, &[])?;

    // scores come with 90 % intervals, and ranks with the best and the worst place that the answers allow
    let view = LabelView::new(&data, &fit);
    let mut rows: Vec<_> = (0..view.len()).map(|i| view.score_row(i)).collect();
    rows.sort_by_key(|row| row.rank);
    for row in rows {
        let [low, high] = row.interval;
        let places = row.ranks.map(|[best, worst]| format!(", place {best} to {worst}")).unwrap_or_default();
        let item = data.table.items().name(row.item);
        println!("{}. {item}: {:.2} [{low:.2}, {high:.2}]{places}", row.rank, row.score);
    }
    Ok(())
}
