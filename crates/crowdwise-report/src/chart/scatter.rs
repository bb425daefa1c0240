//! Points in the plane with the line on which both values are equal.

use super::scale::{Scale, nice, ticks};
use super::{Frame, labelled, px, svg};
use maud::{Markup, html};

#[derive(Debug)]
pub struct Scatter<'a> {
    pub label: &'a str,
    pub points: &'a [(f64, f64)],
    pub x_title: &'a str,
    pub y_title: &'a str,
}

const WIDTH: f64 = 430.0;
const HEIGHT: f64 = 330.0;

impl Scatter<'_> {
    /// `None` if no point has two numbers.
    pub fn draw(&self) -> Option<Markup> {
        let points: Vec<(f64, f64)> =
            self.points.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite()).collect();
        let range = |of: fn(&(f64, f64)) -> f64| {
            let values = points.iter().map(of);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
        };
        if points.is_empty() {
            return None;
        }
        let (across, up) = (nice(range(|p| p.0), 5), nice(range(|p| p.1), 5));
        let x = Scale::new(across, (52.0, WIDTH - 12.0));
        let y = Scale::new(up, (HEIGHT - 40.0, 26.0));
        let frame = Frame {
            x,
            y,
            x_ticks: labelled(ticks(across, 5)),
            y_ticks: labelled(ticks(up, 5)),
            x_title: self.x_title,
            y_title: self.y_title,
        };
        // the part of the diagonal that both axes hold
        let (from, to) = (across.0.max(up.0), across.1.min(up.1));
        Some(svg(
            WIDTH,
            HEIGHT,
            self.label,
            &html! {
                (frame.draw())
                @if from < to {
                    line class="ideal" x1=(px(x.at(from))) y1=(px(y.at(from))) x2=(px(x.at(to))) y2=(px(y.at(to))) {}
                }
                @for p in &points { circle class="point" cx=(px(x.at(p.0))) cy=(px(y.at(p.1))) r="2" {} }
            },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wellformed;

    #[test]
    fn points_stand_where_they_belong() {
        let chart = |points| Scatter { label: "values", points, x_title: "a", y_title: "b" }.draw();
        let text = chart(&[(0.0, 0.0), (10.0, 5.0), (f64::NAN, 1.0)]).unwrap().into_string();
        wellformed::check(&text).unwrap();
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(text.contains(r#"cx="52" cy="290""#) && text.contains(r#"cx="418" cy="26""#), "{text}");
        // the diagonal ends where the shorter axis does
        assert!(text.contains(r#"class="ideal" x1="52" y1="290" x2="235" y2="26""#), "{text}");
        assert!(chart(&[(f64::NAN, 0.0)]).is_none() && chart(&[]).is_none());
        wellformed::check(&chart(&[(3.0, 3.0)]).unwrap().into_string()).unwrap();
    }
}
