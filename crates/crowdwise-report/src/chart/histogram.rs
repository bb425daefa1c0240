//! Histograms: one series as bars, a second one as an outline over them.

use super::scale::{Scale, nice, ticks};
use super::{Frame, labelled, px, svg, text_px};
use maud::{Markup, html};
use std::fmt::Write;

/// Counts between equally spaced edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    pub start: f64,
    pub step: f64,
    pub counts: Vec<usize>,
}

impl Bins {
    /// Bins for these values: one per value where they are few whole numbers, otherwise by the rule of Freedman and
    /// Diaconis with 8 to 40 bins. Values that are not finite are left out.
    pub fn of(values: &[f64]) -> Bins {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else {
            return Bins { start: 0.0, step: 1.0, counts: Vec::new() };
        };
        let (start, step, n) = if high - low <= 40.0 && sorted.iter().all(|v| v.fract() == 0.0) {
            (low - 0.5, 1.0, (high - low) as usize + 1)
        } else if low == high {
            (low - 0.5, 1.0, 1)
        } else {
            let quartile = |q: f64| sorted[(q * (sorted.len() - 1) as f64) as usize];
            let ideal = 2.0 * (quartile(0.75) - quartile(0.25)) / (sorted.len() as f64).cbrt();
            let n = if ideal > 0.0 { ((high - low) / ideal).ceil().clamp(8.0, 40.0) } else { 20.0 };
            (low, (high - low) / n, n as usize)
        };
        Bins { start, step, counts: vec![0; n] }.count(&sorted)
    }

    /// `n` bins over a fixed range.
    pub fn fixed(range: (f64, f64), n: usize, values: &[f64]) -> Bins {
        Bins { start: range.0, step: (range.1 - range.0) / n as f64, counts: vec![0; n] }.count(values)
    }

    /// Other values in the same bins; outsiders count in the nearest one.
    #[must_use]
    pub fn same_for(&self, values: &[f64]) -> Bins {
        Bins { counts: vec![0; self.counts.len()], ..*self }.count(values)
    }

    fn count(mut self, values: &[f64]) -> Bins {
        let n = self.counts.len();
        for v in values.iter().filter(|v| v.is_finite() && n > 0) {
            let bin = ((v - self.start) / self.step).floor().clamp(0.0, (n - 1) as f64);
            self.counts[bin as usize] += 1;
        }
        self
    }

    fn end(&self) -> f64 {
        self.start + self.step * self.counts.len() as f64
    }

    fn shares(&self) -> Vec<f64> {
        let total = self.counts.iter().sum::<usize>().max(1) as f64;
        self.counts.iter().map(|&c| c as f64 / total).collect()
    }
}

/// Bars, and an outline of a second series in the same bins; heights are shares of each series if there are two.
#[derive(Debug)]
pub struct Histogram<'a> {
    pub label: &'a str,
    pub bars: &'a Bins,
    pub outline: Option<&'a Bins>,
    pub x_title: &'a str,
    pub y_title: &'a str,
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 210.0;

impl Histogram<'_> {
    /// Nothing if there are no bins.
    pub fn draw(&self) -> Option<Markup> {
        if self.bars.counts.is_empty() {
            return None;
        }
        let heights = |b: &Bins| match self.outline {
            Some(_) => b.shares(),
            None => b.counts.iter().map(|&c| c as f64).collect(),
        };
        let bars = heights(self.bars);
        let outline = self.outline.map(heights);
        let highest = bars.iter().chain(outline.iter().flatten()).copied().fold(0.0, f64::max);
        let domain = if highest > 0.0 { nice((0.0, highest), 4) } else { (0.0, 1.0) };
        let mut y_ticks = labelled(ticks(domain, 4));
        if self.outline.is_none() {
            // counts are whole
            y_ticks.retain(|(t, _)| t.fract() == 0.0);
        }
        let left = y_ticks.iter().map(|(_, l)| text_px(l)).fold(0.0, f64::max) + 8.0;
        let x = Scale::new((self.bars.start, self.bars.end()), (left, WIDTH - 12.0));
        let y = Scale::new(domain, (HEIGHT - 38.0, 24.0));
        let edge = |i: usize| x.at(self.bars.start + self.bars.step * i as f64);
        let x_ticks = labelled(ticks(x.domain, 7));
        let frame = Frame { x, y, x_ticks, y_ticks, x_title: self.x_title, y_title: self.y_title };
        let gap = if bars.len() > 60 { 0.0 } else { 0.5 };
        Some(svg(
            WIDTH,
            HEIGHT,
            self.label,
            &html! {
                (frame.draw())
                @for (i, &v) in bars.iter().enumerate().filter(|(_, v)| **v > 0.0) {
                    rect class=(if outline.is_some() { "bar2" } else { "bar" }) x=(px(edge(i) + gap)) y=(px(y.at(v)))
                        width=(px(edge(i + 1) - edge(i) - 2.0 * gap)) height=(px(y.at(0.0) - y.at(v))) {}
                }
                @if let Some(outline) = &outline {
                    path class="line" d=(steps(outline, edge, y)) {}
                }
            },
        ))
    }
}

fn steps(heights: &[f64], edge: impl Fn(usize) -> f64, y: Scale) -> String {
    let mut d = format!("M{} {}", px(edge(0)), px(y.at(0.0)));
    for (i, &v) in heights.iter().enumerate() {
        let _ = write!(d, "V{}H{}", px(y.at(v)), px(edge(i + 1)));
    }
    let _ = write!(d, "V{}", px(y.at(0.0)));
    d
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wellformed;

    #[test]
    fn whole_numbers_get_a_bin_each() {
        let b = Bins::of(&[1.0, 2.0, 2.0, 5.0]);
        assert_eq!(b, Bins { start: 0.5, step: 1.0, counts: vec![1, 2, 0, 0, 1] });
    }

    #[test]
    fn every_finite_value_is_counted_once() {
        let values: Vec<f64> = (0..1000).map(|i| (i as f64 * 0.7).sin()).chain([f64::NAN, f64::INFINITY]).collect();
        let b = Bins::of(&values);
        assert!((8..=40).contains(&b.counts.len()));
        assert_eq!(b.counts.iter().sum::<usize>(), 1000);
        assert_eq!(b.same_for(&[-9.0, 9.0]).counts.iter().sum::<usize>(), 2);
        assert_eq!(Bins::of(&[2.5, 2.5]).counts, [2]);
        assert_eq!(Bins::of(&[f64::NAN]).counts.len(), 0);
        assert_eq!(Bins::fixed((0.0, 1.0), 4, &[0.0, 0.25, 1.0]).counts, [1, 1, 0, 1]);
    }

    #[test]
    fn charts_are_well_formed() {
        let bins = Bins::of(&[0.1, 0.5, 0.7, 3.3]);
        let estimates = bins.same_for(&[0.4, 0.6]);
        for outline in [None, Some(&estimates)] {
            let h = Histogram { label: "values", bars: &bins, outline, x_title: "value", y_title: "labels" };
            let text = h.draw().unwrap().into_string();
            wellformed::check(&text).unwrap();
            assert!(!text.contains("NaN"));
        }
        let none = Bins::of(&[]);
        assert!(Histogram { label: "", bars: &none, outline: None, x_title: "", y_title: "" }.draw().is_none());
    }
}
