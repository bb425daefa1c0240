//! Small charts as SVG. They know plain numbers and names only; colours come from the page's style sheet, so one
//! chart serves light, dark and paper.

mod heat;
mod histogram;
mod line;
mod lines;
mod reliability;
pub mod scale;
mod scatter;
mod whisker;

pub use heat::{Heat, Tone};
pub use histogram::{Bins, Histogram};
pub use line::{Line, YScale};
pub use lines::Lines;
pub use reliability::Reliability;
pub use scatter::Scatter;
pub use whisker::{NARROW, Pair, WIDE, Whiskers, bar, pair_bar};

use maud::{Markup, html};
use scale::Scale;

/// A coordinate with one decimal, none where it is whole: keeps files small.
pub(crate) fn px(x: f64) -> String {
    let text = format!("{x:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".into() } else { text.to_owned() }
}

/// Pixels that a text of the charts' small size takes, estimated.
pub(crate) fn text_px(text: &str) -> f64 {
    text.chars().map(|c| [0.0, 7.0, 11.5][crate::table::char_width(c)]).sum()
}

/// The outer element: scales down on narrow screens, never up.
pub(crate) fn svg(width: f64, height: f64, label: &str, body: &Markup) -> Markup {
    html! {
        svg role="img" aria-label=(label) viewBox={ "0 0 " (px(width)) " " (px(height)) }
            style={ "width:" (px(width)) "px" } {
            (body)
        }
    }
}

/// The plot area with both axes: grid lines and labels at the ticks, titles.
pub(crate) struct Frame<'a> {
    pub x: Scale,
    pub y: Scale,
    pub x_ticks: Vec<(f64, String)>,
    pub y_ticks: Vec<(f64, String)>,
    pub x_title: &'a str,
    pub y_title: &'a str,
}

impl Frame<'_> {
    pub fn draw(&self) -> Markup {
        let ((left, right), (bottom, top)) = (self.x.pixels, self.y.pixels);
        html! {
            @for (t, label) in &self.y_ticks {
                @let y = px(self.y.at(*t));
                line class="grid" x1=(px(left)) x2=(px(right)) y1=(y) y2=(y) {}
                text class="tick end" x=(px(left - 6.0)) y=(px(self.y.at(*t) + 3.5)) { (label) }
            }
            line class="axis" x1=(px(left)) x2=(px(right)) y1=(px(bottom)) y2=(px(bottom)) {}
            @for (t, label) in &self.x_ticks {
                @let x = px(self.x.at(*t));
                line class="axis" x1=(x) x2=(x) y1=(px(bottom)) y2=(px(bottom + 4.0)) {}
                text class="tick mid" x=(x) y=(px(bottom + 16.0)) { (label) }
            }
            text class="title end" x=(px(right)) y=(px(bottom + 32.0)) { (self.x_title) }
            text class="title" x="0" y=(px(top - 10.0)) { (self.y_title) }
        }
    }
}

pub(crate) fn labelled(ticks: Vec<f64>) -> Vec<(f64, String)> {
    let labels = scale::tick_labels(&ticks);
    ticks.into_iter().zip(labels).collect()
}
