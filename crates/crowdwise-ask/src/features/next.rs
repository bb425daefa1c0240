//! The next questions about items with features, from the answers that there are.

use super::choose::{Choice, Free, Question, Strategy, Why, choose};
use super::learner::{Cold, Dalc, Known, Learner};
use crowdwise_core::{Context, Dataset, Error, Features, stats, stream};
use crowdwise_learn::expert::Dlc;
use crowdwise_learn::{AnyLearner, Labels};

/// What is wanted of [`next`].
pub struct Wanted<'a> {
    pub strategy: Strategy,
    /// Number of questions.
    pub questions: usize,
    /// Share of the items whose annotator is drawn all the same.
    pub explore: f64,
    /// What learns; none = DLC as it comes.
    pub learner: Option<Box<dyn AnyLearner>>,
    /// Whether a pair of item and annotator may be asked: somebody who is away, an item that is done, a question that is out.
    /// Pairs that have an answer are never asked again.
    pub allowed: &'a dyn Fn(usize, usize) -> bool,
    /// Batches that were asked before: each draws random numbers of its own.
    pub batch: u64,
}

impl std::fmt::Debug for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wanted").field("strategy", &self.strategy).field("questions", &self.questions).finish()
    }
}

/// The next questions, the most wanted first, with what is known of their items.
#[derive(Clone, Debug)]
pub struct Next {
    pub questions: Vec<Question>,
    pub known: Known,
    classes: Vec<String>,
}

impl Next {
    /// Why a question is asked, in words.
    pub fn reason(&self, q: &Question) -> String {
        let (by_classifier, by_both) = (self.known.by_classifier(q.item as usize), self.known.by_both(q.item as usize));
        let odds = |row: &[f64]| {
            let mut order: Vec<usize> = (0..row.len()).collect();
            order.sort_by(|a, b| row[*b].total_cmp(&row[*a]));
            let one = |c: &usize| format!("{} {:.2}", self.classes[*c], row[*c]);
            order.iter().take(2).map(one).collect::<Vec<_>>().join(", ")
        };
        let open = if stats::entropy_bits(by_both) + 0.05 < stats::entropy_bits(by_classifier) {
            format!("the classifier alone says {}, with its labels {}", odds(by_classifier), odds(by_both))
        } else {
            format!("open: {}", odds(by_both))
        };
        let knows = format!("right on such items with {:.2}", q.right);
        match q.why {
            Why::Random => "item and annotator at random".into(),
            Why::Item => format!("{open}; annotator at random"),
            Why::Annotator => format!("item at random; {knows}"),
            Why::Both => format!("{open}; {knows}"),
            Why::Explore => format!("{open}; annotator at random, to know who else is good"),
        }
    }
}

/// Pairs that have no answer yet and are allowed.
struct Open<'a> {
    labels: &'a Labels,
    allowed: &'a dyn Fn(usize, usize) -> bool,
}

impl Free for Open<'_> {
    fn of(&self, item: usize) -> Vec<u32> {
        let answered: Vec<usize> = self.labels.of(item).map(|(j, _)| j).collect();
        let free = |j: &usize| !answered.contains(j) && (self.allowed)(item, *j);
        (0..self.labels.m).filter(free).map(|j| j as u32).collect()
    }
}

/// Learns from the answers of `data`, which has features, and chooses questions. Items of the table without labels take part.
/// Gold counts as known. Nobody left to ask, or fewer questions than wanted, is no error.
pub fn next(data: &Dataset, wanted: Wanted<'_>, cx: &mut Context<'_>) -> Result<Next, Error> {
    let classes = data.table.categorical().ok_or_else(|| Error::Unsupported {
        what: format!(
            "questions by features need answers that are classes, but {} has {} ones",
            data.source,
            data.table.kind()
        ),
        hint: None,
    })?;
    let classes: Vec<String> = classes.classes.iter().map(Into::into).collect();
    let features: &Features = data.features.as_ref().ok_or_else(|| Error::Unsupported {
        what: format!("the strategy `{}` needs features of the items", wanted.strategy.name()),
        hint: Some("⟦--features FILE⟧, or a strategy that needs none, such as ⟦gain⟧ without features".into()),
    })?;
    let labels = Labels::new(data);
    if labels.is_empty() {
        return Err(Error::NoData {
            file: data.source.clone(),
            what: "has no labels to learn from".into(),
            hint: Some("begin with a label each of 5 to 10 % of the items".into()),
        });
    }
    let (k, m) = (labels.k, labels.m);
    let mut learner: Box<dyn Learner> = if let Some(learner) = wanted.learner {
        Box::new(Cold::new(learner, features.clone(), k, m))
    } else {
        let dlc = Dlc::default();
        let epochs = dlc.training.epochs;
        Box::new(Dalc::new(&dlc, features, k, m, (epochs, epochs), cx.seed)?)
    };
    learner.refit(&labels, cx)?;
    let known = learner.known(&labels, cx)?;
    let choice = Choice { strategy: wanted.strategy, want: wanted.questions, explore: wanted.explore };
    let open = Open { labels: &labels, allowed: wanted.allowed };
    let mut rng = stream(cx.seed, "questions", wanted.batch);
    let questions = choose(&choice, &*learner, &known, &labels, &open, &mut rng)?;
    Ok(Next { questions, known, classes })
}
