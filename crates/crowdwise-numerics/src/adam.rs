//! Adam, in double precision and with its usual constants.

/// What is remembered of past gradients of some numbers that move together.
#[derive(Clone, Debug)]
pub struct Adam {
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
}

/// How much of the mean of past gradients, and of their squares, stays.
const KEEP: [f64; 2] = [0.9, 0.999];

impl Adam {
    pub fn new(numbers: usize) -> Self {
        Adam { mean: vec![0.0; numbers], square: vec![0.0; numbers], steps: 0 }
    }

    /// One step down the gradient.
    pub fn step(&mut self, x: &mut [f64], gradient: &[f64], rate: f64) {
        self.steps = self.steps.saturating_add(1);
        adam_step(x, gradient, (&mut self.mean, &mut self.square), self.steps, rate);
    }
}

/// Step number `steps` (from 1) with the memory of the steps before it: mean gradients and mean squares.
pub fn adam_step(x: &mut [f64], gradient: &[f64], memory: (&mut [f64], &mut [f64]), steps: i32, rate: f64) {
    let [first, second] = KEEP.map(|keep| 1.0 / (1.0 - keep.powi(steps)));
    let memory = memory.0.iter_mut().zip(memory.1);
    for ((x, g), (m, v)) in x.iter_mut().zip(gradient).zip(memory) {
        *m = KEEP[0] * *m + (1.0 - KEEP[0]) * g;
        *v = KEEP[1] * *v + (1.0 - KEEP[1]) * g * g;
        *x -= rate * (*m * first) / ((*v * second).sqrt() + 1e-8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_steps_have_the_length_of_the_rate_and_the_bottom_is_found() {
        let mut adam = Adam::new(2);
        let mut x = [2.0, -300.0];
        adam.step(&mut x, &[4.0, -600.0], 0.1);
        assert!((x[0] - 1.9).abs() < 1e-8 && (x[1] + 299.9).abs() < 1e-8, "{x:?}");
        let (mut adam, mut x) = (Adam::new(2), [2.0, -3.0]);
        for _ in 0..3000 {
            let gradient = [2.0 * (x[0] - 1.0), 8.0 * (x[1] - 0.5)];
            adam.step(&mut x, &gradient, 0.01);
        }
        assert!((x[0] - 1.0).abs() < 1e-3 && (x[1] - 0.5).abs() < 1e-3, "{x:?}");
    }
}
