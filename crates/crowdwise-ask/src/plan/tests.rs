use super::*;
use crowdwise_core::{Gold, TableBuilder};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A crowd whose labels go on for ever: three classes, annotators right with .5 to .99 on easy items, and items as easy as
/// the sampler believes before it sees any.
struct World {
    rng: ChaCha8Rng,
    truth: Vec<usize>,
    ease: Vec<f64>,
    right: Vec<f64>,
    seen: Vec<Vec<usize>>,
    rows: Vec<(usize, usize, usize)>,
}

impl World {
    fn new(items: usize, annotators: usize, seed: u64) -> World {
        let mut rng = stream(seed, "world", 0);
        let right = (0..annotators).map(|_| rng.random_range(0.5..0.99)).collect();
        let truth = (0..items).map(|_| rng.random_range(0..3)).collect();
        let ease = (0..items).map(|_| LEVELS[sampler::drawn(&[0.55, 0.2, 0.15, 0.1], &mut rng)]).collect();
        World { rng, truth, ease, right, seen: vec![Vec::new(); items], rows: Vec::new() }
    }

    /// Labels until every item has `r`.
    fn until(&mut self, r: usize) -> Dataset {
        for n in 0..self.truth.len() {
            while self.seen[n].len() < r {
                let j = self.rng.random_range(0..self.right.len());
                if self.seen[n].contains(&j) {
                    continue;
                }
                self.seen[n].push(j);
                let (t, u) = (self.truth[n], self.rng.random::<f64>());
                let l = if u >= self.ease[n] {
                    self.rng.random_range(0..3)
                } else if self.rng.random::<f64>() < self.right[j] {
                    t
                } else {
                    (t + self.rng.random_range(1..3)) % 3
                };
                self.rows.push((n, j, l));
            }
        }
        self.data(|_| true)
    }

    fn data(&self, keep: impl Fn(&(usize, usize, usize)) -> bool) -> Dataset {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (n, j, l) in self.rows.iter().filter(|r| keep(r)) {
            b.label(&format!("i{n}"), &format!("a{j}"), &format!("c{l}")).unwrap();
        }
        Dataset::new(b.finish().unwrap())
    }

    fn gold(&self, data: &Dataset, n: usize) -> Gold {
        let rows: Vec<(String, String)> = (0..n).map(|i| (format!("i{i}"), format!("c{}", self.truth[i]))).collect();
        Gold::from_items(&data.table, &rows, "gold").unwrap()
    }

    /// How right the model's labels are.
    fn right(&self, data: &Dataset) -> f64 {
        let answers = Answers::of_table(&data.table).unwrap();
        let model = Model::fitted(&answers, &Known::default(), Settings::default());
        let item = |n: usize| data.table.items().name(n)[1..].parse::<usize>().unwrap();
        let sum: f64 = (0..answers.n_items()).map(|n| credit(model.posterior(n), self.truth[item(n)])).sum();
        sum / answers.n_items() as f64
    }
}

fn everybody() -> Choice {
    Choice::by(Strategy::Fewest)
}

fn choice(crowd: Crowd) -> Choice {
    Choice::of(format!("{crowd:?}"), crowd)
}

/// Predicted from three labels per item, and then really asked: within 6 points. On real sets such predictions are off by 8
/// points on average (`crowdwise repro planner`), which is what the intervals are made for.
#[test]
fn predictions_come_true() {
    let mut world = World::new(1200, 25, 3);
    let pilot = world.until(3);
    let planner = Planner { per_item: vec![5, 10, 15], most: 20, ..Planner::default() };
    let plan = planner.plan(&pilot, &[everybody()], 1).unwrap();
    let rows = &plan.outlooks[0].rows;
    assert_eq!(rows.iter().map(|r| r.labels).collect::<Vec<_>>(), [0, 2400, 8400, 14400]);
    assert!((rows[0].estimate.accuracy - world.right(&pilot)).abs() < 0.04, "{:?}", rows[0]);
    for (row, r) in rows[1..].iter().zip([5, 10, 15]) {
        let more = world.until(r);
        let realised = world.right(&more);
        assert!((row.estimate.accuracy - realised).abs() < 0.06, "{r}: {} {realised}", row.estimate.accuracy);
        assert!(row.estimate.low < realised && realised < row.estimate.high);
        assert_eq!((row.labels_per_item, row.money), (r as f64, row.labels as f64));
    }
    for w in rows.windows(2) {
        assert!(w[1].estimate.accuracy > w[0].estimate.accuracy - 0.005, "{w:?}");
    }
    assert!(plan.can_tell() && plan.findings.iter().any(|f| f.code == "no-gold"));
}

