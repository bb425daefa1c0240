//! Whether the labels themselves speak for an order of the classes.

use crowdwise_core::{Categorical, Nearness};

/// Whether `ordinal-vb` may be used for these labels: the classes are said to have an order, there are three or more of
/// them, and annotators who disagree are nearer to each other than they would be if the order meant nothing. The error
/// says in plain words why not.
pub fn follows_order(labels: &Categorical<'_>) -> Result<(), String> {
    let k = labels.k();
    if !labels.ordered {
        return Err("the classes are not said to have an order".into());
    }
    if k < 3 {
        return Err("an order of two classes says nothing".into());
    }
    let near =
        Nearness::of(labels).ok_or("too few annotators disagree to tell whether neighbouring classes are confused")?;
    if !near.beyond_chance() {
        return Err(format!(
            "annotators who disagree are no nearer to each other than by chance ({:.0} % of the distance that classes \
             without an order would have)",
            100.0 * near.share
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, Table, TableBuilder, stream};
    use rand::RngExt;

    /// 60 items, five labels each; an error goes to a neighbour or anywhere.
    fn crowd(near: bool, classes: i32) -> Table {
        let mut rng = stream(3, "order", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        b.ordered = true;
        for i in 0..60 {
            let truth = i % classes;
            for j in 0..5 {
                let error: bool = rng.random_bool(0.4);
                let step = if near { 1 } else { rng.random_range(1..classes) };
                let up: bool = rng.random_bool(0.5);
                let l = match (error, near) {
                    (false, _) => truth,
                    (true, true) => (truth + if up { step } else { -step }).clamp(0, classes - 1),
                    (true, false) => (truth + step) % classes,
                };
                b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
            }
        }
        b.finish().unwrap()
    }

    #[test]
    fn neighbours_are_confused_or_not() {
        let yes = crowd(true, 5);
        assert_eq!(follows_order(&yes.categorical().unwrap()), Ok(()));
        let no = crowd(false, 5);
        let why = follows_order(&no.categorical().unwrap()).unwrap_err();
        assert!(why.contains("no nearer"), "{why}");
        let two = crowd(true, 2);
        assert!(follows_order(&two.categorical().unwrap()).unwrap_err().contains("two classes"));
        let unordered = yes.categorical().unwrap();
        let unordered = crowdwise_core::Categorical { ordered: false, ..unordered };
        assert!(follows_order(&unordered).unwrap_err().contains("not said"));
    }
}
