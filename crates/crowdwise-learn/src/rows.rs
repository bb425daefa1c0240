//! Parameters of annotators: a row of numbers each, of which a batch touches few.

use crowdwise_numerics::adam_step;

/// Rows with Adam steps for those that a batch touched. Every row counts its own steps, so that an annotator with few
/// labels moves as fast per label as one with many, and nothing is done for annotators who are not in the batch.
#[derive(Clone, Debug)]
pub(crate) struct AnnotatorRows {
    width: usize,
    pub w: Vec<f64>,
    m: Vec<f64>,
    v: Vec<f64>,
    steps: Vec<i32>,
    /// Rows of this batch in the order in which they were first touched, and their gradients.
    touched: Vec<u32>,
    slot: Vec<u32>,
    gradient: Vec<f64>,
}

const NONE: u32 = u32::MAX;

impl AnnotatorRows {
    /// `w` holds the rows one after the other.
    pub fn new(width: usize, w: Vec<f64>) -> Self {
        let rows = w.len() / width.max(1);
        AnnotatorRows {
            width,
            m: vec![0.0; w.len()],
            v: vec![0.0; w.len()],
            w,
            steps: vec![0; rows],
            touched: Vec::new(),
            slot: vec![NONE; rows],
            gradient: Vec::new(),
        }
    }

    pub fn row(&self, j: usize) -> &[f64] {
        &self.w[j * self.width..(j + 1) * self.width]
    }

    /// The gradient of row `j`, to be added to.
    pub fn gradient(&mut self, j: usize) -> &mut [f64] {
        if self.slot[j] == NONE {
            self.slot[j] = self.touched.len() as u32;
            self.touched.push(j as u32);
            self.gradient.resize(self.touched.len() * self.width, 0.0);
        }
        let at = self.slot[j] as usize * self.width;
        &mut self.gradient[at..at + self.width]
    }

    /// Rows of this batch.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Steps down the gradients, calls `moved` for every row that moved, and forgets the batch.
    pub fn step(&mut self, rate: f64, mut moved: impl FnMut(usize, &[f64])) {
        for (n, &j) in self.touched.iter().enumerate() {
            let j = j as usize;
            self.slot[j] = NONE;
            self.steps[j] = self.steps[j].saturating_add(1);
            let at = j * self.width..(j + 1) * self.width;
            let gradient = &self.gradient[n * self.width..(n + 1) * self.width];
            let memory = (&mut self.m[at.clone()], &mut self.v[at.clone()]);
            adam_step(&mut self.w[at.clone()], gradient, memory, self.steps[j], rate);
            moved(j, &self.w[at]);
        }
        self.touched.clear();
        self.gradient.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_touched_rows_move() {
        let mut rows = AnnotatorRows::new(2, vec![0.0; 6]);
        rows.gradient(2)[0] += 3.0;
        rows.gradient(0)[1] -= 1.0;
        rows.gradient(2)[0] += 1.0;
        assert_eq!(rows.touched(), [2, 0]);
        let mut moved = Vec::new();
        rows.step(0.1, |j, _| moved.push(j));
        assert_eq!(moved, [2, 0]);
        let want = [0.0, 0.1, 0.0, 0.0, -0.1, 0.0];
        assert!(rows.w.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-6), "{:?}", rows.w);
        rows.step(0.1, |_, _| panic!("nothing was touched"));
        assert_eq!(rows.gradient(1), [0.0, 0.0]);
    }
}
