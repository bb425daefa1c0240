//! A line over iterations.

use super::scale::{Scale, nice, ticks};
use super::{Frame, labelled, px, svg, text_px};
use maud::{Markup, html};
use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YScale {
    Linear,
    /// Powers of ten; values that are not positive are left out.
    Log,
}

/// A line through points in order of x.
#[derive(Debug)]
pub struct Line<'a> {
    pub label: &'a str,
    pub points: &'a [(f64, f64)],
    pub x_title: &'a str,
    pub y_title: &'a str,
    pub y: YScale,
}

/// More points than this are thinned: the eye cannot tell.
const MOST_POINTS: usize = 240;
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 210.0;

impl Line<'_> {
    /// Nothing if no point can be drawn.
    pub fn draw(&self) -> Option<Markup> {
        let usable = |&(x, y): &(f64, f64)| {
            let y = if self.y == YScale::Log { y.log10() } else { y };
            (x.is_finite() && y.is_finite()).then_some((x, y))
        };
        let points = thin(&self.points.iter().filter_map(usable).collect::<Vec<_>>());
        let (first, last) = (points.first()?, points.last()?);
        let extent = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p.1), b.max(p.1)));
        let domain = match self.y {
            YScale::Linear => nice(extent, 5),
            YScale::Log if extent.1 - extent.0 < 1.0 => {
                (extent.0.floor(), extent.0.floor() + 1.0f64.max((extent.1 - extent.0.floor()).ceil()))
            }
            YScale::Log => (extent.0.floor(), extent.1.ceil()),
        };
        let y_ticks = match self.y {
            YScale::Linear => labelled(ticks(domain, 5)),
            YScale::Log => powers(domain),
        };
        let left = y_ticks.iter().map(|(_, l)| text_px(l)).fold(0.0, f64::max) + 8.0;
        let x = Scale::new((first.0, last.0), (left, WIDTH - 8.0));
        let y = Scale::new(domain, (HEIGHT - 38.0, 24.0));
        let x_ticks = labelled(ticks(x.domain, 6).into_iter().filter(|t| t.fract() == 0.0).collect());
        let frame = Frame { x, y, x_ticks, y_ticks, x_title: self.x_title, y_title: self.y_title };
        let mut path = String::new();
        for (i, p) in points.iter().enumerate() {
            let _ = write!(path, "{}{} {}", if i == 0 { "M" } else { "L" }, px(x.at(p.0)), px(y.at(p.1)));
        }
        Some(svg(
            WIDTH,
            HEIGHT,
            self.label,
            &html! {
                (frame.draw())
                path class="line" d=(path) {}
                circle class="dot" cx=(px(x.at(last.0))) cy=(px(y.at(last.1))) r="3.5" {}
            },
        ))
    }
}

fn powers((a, b): (f64, f64)) -> Vec<(f64, String)> {
    let step = ((b - a) / 5.0).ceil().max(1.0);
    let n = ((b - a) / step).floor() as usize;
    (0..=n)
        .map(|i| a + i as f64 * step)
        .map(|e| {
            let label = match e as i32 {
                e @ -3..=3 => crate::number::trimmed(10f64.powi(e), 3),
                e => format!("1e{e}"),
            };
            (e, label)
        })
        .collect()
}

/// Every n-th point; the first and the last always.
fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = points.len();
    if n <= MOST_POINTS {
        return points.to_vec();
    }
    (0..MOST_POINTS).map(|i| points[i * (n - 1) / (MOST_POINTS - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wellformed;

    fn line(points: &[(f64, f64)], y: YScale) -> Option<String> {
        Line { label: "trace", points, x_title: "iteration", y_title: "objective", y }.draw().map(Markup::into_string)
    }

    #[test]
    fn a_line_is_drawn_whatever_its_length() {
        let long: Vec<(f64, f64)> = (1..=5000).map(|i| (i as f64, -1e5 / i as f64)).collect();
        for points in [&long[..1], &long[..2], &long] {
            let text = line(points, YScale::Linear).unwrap();
            wellformed::check(&text).unwrap();
            assert!(text.len() < 8000 && !text.contains("NaN") && !text.contains("inf"), "{text}");
        }
        assert_eq!(thin(&long)[0], long[0]);
        assert_eq!(thin(&long).last(), long.last());
    }

    #[test]
    fn nothing_to_draw_is_no_chart() {
        assert!(line(&[], YScale::Linear).is_none());
        assert!(line(&[(1.0, f64::NAN)], YScale::Linear).is_none());
        assert!(line(&[(1.0, 0.0)], YScale::Log).is_none());
    }

    #[test]
    fn powers_of_ten_label_a_log_axis() {
        assert_eq!(powers((-6.0, 0.0)).iter().map(|p| p.1.clone()).collect::<Vec<_>>(), ["1e-6", "1e-4", "0.01", "1"]);
        let text = line(&[(1.0, 0.5), (2.0, 0.4)], YScale::Log).unwrap();
        assert!(text.contains(">0.1<") && text.contains(">1<"), "{text}");
    }
}
