//! Reliability diagram: how often the answer was right, by how sure the fit was.

use super::scale::{Scale, ticks};
use super::{Frame, labelled, px, svg};
use crowdwise_core::questions::ReliabilityBin;
use maud::{Markup, html};

#[derive(Debug)]
pub struct Reliability<'a> {
    pub label: &'a str,
    pub points: &'a [ReliabilityBin],
}

const SIZE: f64 = 320.0;

impl Reliability<'_> {
    pub fn draw(&self) -> Markup {
        let x = Scale::new((0.0, 1.0), (32.0, SIZE - 10.0));
        let y = Scale::new((0.0, 1.0), (SIZE - 38.0, 24.0));
        let frame = Frame {
            x,
            y,
            x_ticks: labelled(ticks((0.0, 1.0), 5)),
            y_ticks: labelled(ticks((0.0, 1.0), 5)),
            x_title: "probability that the fit gave",
            y_title: "share that was right",
        };
        let most = self.points.iter().map(|p| p.n).max().unwrap_or(1).max(1) as f64;
        svg(
            SIZE,
            SIZE,
            self.label,
            &html! {
                (frame.draw())
                line class="ideal" x1=(px(x.at(0.0))) y1=(px(y.at(0.0))) x2=(px(x.at(1.0))) y2=(px(y.at(1.0))) {}
                @for p in self.points.iter().filter(|p| p.n > 0) {
                    @let (cx, cy) = (px(x.at(p.confidence)), px(y.at(p.accuracy)));
                    line class="whisker" x1=(cx) x2=(cx) y1=(px(y.at(p.interval[0]))) y2=(px(y.at(p.interval[1]))) {}
                    circle class="dot" cx=(cx) cy=(cy) r=(px(2.5 + 5.5 * (p.n as f64 / most).sqrt())) {}
                }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wellformed;

    #[test]
    fn points_stand_where_they_belong_and_empty_bins_are_left_out() {
        let points = [
            ReliabilityBin { confidence: 1.0, accuracy: 1.0, interval: [0.9, 1.0], n: 40 },
            ReliabilityBin { confidence: 0.55, accuracy: 0.0, interval: [0.0, 0.3], n: 0 },
        ];
        let text = Reliability { label: "calibration", points: &points }.draw().into_string();
        wellformed::check(&text).unwrap();
        assert_eq!(text.matches("<circle").count(), 1);
        assert!(text.contains(r#"cx="310" cy="24" r="8""#), "{text}");
    }
}
