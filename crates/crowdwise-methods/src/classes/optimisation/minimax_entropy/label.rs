//! One label: its probability given every truth, and the gradient.

use crowdwise_numerics::fast::exp;

/// Beliefs below this do not count in the search: their part is below the rounding of the rest.
const NEVER: f64 = 1e-13;

/// ln P(l | c); `z` holds the probabilities of row c afterwards.
#[inline(always)]
pub(super) fn ln_row(z: &mut [f64], c: usize, l: usize, annotator: &[f64], item: &[f64]) -> f64 {
    let k = z.len();
    let (a, b) = (&annotator[c * k..(c + 1) * k], &item[c * k..(c + 1) * k]);
    let mut top = f64::NEG_INFINITY;
    for i in 0..k {
        z[i] = a[i] + b[i];
        top = if z[i] > top { z[i] } else { top };
    }
    let said = z[l] - top;
    let mut sum = 0.0;
    for i in 0..k {
        z[i] = exp(z[i] - top);
        sum += z[i];
    }
    let scale = 1.0 / sum;
    for i in 0..k {
        z[i] *= scale;
    }
    said - sum.ln()
}

/// Minus the expected log-likelihood of one label, its gradient added to `by` and `more` (K x K).
#[inline(always)]
pub(super) fn add_label(
    z: &mut [f64],
    l: usize,
    mu: &[f64],
    annotator: &[f64],
    item: &[f64],
    by: &mut [f64],
    more: Option<&mut [f64]>,
) -> f64 {
    let k = z.len();
    let mut value = 0.0;
    let mut none = [];
    let twice = more.is_some();
    let more = more.unwrap_or(&mut none);
    for c in 0..k {
        if mu[c] <= NEVER {
            continue;
        }
        value -= mu[c] * ln_row(z, c, l, annotator, item);
        z[l] -= 1.0;
        let by = &mut by[c * k..(c + 1) * k];
        for i in 0..k {
            by[i] += mu[c] * z[i];
        }
        if twice {
            let more = &mut more[c * k..(c + 1) * k];
            for i in 0..k {
                more[i] += mu[c] * z[i];
            }
        }
    }
    value
}

/// Calls the function with the number of classes as a constant where it is small: the loops over classes then unroll.
macro_rules! by_classes {
    ($k:expr, $self:ident . $name:ident ( $($arg:expr),* )) => {
        match $k {
            2 => $self.$name::<2>($($arg),*),
            3 => $self.$name::<3>($($arg),*),
            4 => $self.$name::<4>($($arg),*),
            5 => $self.$name::<5>($($arg),*),
            _ => $self.$name::<0>($($arg),*),
        }
    };
}

/// Room for one row of probabilities: of constant length K, or of length k.
pub(super) struct Room<const K: usize>([f64; K], Vec<f64>);

impl<const K: usize> Room<K> {
    pub fn new(k: usize) -> Self {
        Room([0.0; K], vec![0.0; if K == 0 { k } else { 0 }])
    }

    #[inline(always)]
    pub fn z(&mut self) -> &mut [f64] {
        if K == 0 { &mut self.1 } else { &mut self.0 }
    }
}

pub(super) use by_classes;