#[test]
fn neither_the_order_of_rows_nor_threads_change_a_bit() {
    let mut world = World::new(1500, 12, 4);
    let planner = Planner { per_item: vec![4], most: 6, draws: 3, target: Some(0.9), ..Planner::default() };
    let choices = [everybody(), choice(Crowd::Best(0.3)), choice(Crowd::Accuracy(0.9))];
    let pilot = world.until(2);
    world.rows.reverse();
    let turned = world.data(|_| true);
    let on = |threads: usize, data: &Dataset| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| planner.plan(data, &choices, 9).unwrap())
    };
    let one = on(1, &pilot);
    assert_eq!(one, on(2, &pilot));
    assert_eq!(one, on(2, &turned));
    let other = planner.plan(&pilot, &choices, 10).unwrap();
    assert_ne!(one.outlooks[0].rows[1].draws, other.outlooks[0].rows[1].draws);
}

#[test]
fn better_crowds_cost_fewer_labels() {
    let mut world = World::new(600, 20, 5);
    let pilot = world.until(4);
    let mut by: Vec<u32> = (0..20).collect();
    let right = |j: u32| world.right[pilot.table.annotators().name(j as usize)[1..].parse::<usize>().unwrap()];
    by.sort_by(|&a, &b| right(b).total_cmp(&right(a)));
    let planner = Planner { per_item: vec![6], most: 20, target: Some(0.85), ..Planner::default() };
    let crowds = [
        everybody(),
        choice(Crowd::Best(0.25)),
        choice(Crowd::These(by[..5].to_vec())),
        choice(Crowd::These(by[15..].to_vec())),
        Choice { price: Some(3.0), ..choice(Crowd::Accuracy(0.97)) },
    ];
    let plan = planner.plan(&pilot, &crowds, 2).unwrap();
    let at: Vec<f64> = plan.outlooks.iter().map(|o| o.rows[1].estimate.accuracy).collect();
    // the best five, by name or as they seem, beat everybody; the worst five lose; experts win
    assert!(at[1] > at[0] && at[2] > at[0] && at[3] < at[0] - 0.01 && at[4] > at[0] + 0.05, "{at:?}");
    let expert = &plan.outlooks[4].rows[1];
    assert_eq!(expert.money, 3.0 * expert.labels as f64);
    // five people cannot give more than five labels
    assert!(plan.outlooks[2].ceiling.labels <= 600 * 5);
    let needs = |o: usize| plan.outlooks[o].target.unwrap();
    assert!(needs(4).labels.unwrap() < needs(0).labels.unwrap_or(u64::MAX));
    let t = needs(4);
    assert!(t.labels_low <= t.labels && t.labels_high.is_none_or(|h| h >= t.labels.unwrap()));
}

/// New annotators are right as often as was said, on items as they are; more often than a perfect one on the hard items
/// only where it cannot be otherwise.
#[test]
fn new_annotators_are_as_right_as_they_should_be() {
    let mut world = World::new(800, 10, 6);
    let pilot = pilot(&world.until(3)).unwrap();
    let answers = &pilot.answers;
    let model = Model::fitted(answers, &Known::default(), Settings::default());
    let habits = Habits::of(answers);
    let draw = &sampler::draws(answers, &model, &habits, 1, 1)[0];
    for p in [0.5, 0.8, 0.98] {
        let members = Members::of(&Crowd::Accuracy(p), answers, &model, 10);
        let coming = labels(answers, draw, &habits, &members, 10, stream(1, "coming", 0));
        assert_eq!(coming.len(), 800 * 7);
        assert!(coming.iter().all(|c| c.annotator >= 10));
        let hit = coming.iter().filter(|c| c.class == draw.truth[c.item as usize]).count();
        let share = hit as f64 / coming.len() as f64;
        // four standard errors of 5,600 labels, which cluster by item
        assert!((share - p).abs() < 0.03, "{p}: {share}");
    }
}

