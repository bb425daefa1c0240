//! Sets, grids and rankings.

use super::Simulation;
use super::generate::{Block, SimLabel, SimRow, Simulator, pick};
use super::random::Purpose;
use crate::{Dataset, Error, Gold, GoldValues, Names, Rankings};

impl Simulation {
    /// Sets: the probability that each class is in the set of an item. It is as large as the class share asks for, but no
    /// class is in nearly every set.
    pub(super) fn in_set(&self) -> Vec<f64> {
        self.shares().iter().map(|share| (self.set_size * share).min(0.95)).collect()
    }

    /// A set as it is written: its classes in order, `|` between them, and alone for none.
    pub fn set_name(&self, set: u64) -> String {
        let names: Vec<String> = (0..self.classes).filter(|c| set >> c & 1 == 1).map(|c| self.class_name(c)).collect();
        if names.is_empty() { "|".into() } else { names.join("|") }
    }

    /// graph: columns of the grid.
    pub fn grid_width(&self) -> u64 {
        (self.items as f64).sqrt().ceil().max(1.0) as u64
    }
}

impl Simulator {
    pub(super) fn set(&mut self, block: &mut Block) {
        let (item, k) = (self.next, self.s.classes);
        let chance = self.s.in_set();
        let is_in = |c: usize| self.key.uniform(Purpose::Truth, item, c as u64) < chance[c];
        let truth = (0..k).filter(|&c| is_in(c)).fold(0u64, |set, c| set | 1 << c);
        block.truth.push(SimLabel::Set(truth));
        self.assigner.next(&mut self.assigned);
        for &j in &self.assigned {
            let speaker = self.speaker(j as usize, item);
            let table = self.annotators[speaker].confusion.as_ref().expect("who names sets has a matrix");
            let says = |c: usize| {
                let unit = item * k as u64 + c as u64;
                let yes = table[2 * usize::from(truth >> c & 1 == 1) + 1];
                self.key.uniform(Purpose::Answer, speaker as u64, unit) < yes
            };
            let said = (0..k).filter(|&c| says(c)).fold(0u64, |set, c| set | 1 << c);
            block.rows.push(SimRow { item: item as u32, right: item as u32, annotator: j, label: SimLabel::Set(said) });
        }
    }

    /// The class of an item of the grid: that of its left or upper neighbour, or its own.
    pub(super) fn on_grid(&mut self, item: u64, block: &mut Block) -> usize {
        let width = self.s.grid_width();
        let column = (item % width) as usize;
        let (left, up) = (column > 0, item >= width);
        if left {
            block.edges.push([item as u32 - 1, item as u32]);
        }
        if up {
            block.edges.push([(item - width) as u32, item as u32]);
        }
        self.above.resize(width as usize, 0);
        let stays = (left || up) && self.key.uniform(Purpose::Stay, item, 0) < self.s.stay;
        let class = if stays {
            let from_left = left && (!up || self.key.uniform(Purpose::Neighbour, item, 0) < 0.5);
            // what is left of it belongs to this row already, what is above to the one before
            self.above[if from_left { column - 1 } else { column }] as usize
        } else {
            pick(&self.shares, self.key.uniform(Purpose::Truth, item, 0))
        };
        self.above[column] = class as u32;
        class
    }

    /// Rankings of one set of items: the largest sum of score and Gumbel noise is first, which is Plackett and Luce's
    /// model.
    pub(super) fn ranking(&mut self, block: &mut Block) {
        let unit = self.next;
        let (n, m) = (self.s.items, self.s.ranked);
        // every item is shown when there are as many sets as items
        let mut shown: Vec<u32> = if unit < n { vec![unit as u32] } else { Vec::new() };
        let mut draw = 0;
        while shown.len() < m {
            let item = self.key.below(Purpose::Shown, unit, draw, n) as u32;
            draw += 1;
            if !shown.contains(&item) {
                shown.push(item);
            }
        }
        let top = if self.s.top == 0 { m } else { self.s.top };
        self.assigner.next(&mut self.assigned);
        for &j in &self.assigned {
            let speaker = self.speaker(j as usize, unit);
            let sharp = self.annotators[speaker].sharpness.expect("ranking annotators are sharp");
            let mut order: Vec<(f64, u32)> = shown
                .iter()
                .map(|&i| {
                    let u = 1.0 - self.key.uniform(Purpose::Choice, unit * n + i as u64, speaker as u64);
                    (sharp * self.score(i) - (-u.ln()).max(f64::MIN_POSITIVE).ln(), i)
                })
                .collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            let label = SimLabel::Ranking(block.ranked.len() as u32, m as u32, top as u32);
            block.ranked.extend(order.iter().map(|x| x.1));
            block.rows.push(SimRow { item: shown[0], right: shown[0], annotator: j, label });
        }
    }

