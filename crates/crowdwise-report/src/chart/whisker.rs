//! Charts that fit into a table cell: a dot with its interval, and a pair of bars. The numbers stand in the cells beside
//! them, so they are hidden from readers of the page's text.

use super::scale::{Scale, ticks};
use super::{labelled, px};
use maud::{Markup, html};

/// Width of a chart in a cell; rankings use [`WIDE`].
pub const NARROW: f64 = 150.0;
/// Width where the chart is the point of the table.
pub const WIDE: f64 = 340.0;
const HEIGHT: f64 = 16.0;
const MARGIN: f64 = 6.0;

/// A column of dots with intervals: what all its cells share.
#[derive(Clone, Copy, Debug)]
pub struct Whiskers {
    pub width: f64,
    pub domain: (f64, f64),
    /// A line to compare with: chance, zero.
    pub reference: Option<f64>,
}

impl Whiskers {
    fn scale(&self) -> Scale {
        Scale::new(self.domain, (MARGIN, self.width - MARGIN))
    }

    /// One cell.
    pub fn cell(&self, value: f64, interval: Option<[f64; 2]>) -> Markup {
        let x = self.scale();
        let mid = px(HEIGHT / 2.0);
        cell(
            self.width,
            &html! {
                line class="grid" x1=(px(MARGIN)) x2=(px(self.width - MARGIN)) y1=(mid) y2=(mid) {}
                @if let Some(r) = self.reference {
                    line class="ideal" x1=(px(x.at(r))) x2=(px(x.at(r))) y1="0" y2=(px(HEIGHT)) {}
                }
                @if let Some([a, b]) = interval.filter(|i| i.iter().all(|v| !v.is_nan())) {
                    line class="whisker" x1=(px(x.end(a))) x2=(px(x.end(b))) y1=(mid) y2=(mid) {}
                }
                @if value.is_finite() {
                    circle class="dot" cx=(px(x.at(value))) cy=(mid) r="3.5" {}
                }
            },
        )
    }

    /// The axis above the column.
    pub fn axis(&self) -> Markup {
        let x = self.scale();
        cell(
            self.width,
            &html! {
                @for (t, label) in labelled(ticks(self.domain, 4)) {
                    // labels at the ends would be cut if they stood in the middle of their tick
                    @let (anchor, at) = match x.at(t) {
                        at if at < 16.0 => ("tick", at - 4.0),
                        at if at > self.width - 16.0 => ("tick end", at + 4.0),
                        at => ("tick mid", at),
                    };
                    text class=(anchor) x=(px(at)) y="11" { (label) }
                    line class="axis" x1=(px(x.at(t))) x2=(px(x.at(t))) y1="13" y2="16" {}
                }
            },
        )
    }
}

fn cell(width: f64, body: &Markup) -> Markup {
    let class = if width > NARROW { "cell long" } else { "cell" };
    html! { svg class=(class) aria-hidden="true" viewBox={ "0 0 " (width) " " (HEIGHT) } { (body) } }
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
    let x = Scale::new((0.0, pair.most.max(1e-12)), (0.0, NARROW));
    cell(
        NARROW,
        &html! {
            rect class="bar2" x="0" y="1" width=(px(x.at(pair.first))) height="6" {}
            rect class="bar" x="0" y="9" width=(px(x.at(pair.second))) height="6" {}
        },
    )
}

/// One amount as a bar; `most` fills the width.
pub fn bar(value: f64, most: f64) -> Markup {
    let x = Scale::new((0.0, most.max(1e-12)), (0.0, NARROW));
    cell(NARROW, &html! { rect class="bar" x="0" y="3" width=(px(x.at(value))) height="10" {} })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wellformed;

    const SHARES: Whiskers = Whiskers { width: NARROW, domain: (0.0, 1.0), reference: Some(0.25) };

    #[test]
    fn a_whisker_shows_what_is_known() {
        let text = SHARES.cell(0.5, Some([0.0, 1.0])).into_string();
        wellformed::check(&text).unwrap();
        assert!(text.contains(r#"class="whisker" x1="6" x2="144""#) && text.contains(r#"cx="75""#), "{text}");
        let text = SHARES.cell(f64::NAN, Some([f64::NAN, 1.0])).into_string();
        assert!(!text.contains("circle") && !text.contains("whisker"), "{text}");
    }

    #[test]
    fn an_endless_interval_reaches_the_edge() {
        let scores = Whiskers { width: WIDE, domain: (-2.0, 2.0), reference: Some(0.0) };
        let text = scores.cell(1.0, Some([0.0, f64::INFINITY])).into_string();
        assert!(text.contains(r#"x1="170" x2="334""#), "{text}");
    }

    #[test]
    fn axis_and_bars_are_well_formed() {
        wellformed::check(&SHARES.axis().into_string()).unwrap();
        let scores = Whiskers { width: WIDE, domain: (-2.5, 3.0), reference: None }.axis().into_string();
        wellformed::check(&scores).unwrap();
        assert!(scores.contains(">−2<") && scores.contains(">0<") && scores.contains(">2<"), "{scores}");
        let text = pair_bar(Pair { first: 0.2, second: 0.4, most: 0.4 }).into_string();
        assert!(text.contains(r#"width="75""#) && text.contains(r#"width="150""#), "{text}");
        wellformed::check(&pair_bar(Pair { first: 0.0, second: 0.0, most: 0.0 }).into_string()).unwrap();
        assert!(bar(1.0, 2.0).into_string().contains(r#"width="75""#));
    }
}
