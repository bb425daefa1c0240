//! Active learning from crowds, on annotators whose expertise is of low rank.

use crowdwise_ask::features::{Cold, Dalc, Judged, Learner, Point, Replay, Simulated, Strategy, area, labels_to, replay};
use crowdwise_core::simulate::{SimModel, Simulation, Simulator};
use crowdwise_core::{Context, Features};
use crowdwise_learn::expert::Dlc;
use crowdwise_learn::{NetworkKind, NetworkParams, Training};

/// The generator of spec and paper: 600 items to ask about and 600 to test on, 40 annotators, two classes, 20 features.
struct World {
    made: Simulator,
    train: Features,
    test: Features,
    truth: Vec<usize>,
    test_truth: Vec<usize>,
}

const N: usize = 600;
const M: usize = 40;

impl World {
    fn new(seed: u64, spread: f64) -> World {
        let s = Simulation {
            model: SimModel::LowRank,
            items: 2 * N as u64,
            annotators: M,
            classes: 2,
            features: 20,
            spread,
            ..Simulation::default()
        };
        let made = Simulator::new(&s, seed).unwrap();
        let (data, _) = made.dataset().unwrap();
        let all = data.features.unwrap();
        let part = |from: usize| Features { dim: 20, values: all.values[from * 20..(from + N) * 20].to_vec(), image: None };
        let class = |i: usize| made.class_of(i as u32);
        World {
            train: part(0),
            test: part(N),
            truth: (0..N).map(class).collect(),
            test_truth: (N..2 * N).map(class).collect(),
            made,
        }
    }

    fn run(&self, strategy: Strategy, learner: &mut dyn Learner, how: Replay) -> Vec<Point> {
        let truth: Vec<Option<usize>> = self.truth.iter().copied().map(Some).collect();
        let mut oracle = Simulated::new(N, M, 2, |i, j| self.made.answer(i as u32, j));
        let judged = Judged { truth: &truth, test: (&self.test, &self.test_truth) };
        let how = Replay { strategy, ..how };
        replay(&how, &mut oracle, learner, judged, &mut Context::new(how.seed, 2)).unwrap()
    }

    /// Logistic regression and annotators of rank 10, as the program that the figures of the specification come from.
    fn dalc(&self, seed: u64) -> Dalc {
        let dlc = Dlc {
            inner_iter: 5,
            network: NetworkParams { network: NetworkKind::Linear, ..NetworkParams::default() },
            training: Training { learning_rate: 0.02, batch_size: 0, weight_decay: 1e-3, ..Training::default() },
            ..Dlc::default()
        };
        Dalc::new(&dlc, &self.train, 2, M, (40, 15), seed).unwrap()
    }
}

fn how(seed: u64) -> Replay {
    Replay { strategy: Strategy::Rd, start: 60, batch: 20, budget: 1200, explore: 0.1, seed }
}

fn mean(curves: &[Vec<Point>]) -> Vec<f64> {
    (0..curves[0].len()).map(|n| curves.iter().map(|c| c[n].accuracy).sum::<f64>() / curves.len() as f64).collect()
}

#[test]
fn active_items_and_annotators_need_fewer_labels() {
    let worlds: Vec<(u64, World)> = (0..3).map(|s| (s, World::new(s, 1.0))).collect();
    let curves = |strategy| -> Vec<Vec<Point>> {
        worlds.iter().map(|(s, w)| w.run(strategy, &mut w.dalc(*s), how(*s))).collect()
    };
    let random = curves(Strategy::Rd);
    let labels: Vec<usize> = random[0].iter().map(|p| p.labels).collect();
    let last = |c: &[f64]| c[c.len() - 5..].iter().sum::<f64>() / 5.0;
    let goal = last(&mean(&random));
    for strategy in [Strategy::Rd, Strategy::Ac, Strategy::Ad, Strategy::Dalc, Strategy::DalcQ, Strategy::Gain] {
        let t = std::time::Instant::now();
        let c = curves(strategy);
        let m = mean(&c);
        println!(
            "{}: last {:.1} area {:.1} right {:.1} inferred {:.1} share {:?} {:?}",
            strategy.name(),
            last(&m),
            c.iter().map(|c| area(c)).sum::<f64>() / c.len() as f64,
            c.iter().map(|c| c.last().unwrap().right).sum::<f64>() / c.len() as f64,
            c.iter().map(|c| c.last().unwrap().inferred).sum::<f64>() / c.len() as f64,
            labels_to(&m, &labels, goal, 5).map(|l| l / 1200.0),
            t.elapsed()
        );
    }
}
