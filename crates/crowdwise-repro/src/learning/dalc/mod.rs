//! Active learning from crowds (Yang et al. 2018): every table and figure of the paper in its stand-in.

mod curves;
mod pools;
mod tables;

use super::trials::Trials;
use super::{Part, write};
use clap::ValueEnum;
use crowdwise::Error;
use crowdwise::ask::features::Strategy;
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::talk::Talk;

/// Runs of everything unless told otherwise.
const SEEDS: u64 = 3;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro dalc -o DALC.md
  crowdwise repro dalc --sets low-rank --strategies rd,dalc --seeds 10
",
    after_help = "Exit code 1 if a claim is missed."
)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    pub common: super::Args,
    /// Sets of figure 5 [default: all but low-rank-wide]
    #[arg(long, value_enum, value_name = "A,B,…", value_delimiter = ',')]
    pub sets: Vec<Set>,
    /// What is asked in figure 5: rd, ac, ad, dalc, dalc-q, gain, bald, activelab [default: the first six]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', value_parser = strategy)]
    pub strategies: Vec<Strategy>,
    /// Leave out the tables and the figures 2 to 4
    #[arg(long)]
    pub curves_only: bool,
}

fn strategy(name: &str) -> Result<Strategy, String> {
    let all = Strategy::ALL;
    let names = || all.map(Strategy::name).join(", ");
    all.into_iter().find(|s| s.name() == name).ok_or_else(|| format!("there are {}", names()))
}

/// A set of figure 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Set {
    /// The generator of the paper, labels right with probability η
    LowRank,
    /// The same, annotators twice as different
    LowRankWide,
    /// Digits 0 to 4 against 5 to 9, 600 simulated annotators
    Mnist,
    /// LabelMe, recorded labels
    Labelme,
    /// Music, recorded labels
    Music,
}

impl Set {
    fn name(self) -> &'static str {
        match self {
            Set::LowRank => "low-rank",
            Set::LowRankWide => "low-rank-wide",
            Set::Mnist => "mnist",
            Set::Labelme => "labelme",
            Set::Music => "music",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Set::LowRank => "annotators of low rank",
            Set::LowRankWide => "annotators of low rank, twice as different",
            Set::Mnist => "digits and 600 annotators",
            Set::Labelme => "LabelMe replayed",
            Set::Music => "Music replayed",
        }
    }
}

impl Args {
    fn sets(&self) -> Vec<Set> {
        if self.sets.is_empty() {
            let all = [Set::LowRank, Set::Mnist, Set::Labelme, Set::Music];
            return if self.common.quick { vec![Set::LowRank] } else { all.to_vec() };
        }
        self.sets.clone()
    }

    fn strategies(&self) -> Vec<Strategy> {
        let usual = [Strategy::Rd, Strategy::Ac, Strategy::Ad, Strategy::Dalc, Strategy::DalcQ, Strategy::Gain];
        let mut all = if self.strategies.is_empty() { usual.to_vec() } else { self.strategies.clone() };
        if !all.contains(&Strategy::Rd) {
            all.insert(0, Strategy::Rd); // what all others are compared with
        }
        all
    }
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    type Make<'a> = &'a dyn Fn(&super::Args, &mut Trials<'_>) -> Result<Part, Error>;
    let tables: Make<'_> = &|_, trials| tables::synthetic(args, trials);
    let digits: Make<'_> = &|_, trials| tables::digits(args, trials);
    let curves: Make<'_> = &|_, trials| curves::part(args, trials);
    let parts = if args.curves_only { vec![curves] } else { vec![tables, digits, curves] };
    write("Active learning from crowds (DALC)", &parts, &args.common, talk)
}
