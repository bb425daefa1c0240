//! Temporary: where coverage is lost.
use super::crowd::{Crowd, Model};
use super::*;
use crate::simulate::{Role, SimModel, Simulation, Simulator};

fn designs() -> Vec<(&'static str, Simulation)> {
    let usual = || Simulation { items: 200, annotators: 20, classes: 3, per_item: 5, ..Simulation::default() };
    vec![
        ("coin", Simulation { model: SimModel::OneCoin, ..usual() }),
        ("ds", usual()),
        ("sparse", Simulation { items: 150, annotators: 60, per_item: 3, ..usual() }),
        ("spam", Simulation { spammers: 0.25, ..usual() }),
        ("uneven", Simulation { imbalance: 3.0, ..usual() }),
        ("advers", Simulation { adversaries: 0.2, ..usual() }),
        ("spam2", Simulation { classes: 2, items: 400, spammers: 0.2, ..usual() }),
        ("spam40", Simulation { items: 400, annotators: 40, spammers: 0.4, ..usual() }),
        ("weak", Simulation { accuracy: 0.55, ..usual() }),
        ("k6", Simulation { classes: 6, items: 300, ..usual() }),
        ("mace", Simulation { model: SimModel::Mace, ..usual() }),
        ("dense", Simulation { per_item: 15, ..usual() }),
        ("dspam", Simulation { per_item: 10, spammers: 0.25, ..usual() }),
    ]
}

#[test]
fn probe() {
    let times: u64 = std::env::var("TIMES").ok().and_then(|x| x.parse().ok()).unwrap_or(40);
    let oracle = std::env::var("ORACLE").is_ok();
    for (name, s) in designs() {
        let mut c = [[0.0f64; 5]; 2];
        let mut q_error = [0.0f64; 3];
        for seed in 0..times {
            let sim = Simulator::new(&s, seed).unwrap();
            let (data, gold) = sim.dataset().unwrap();
            let k = s.classes;
            let cat = data.table.categorical().unwrap();
            let mut q = vec![0.0; k * data.table.n_units()];
            q.chunks_exact_mut(k).enumerate().for_each(|(u, row)| cat.vote_shares(u, row));
            let fit = super::tests::fit_of(&data, q, crate::Annotators::None);
            let t = Tally::of(&data, &fit, false).unwrap();
            let mut crowd = Crowd::of(&data, &fit, &t).unwrap();
            if oracle {
                let mut p = vec![0.0; s.annotators * k * k];
                for (j, a) in sim.annotators().iter().enumerate() {
                    let m = a.confusion.as_ref().unwrap();
                    for z in 0..k {
                        for l in 0..k {
                            p[(j * k + l) * k + z] = m[z * k + l];
                        }
                    }
                }
                crowd.model = Model::Matrices(p);
                crowd.shares = s.shares();
                crowd.classes(None, None);
            }
            let crate::GoldValues::Classes(truth) = &gold.values else { panic!() };
            for &(u, z) in truth {
                let row = &crowd.q[u as usize * k..(u as usize + 1) * k];
                let best = crate::stats::argmax(row);
                q_error[0] += 1.0;
                q_error[1] += f64::from(u8::from(best == z as usize));
                q_error[2] += row[best];
            }
            for (r, a) in tilt::rates(&crowd, 0.9).iter().zip(sim.annotators()) {
                let (Some(r), Some(truth)) = (r, a.accuracy) else { continue };
                let c = &mut c[usize::from(a.role != Role::Ordinary)];
                c[0] += 1.0;
                c[1] += f64::from(u8::from(truth < r.interval[0]));
                c[2] += f64::from(u8::from(truth > r.interval[1]));
                c[3] += r.interval[1] - r.interval[0];
                c[4] += r.point - truth;
            }
        }
        let line = |c: &[f64; 5]| {
            if c[0] == 0.0 {
                String::new()
            } else {
                format!(
                    "{:5} cov {:.3} truth-below {:.3} truth-above {:.3} width {:.3} bias {:+.3}",
                    c[0],
                    1.0 - (c[1] + c[2]) / c[0],
                    c[1] / c[0],
                    c[2] / c[0],
                    c[3] / c[0],
                    c[4] / c[0]
                )
            }
        };
        let all: Vec<f64> = (0..5).map(|i| c[0][i] + c[1][i]).collect();
        println!(
            "{name:8} all {:.3} | acc {:.3} conf {:.3} | {} | {}",
            1.0 - (all[1] + all[2]) / all[0],
            q_error[1] / q_error[0],
            q_error[2] / q_error[0],
            line(&c[0]),
            line(&c[1])
        );
    }
}