#[test]
fn targets_are_answered_with_their_range_or_not_at_all() {
    let mut world = World::new(500, 15, 7);
    let pilot = world.until(3);
    let data = pilot.clone().with_gold(world.gold(&pilot, 200));
    let plan = |target: f64, data: &Dataset| {
        let planner = Planner { target: Some(target), per_item: vec![5], most: 30, ..Planner::default() };
        planner.plan(data, &[everybody()], 1).unwrap()
    };
    let found = plan(0.85, &data);
    assert_eq!(found.gold.map(|g| g.n), Some(200));
    let t = found.outlooks[0].target.unwrap();
    assert!(t.reachable && t.labels_low.unwrap() <= t.labels.unwrap(), "{t:?}");
    // a tenth of the items are as good as guessed
    let t = plan(0.999, &data).outlooks[0].target.unwrap();
    assert!(!t.reachable && t.labels.is_none() && t.labels_per_item.is_none(), "{t:?}");
    // with gold the interval is narrower
    let width = |p: &Plan| p.pilot.estimate.high - p.pilot.estimate.low;
    assert!(width(&found) < width(&plan(0.85, &pilot)));
    // what is reached already needs nothing
    assert_eq!(plan(0.3, &data).outlooks[0].target.unwrap().labels, Some(0));
}

#[test]
fn money_buys_labels() {
    let mut world = World::new(300, 15, 8);
    let pilot = world.until(2);
    let planner = Planner { money: vec![37.5, 60.0], price: 0.25, ..Planner::default() };
    let plan = planner.plan(&pilot, &[everybody()], 1).unwrap();
    let rows = &plan.outlooks[0].rows;
    assert_eq!(rows.iter().map(|r| (r.labels, r.money)).collect::<Vec<_>>(), [(0, 0.0), (150, 37.5), (240, 60.0)]);
    assert_eq!(rows[1].labels_per_item, 2.5);
}

#[test]
fn pilots_that_cannot_tell_say_so() {
    let mut world = World::new(80, 6, 9);
    world.until(3);
    let plan = |data: &Dataset| Planner { most: 5, draws: 2, ..Planner::default() }.plan(data, &[everybody()], 1);
    let codes = |data: &Dataset| -> Vec<String> { plan(data).unwrap().findings.into_iter().map(|f| f.code).collect() };
    assert_eq!(codes(&world.data(|_| true)), ["no-gold"]);
    let all = world.data(|_| true);
    let gold = world.gold(&all, 10);
    assert_eq!(codes(&all.with_gold(gold)), ["few-gold"]);
    let few = world.data(|r| r.0 % 3 == 0 || world.seen[r.0][0] == r.1);
    assert!(codes(&few).contains(&"few-labels-per-item".to_owned()));
    let apart = world.data(|r| (r.0 < 40) == (r.1 < 3));
    assert!(codes(&apart).contains(&"disconnected".to_owned()));
    assert!(!plan(&apart).unwrap().can_tell());
    let single = world.data(|r| world.seen[r.0][0] == r.1);
    assert!(plan(&single).unwrap_err().to_string().contains("no item has two labels"));
    let one_class = world.data(|r| r.2 == 0);
    assert!(plan(&one_class).unwrap_err().to_string().contains("one class"));
}

#[test]
fn bad_plans_are_refused_with_all_that_is_wrong() {
    let bad = Planner { target: Some(1.5), price: 0.0, draws: 0, per_item: vec![0, 60], ..Planner::default() };
    let said = bad.check().unwrap_err().to_string();
    for part in ["`target` is 1.5", "`price` is 0", "`draws` is 0", "`per_item` is 0", "`per_item` is 60"] {
        assert!(said.contains(part), "{said}");
    }
    let data = World::new(30, 5, 1).until(3);
    for crowd in [Crowd::Best(0.0), Crowd::Accuracy(0.2), Crowd::These(Vec::new())] {
        assert!(Planner::default().plan(&data, &[choice(crowd)], 1).is_err());
    }
}

/// A strategy that looks at the answers gets more out of as many labels than the same number for every item.
#[test]
fn strategies_are_followed() {
    let mut world = World::new(500, 20, 12);
    let pilot = world.until(3);
    let planner = Planner { per_item: vec![5, 7], most: 10, draws: 4, ..Planner::default() };
    let plan = planner.plan(&pilot, &[everybody(), Choice::by(Strategy::Gain)], 1).unwrap();
    let at = |o: usize, r: usize| plan.outlooks[o].rows[r].estimate.accuracy;
    assert_eq!(plan.outlooks[1].strategy, "gain");
    assert_eq!(plan.outlooks[1].rows[2].labels, 2000);
    assert!(at(1, 1) > at(0, 1) && at(1, 2) > at(0, 2), "{:?}", plan.outlooks);
    assert!(planner.plan(&pilot, &[Choice::by(Strategy::Sure)], 1).is_err());
}