    pub(super) fn ranking_dataset(&self) -> Result<(Dataset, Gold), Error> {
        let mut all = Simulator::new(&self.s, self.key.0)?;
        let items: Names = (0..self.s.items).map(|i| format!("i{i}")).collect();
        let annotators: Names = (0..self.s.annotators).map(|j| format!("a{j}")).collect();
        let mut rankings = Rankings::new(items.len());
        let mut block = Block::new(4096);
        while all.next_block(&mut block) {
            for r in &block.rows {
                let SimLabel::Ranking(first, n, top) = r.label else { continue };
                let own = &block.ranked[first as usize..(first + n) as usize];
                rankings.push_by(r.annotator, &own[..top as usize], &own[top as usize..])?;
            }
        }
        let mut data = rankings.dataset(items, annotators)?;
        data.source = "the simulation".into();
        let scores = (0..self.s.items as u32).map(|i| (i, self.score(i))).collect();
        let unlabelled = GoldValues::Scores(Vec::new());
        Ok((data, Gold { values: GoldValues::Scores(scores), unlabelled, extra_classes: Names::new() }))
    }
}

#[cfg(test)]
mod tests {
    use crate::simulate::{SimModel, Simulation, Simulator};
    use crate::{GoldValues, Preference, Structure};

    fn made(s: &Simulation) -> (crate::Dataset, crate::Gold) {
        Simulator::new(s, 3).unwrap().dataset().unwrap()
    }

    #[test]
    fn sets_have_the_size_asked_for() {
        let s = Simulation { model: SimModel::Sets, items: 4000, classes: 5, set_size: 2.0, ..Simulation::default() };
        let (data, gold) = made(&s);
        let GoldValues::Classes(truth) = &gold.values else { panic!() };
        let names = data.table.categorical().unwrap().classes;
        let name = |c: u32| {
            let c = c as usize;
            if c < names.len() { names.name(c) } else { gold.extra_classes.name(c - names.len()) }
        };
        let size = |c: u32| name(c).split('|').filter(|p| !p.is_empty()).count();
        let mean = truth.iter().map(|&(_, c)| size(c)).sum::<usize>() as f64 / truth.len() as f64;
        // sd of one: sqrt(5 x 0.4 x 0.6) = 1.1
        assert!((mean - 2.0).abs() < 0.07, "{mean}");
        assert_eq!((s.set_name(0), s.set_name(0b10010)), ("|".into(), "c1|c4".into()));
    }

    #[test]
    fn neighbours_of_a_grid_are_alike() {
        let s = Simulation { model: SimModel::Graph, items: 2500, classes: 4, stay: 0.8, ..Simulation::default() };
        let (data, gold) = made(&s);
        let Structure::Graph(edges) = &data.structure else { panic!() };
        assert_eq!(edges.len(), 2 * 50 * 49);
        let truth = gold.classes(2500);
        let alike = |a: u32, b: u32| truth[a as usize] == truth[b as usize];
        let near = edges.iter().filter(|e| alike(e[0], e[1])).count() as f64 / edges.len() as f64;
        let far = (0..1250).filter(|&i| alike(i, i + 1250)).count() as f64 / 1250.0;
        assert!(near > 0.5 && far < 0.4, "{near} {far}");
    }

    #[test]
    fn the_better_one_of_a_ranking_is_before_as_often_as_it_should_be() {
        let s = Simulation {
            model: SimModel::Rankings,
            items: 2,
            ranked: 2,
            pairs: 4000,
            noise_spread: 0.0,
            ..Simulation::default()
        };
        let sim = Simulator::new(&s, 3).unwrap();
        let (data, _) = sim.dataset().unwrap();
        let (_, said) = data.table.preferences().unwrap();
        let left = said.iter().filter(|p| **p == Preference::Left).count() as f64 / said.len() as f64;
        let p = 1.0 / (1.0 + (sim.score(1) - sim.score(0)).exp());
        assert!((left - p).abs() < 0.015, "{left} {p}"); // 20 000 rankings
    }

    #[test]
    fn rankings_of_the_top_leave_the_others_behind() {
        let s = Simulation { model: SimModel::Rankings, items: 20, ranked: 6, top: 2, ..Simulation::default() };
        let (data, _) = made(&s);
        let Structure::Rankings(r) = &data.structure else { panic!() };
        assert_eq!(r.len(), 500);
        assert!((0..r.len()).all(|x| r.ranking(x).0.len() == 2 && r.ranking(x).1.len() == 4));
        assert_eq!(data.table.n_labels(), 500 * (5 + 4));
    }
}
