//! Progress of a fit: a bar for people, JSON lines for programs.

use clap::ValueEnum;
use crowdwise::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// A bar, also where standard error is not a terminal
    Bar,
    /// One JSON object a line on standard error
    Json,
    None,
}

/// Short work needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// Draws the events of one fit.
#[derive(Debug)]
pub struct Progress {
    style: Style,
    started: Instant,
    bar: Option<ProgressBar>,
    rate: Rate,
    prefix: String,
}

impl Progress {
    /// `asked`: what the user wants; otherwise a bar on a terminal and nothing elsewhere.
    pub fn new(asked: Option<Style>, quiet: bool, prefix: &str) -> Self {
        let style = match asked {
            Some(style) => style,
            None if !quiet && std::io::stderr().is_terminal() => Style::Bar,
            None => Style::None,
        };
        Progress { style, started: Instant::now(), bar: None, rate: Rate::default(), prefix: prefix.into() }
    }

    pub fn event(&mut self, event: &Event) {
        match self.style {
            Style::None => {}
            Style::Json => self.json(event),
            Style::Bar => self.draw(event),
        }
    }

    fn json(&self, event: &Event) {
        let seconds = self.started.elapsed().as_secs_f64();
        let line = match event {
            Event::Iteration { iteration, max_iter, objective, change, tol } => json!({
                "event": "iteration", "method": self.prefix, "iteration": iteration, "max_iter": max_iter,
                "objective": objective, "change": change, "tol": tol, "seconds": seconds,
            }),
            Event::Epoch { epoch, epochs, loss, held_out } => json!({
                "event": "epoch", "method": self.prefix, "epoch": epoch, "epochs": epochs, "loss": loss,
                "held_out": held_out, "seconds": seconds, "seconds_left": seconds / *epoch as f64 * (epochs - epoch) as f64,
            }),
            Event::Stage { name } => {
                json!({"event": "stage", "method": self.prefix, "name": name, "seconds": seconds})
            }
            _ => return,
        };
        let _ = writeln!(std::io::stderr(), "{line}");
    }

    fn draw(&mut self, event: &Event) {
        if let Event::Epoch { epoch, .. } = event {
            // epochs are counted, not predicted: a change of 0 predicts nothing
            self.rate.see(*epoch, 0.0, 0.0, self.started.elapsed());
        }
        if let Event::Iteration { iteration, change, tol, .. } = event {
            self.rate.see(*iteration, *change, *tol, self.started.elapsed());
        }
        if self.started.elapsed() < PATIENCE {
            return;
        }
        let prefix = &self.prefix;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{prefix} {bar:16} {wide_msg}").expect("the template is constant");
            bar.set_style(style);
            bar.set_prefix(prefix.clone());
            bar
        });
        match event {
            Event::Iteration { iteration, max_iter, objective, change, .. } => {
                let expected = self.rate.expected(*iteration, *max_iter);
                bar.set_length(expected as u64);
                bar.set_position(*iteration as u64);
                let objective = objective.map(|o| format!(" · objective {o:.6}")).unwrap_or_default();
                let left = self.rate.left(*iteration, *max_iter);
                bar.set_message(format!("iteration {iteration} · {left} left{objective} · change {change:.2e}"));
            }
            Event::Epoch { epoch, epochs, loss, held_out } => {
                bar.set_length(*epochs as u64);
                bar.set_position(*epoch as u64);
                let held = held_out.map(|h| format!(" · held-out {h:.4}")).unwrap_or_default();
                let left = self.rate.left(*epoch, *epochs);
                bar.set_message(format!("epoch {epoch} of {epochs} · {left} left · loss {loss:.4}{held}"));
            }
            Event::Stage { name } => {
                self.rate = Rate::default();
                bar.set_message(name.clone());
            }
            _ => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Guesses how many iterations remain from the rate at which the change shrinks.
#[derive(Debug, Default)]
struct Rate {
    first: Option<(usize, f64)>,
    per_iteration: f64,
    predicted: Option<f64>,
}

impl Rate {
    fn see(&mut self, iteration: usize, change: f64, tol: f64, elapsed: Duration) {
        self.per_iteration = elapsed.as_secs_f64() / iteration.max(1) as f64;
        let Some((n0, c0)) = self.first else {
            if change > 0.0 {
                self.first = Some((iteration, change));
            }
            return;
        };
        // changes of an EM fit shrink geometrically: ln(change) falls on a line
        let slope = (change.ln() - c0.ln()) / (iteration - n0).max(1) as f64;
        self.predicted =
            (slope < 0.0 && tol > 0.0).then(|| iteration as f64 + ((tol.ln() - change.ln()) / slope).max(0.0));
    }

    fn expected(&self, iteration: usize, max_iter: usize) -> usize {
        let guess = self.predicted.map_or(max_iter, |p| p.ceil().min(1e15) as usize);
        guess.clamp(iteration, max_iter.max(iteration))
    }

    fn left(&self, iteration: usize, max_iter: usize) -> String {
        let seconds = self.per_iteration * (self.expected(iteration, max_iter) - iteration) as f64;
        match seconds {
            s if s < 1.0 => "<1 s".into(),
            s if s < 120.0 => format!("{s:.0} s"),
            s if s < 7200.0 => format!("{:.0} min", s / 60.0),
            s => format!("{:.1} h", s / 3600.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometric_decay_predicts_its_end() {
        let mut rate = Rate::default();
        for n in 1..=4 {
            rate.see(n, 0.1f64.powi(n as i32), 1e-10, Duration::from_secs(n as u64));
        }
        assert_eq!(rate.expected(4, 1000), 10);
        assert_eq!(rate.left(4, 1000), "6 s");
        // never more than allowed, never less than done
        assert_eq!((rate.expected(4, 7), rate.expected(12, 1000)), (7, 12));
    }
}
