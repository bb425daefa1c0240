//! Several named lines over sizes that grow by factors.

use super::scale::{Scale, nice, ticks};
use super::{Frame, labelled, px, svg, text_px};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// Lines over a logarithmic x axis.
#[derive(Debug)]
pub struct Lines<'a> {
    pub label: &'a str,
    /// Name and points, x in increasing order and greater than 0.
    pub series: &'a [(&'a str, Vec<(f64, f64)>)],
    pub x_title: &'a str,
    pub y_title: &'a str,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
/// Colours that are told apart also by the colour-blind (Okabe and Ito).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"];
/// The classes of the charts for a picture that stands alone.
const STYLE: &str = "svg{background:#fff}.grid{stroke:#ddd}.axis{stroke:#777}.tick,.title,.name{font:11px sans-serif;fill:#333}\
                     .end{text-anchor:end}.mid{text-anchor:middle}";

impl Lines<'_> {
    /// Nothing if no point can be drawn.
    pub fn draw(&self) -> Option<Markup> {
        self.body().map(|body| svg(WIDTH, HEIGHT, self.label, &body))
    }

    /// The same as a file of its own.
    pub fn standalone(&self) -> Option<String> {
        let body = self.body()?;
        let picture = html! {
            svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label=(self.label)
                width=(px(WIDTH)) height=(px(HEIGHT)) viewBox={ "0 0 " (px(WIDTH)) " " (px(HEIGHT)) } {
                style { (PreEscaped(STYLE)) }
                (body)
            }
        };
        Some(picture.into_string() + "\n")
    }

    fn body(&self) -> Option<Markup> {
        let fine = |p: &&(f64, f64)| p.0 > 0.0 && p.0.is_finite() && p.1.is_finite();
        let all: Vec<(f64, f64)> = self.series.iter().flat_map(|s| s.1.iter().filter(fine)).copied().collect();
        let range = |f: fn(&(f64, f64)) -> f64| {
            all.iter().map(f).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
        };
        if all.is_empty() {
            return None;
        }
        let (low, high) = range(|p| p.0.log10());
        let domain = nice(range(|p| p.1), 5);
        let y_ticks = labelled(ticks(domain, 5));
        let left = y_ticks.iter().map(|(_, l)| text_px(l)).fold(0.0, f64::max) + 8.0;
        let names = self.series.iter().map(|s| text_px(s.0)).fold(0.0, f64::max) + 14.0;
        let x = Scale::new((low, if high > low { high } else { low + 1.0 }), (left, WIDTH - names));
        let y = Scale::new(domain, (HEIGHT - 38.0, 24.0));
        let x_ticks = (low.ceil() as i32..=high.floor() as i32)
            .map(|e| (f64::from(e), if e < 4 { format!("{:.0}", 10f64.powi(e)) } else { format!("1e{e}") }))
            .collect();
        let frame = Frame { x, y, x_ticks, y_ticks, x_title: self.x_title, y_title: self.y_title };
        // names beside the last points, moved apart where they would overlap
        let mut places: Vec<(usize, f64)> = Vec::new();
        for (s, (_, points)) in self.series.iter().enumerate() {
            if let Some(last) = points.iter().rfind(fine) {
                places.push((s, y.at(last.1)));
            }
        }
        places.sort_by(|a, b| a.1.total_cmp(&b.1));
        for p in 1..places.len() {
            places[p].1 = places[p].1.max(places[p - 1].1 + 13.0);
        }
        let path = |points: &[(f64, f64)]| {
            let mut out = String::new();
            for (i, p) in points.iter().filter(fine).enumerate() {
                let _ = write!(out, "{}{} {}", if i == 0 { "M" } else { "L" }, px(x.at(p.0.log10())), px(y.at(p.1)));
            }
            out
        };
        Some(html! {
            (frame.draw())
            @for (s, (_, points)) in self.series.iter().enumerate() {
                path fill="none" stroke=(COLOURS[s % COLOURS.len()]) stroke-width="2" d=(path(points)) {}
                @for p in points.iter().filter(fine) {
                    circle fill=(COLOURS[s % COLOURS.len()]) cx=(px(x.at(p.0.log10()))) cy=(px(y.at(p.1))) r="2.5" {}
                }
            }
            @for (s, at) in &places {
                text class="name" style={ "fill:" (COLOURS[s % COLOURS.len()]) } x=(px(WIDTH - names + 8.0)) y=(px(at + 4.0)) {
                    (self.series[*s].0)
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wellformed;

    #[test]
    fn every_line_has_its_name_and_the_file_stands_alone() {
        let series = vec![
            ("one & two", vec![(100.0, 55.0), (1000.0, 56.0), (10_000.0, f64::NAN)]),
            ("three", vec![(100.0, 84.0), (1000.0, 86.0), (10_000.0, 87.0)]),
        ];
        let lines = Lines { label: "accuracy", series: &series, x_title: "items", y_title: "right, %" };
        let text = lines.standalone().unwrap();
        wellformed::check(&text).unwrap();
        assert!(text.contains("xmlns") && text.contains("one &amp; two") && text.contains(">three<"), "{text}");
        assert!(text.contains(">100<") && text.contains(">1e4<") && !text.contains("NaN"), "{text}");
        wellformed::check(&lines.draw().unwrap().into_string()).unwrap();
        let none = Lines { series: &[("x", vec![(1.0, f64::NAN)])], ..lines };
        assert!(none.draw().is_none() && none.standalone().is_none());
    }
}
