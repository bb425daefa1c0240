//! Charts that fit into a table cell: a dot with its interval, and a pair of bars. The numbers stand in the cells beside
//! them, so they are hidden from readers of the page's text.

use super::scale::{Scale, ticks};
use super::{labelled, px};
use maud::{Markup, html};

const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 16.0;
const MARGIN: f64 = 6.0;

fn scale(domain: (f64, f64)) -> Scale {
    Scale::new(domain, (MARGIN, WIDTH - MARGIN))
}

/// A dot with its interval on a domain that the whole column shares.
#[derive(Clone, Copy, Debug)]
pub struct Whisker {
    pub domain: (f64, f64),
    pub value: f64,
    pub interval: Option<[f64; 2]>,
    /// A line to compare with: chance, zero.
    pub reference: Option<f64>,
}

impl Whisker {
    pub fn draw(&self) -> Markup {
        let x = scale(self.domain);
        let mid = px(HEIGHT / 2.0);
        html! {
            svg class="cell" aria-hidden="true" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
                line class="grid" x1=(px(MARGIN)) x2=(px(WIDTH - MARGIN)) y1=(mid) y2=(mid) {}
                @if let Some(r) = self.reference {
                    line class="ideal" x1=(px(x.at(r))) x2=(px(x.at(r))) y1="0" y2=(px(HEIGHT)) {}
                }
                @if let Some([a, b]) = self.interval.filter(|i| i.iter().all(|v| v.is_finite())) {
                    line class="whisker" x1=(px(x.at(a))) x2=(px(x.at(b))) y1=(mid) y2=(mid) {}
                }
                @if self.value.is_finite() {
                    circle class="dot" cx=(px(x.at(self.value))) cy=(mid) r="3.5" {}
                }
            }
        }
    }
}

/// The axis above a column of whiskers.
pub fn axis(domain: (f64, f64)) -> Markup {
    let x = scale(domain);
    html! {
        svg class="cell" aria-hidden="true" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
            @for (t, label) in labelled(ticks(domain, 2)) {
                // labels at the ends would be cut if they stood in the middle of their tick
                @let anchor = if x.at(t) < 16.0 { "tick" } else if x.at(t) > WIDTH - 16.0 { "tick end" } else { "tick mid" };
                @let at = if anchor == "tick" { x.at(t) - 4.0 } else if anchor == "tick end" { x.at(t) + 4.0 } else { x.at(t) };
                text class=(anchor) x=(px(at)) y="11" { (label) }
                line class="axis" x1=(px(x.at(t))) x2=(px(x.at(t))) y1="13" y2="16" {}
            }
        }
    }
}

/// Two shares to compare, as bars one above the other.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub first: f64,
    pub second: f64,
    /// Share that fills the width.
    pub most: f64,
}

pub fn pair_bar(pair: Pair) -> Markup {
    let x = Scale::new((0.0, pair.most.max(1e-12)), (0.0, WIDTH));
    html! {
        svg class="cell" aria-hidden="true" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
            rect class="bar2" x="0" y="1" width=(px(x.at(pair.first))) height="6" {}
            rect class="bar" x="0" y="9" width=(px(x.at(pair.second))) height="6" {}
        }
    }
}

/// One amount as a bar; `most` fills the width.
pub fn bar(value: f64, most: f64) -> Markup {
    let x = Scale::new((0.0, most.max(1e-12)), (0.0, WIDTH));
    html! {
        svg class="cell" aria-hidden="true" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
            rect class="bar" x="0" y="3" width=(px(x.at(value))) height="10" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wellformed;

    #[test]
    fn a_whisker_shows_what_is_known() {
        let w = Whisker { domain: (0.0, 1.0), value: 0.5, interval: Some([0.0, 1.0]), reference: Some(0.25) };
        let text = w.draw().into_string();
        wellformed::check(&text).unwrap();
        assert!(text.contains(r#"class="whisker" x1="6" x2="144""#) && text.contains(r#"cx="75""#), "{text}");
        let unknown = Whisker { value: f64::NAN, interval: Some([f64::NAN, 1.0]), reference: None, ..w };
        let text = unknown.draw().into_string();
        assert!(!text.contains("circle") && !text.contains("whisker"), "{text}");
    }

    #[test]
    fn axis_and_bars_are_well_formed() {
        wellformed::check(&axis((0.0, 1.0)).into_string()).unwrap();
        wellformed::check(&axis((-2.5, 3.0)).into_string()).unwrap();
        let text = pair_bar(Pair { first: 0.2, second: 0.4, most: 0.4 }).into_string();
        assert!(text.contains(r#"width="75""#) && text.contains(r#"width="150""#), "{text}");
        wellformed::check(&pair_bar(Pair { first: 0.0, second: 0.0, most: 0.0 }).into_string()).unwrap();
    }
}
