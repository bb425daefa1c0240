//! New labels into a kept fit, in a small fraction of the time of another fit.
//!
//! What is kept are the posteriors, the expected counts of every annotator and the class shares. New labels change the
//! posteriors of the items that they are about, and the counts by the difference; everything else stays until enough has
//! changed. Then the method itself goes over all labels a few times, beginning where things stand. Between two such passes
//! labels differ from those of another fit on few items in a thousand: the tests say how few.

mod asked;
mod pieces;
mod rule;
mod touched;

pub use asked::Touch;
pub use rule::Rule;

use crowdwise_core::{
    Annotators, AnyMethod, Context, Dataset, Diagnostics, Error, Fit, LabelKind, Names, Provenance, Structure,
    TableBuilder, Truth, find, stats,
};
use crowdwise_methods::METHODS;
use pieces::Pieces;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All labels are gone over once the new ones are more than this share of them…
pub const FULL_AFTER: f64 = 0.01;
/// … or once more than this share of all labels have a probability…
pub const FULL_MOVED: f64 = 0.05;
/// … whose logarithm has moved by more than this.
pub const MOVED: f64 = 0.1;
/// Passes over all labels then.
pub const PASSES: usize = 5;

/// A label to add, by names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewLabel<'a> {
    pub item: &'a str,
    pub annotator: &'a str,
    pub class: &'a str,
}

/// Why all labels were gone over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Many labels are new.
    Many,
    /// Annotators turned out to be others than they seemed.
    Moved,
    /// A class that no label had before: everything was fitted anew.
    NewClass,
    /// Some annotators count as one, and who does may change with every label.
    Copies,
}

/// What adding labels came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Added {
    pub labels: usize,
    pub items: usize,
    pub new_items: usize,
    pub new_annotators: usize,
    /// Labels on these items, old and new: what was looked at.
    pub looked_at: usize,
    pub full: Option<Why>,
}

/// A fit that takes new labels. A clone shares what neither of the two changes.
#[derive(Clone, Debug)]
pub struct Incremental {
    /// All labels up to the last full pass, and those since, by item: (annotator, class).
    data: Arc<Dataset>,
    since: Arc<BTreeMap<u32, Vec<[u32; 2]>>>,
    n_since: usize,
    items: Arc<Names>,
    annotators: Arc<Names>,
    classes: Arc<Names>,
    known: Arc<BTreeMap<u32, u32>>,
    rule: Arc<Rule>,
    ln_prior: Vec<f64>,
    /// Items x classes.
    posterior: Pieces,
    /// Annotators x (label x truth), now and after the last full pass.
    counts: Pieces,
    counts_then: Pieces,
    /// By annotator: expected labels in cells that have moved since then.
    moved: BTreeMap<u32, f64>,
    /// Where the last full pass came from and how it ended.
    provenance: Arc<Provenance>,
    diagnostics: Arc<Diagnostics>,
    copies: bool,
}

impl Incremental {
    /// Keeps a fit of `dawid-skene` or `pooled-dawid-skene` to these data.
    pub fn new(data: Arc<Dataset>, fit: Fit) -> Result<Incremental, Error> {
        let table = &data.table;
        if let Some(what) = beside(&data) {
            return Err(Error::Unsupported {
                what: format!("labels cannot be added to {}, which comes with {what}", data.source),
                hint: Some("fit all labels at once".into()),
            });
        }
        let (k, p) = (table.n_classes(), &fit.provenance);
        let here = (table.n_items(), table.n_annotators(), k, table.n_labels());
        if table.kind() != LabelKind::Categorical || (p.items, p.annotators, p.classes, p.labels) != here {
            return Err(Error::Unsupported {
                what: format!("the fit is not one of {}", data.source),
                hint: Some("fit these labels first".into()),
            });
        }
        let rule = Rule::of(&fit, k)?;
        let thawed = |names: &Names| {
            let mut names = names.clone();
            names.thaw();
            Arc::new(names)
        };
        let classes = thawed(table.categorical().expect("the kind was checked").classes);
        let known = data.gold_classes().into_iter().flatten().enumerate();
        let known = known.filter_map(|(u, c)| Some((u as u32, c?))).collect();
        let mut out = Incremental {
            since: Arc::default(),
            n_since: 0,
            items: thawed(table.items()),
            annotators: thawed(table.annotators()),
            classes,
            known: Arc::new(known),
            rule: Arc::new(rule.clone()),
            ln_prior: Vec::new(),
            posterior: Pieces::new(k, &[]),
            counts: Pieces::new(k * k, &[]),
            counts_then: Pieces::new(k * k, &[]),
            moved: BTreeMap::new(),
            provenance: Arc::new(fit.provenance.clone()),
            diagnostics: Arc::new(fit.diagnostics.clone()),
            copies: false,
            data,
        };
        out.take(fit, rule);
        Ok(out)
    }

    /// Fits a method and keeps the result.
    pub fn fit(data: Arc<Dataset>, method: &dyn AnyMethod, cx: &mut Context<'_>) -> Result<Incremental, Error> {
        let fit = method.fit(&data, cx)?;
        Incremental::new(data, fit)
    }

    /// Adds labels. Items and annotators may be new.
    pub fn add(&mut self, labels: &[NewLabel<'_>], cx: &mut Context<'_>) -> Result<Added, Error> {
        let mut labels = labels.to_vec();
        labels.sort_unstable(); // what is computed must not depend on their order
        if labels.iter().any(|l| self.classes.get(l.class).is_none()) {
            return self.add_classes(&labels, cx);
        }
        let (items, annotators) = (self.items.len(), self.annotators.len());
        let mut rows: Vec<[u32; 3]> = Vec::with_capacity(labels.len());
        for l in &labels {
            let class = self.classes.get(l.class).expect("all classes are known");
            rows.push([number(&mut self.items, l.item), number(&mut self.annotators, l.annotator), class]);
        }
        rows.sort_unstable();
        let prior: Vec<f64> = self.ln_prior.iter().map(|x| x.exp()).collect();
        self.posterior.grow(self.items.len(), &prior);
        let nothing = vec![0.0; self.k() * self.k()];
        self.counts.grow(self.annotators.len(), &nothing);
        self.counts_then.grow(self.annotators.len(), &nothing);
        let mut added = self.touch(&rows);
        added.new_items = self.items.len() - items;
        added.new_annotators = self.annotators.len() - annotators;
        let all = self.n_labels() as f64;
        added.full = if self.copies {
            Some(Why::Copies)
        } else if self.n_since as f64 > FULL_AFTER * all {
            Some(Why::Many)
        } else if self.moved.values().sum::<f64>() > FULL_MOVED * all {
            Some(Why::Moved)
        } else {
            None
        };
        if added.full.is_some() {
            self.refit(Some(PASSES), cx)?;
        }
        Ok(added)
    }

    /// Goes over all labels with the method of the fit, beginning where things stand: so many times, or until it converges.
    pub fn refit(&mut self, passes: Option<usize>, cx: &mut Context<'_>) -> Result<(), Error> {
        let method = self.method(passes)?;
        let data = self.merged();
        let warm = self.to_fit(&data, String::new());
        let fit = cx.starting_from(Some(&warm), |cx| method.fit(&data, cx))?;
        drop(warm);
        let rule = Rule::of(&fit, self.k())?;
        (self.data, self.since, self.n_since) = (data, Arc::default(), 0);
        self.take(fit, rule);
        Ok(())
    }

    /// The class probabilities of an item.
    pub fn posterior(&self, item: usize) -> &[f64] {
        self.posterior.row(item)
    }

    /// The most probable class of an item, the first of those that are tied.
    pub fn label(&self, item: usize) -> usize {
        stats::argmax(self.posterior(item))
    }

    /// Confusion matrix of an annotator, truth x label.
    pub fn confusion(&self, annotator: usize) -> Vec<f64> {
        self.rule.confusion(self.k(), self.counts.row(annotator))
    }

    /// Expected counts of an annotator, label x truth: what [`Rule`] makes probabilities of.
    pub fn counts(&self, annotator: usize) -> &[f64] {
        self.counts.row(annotator)
    }

    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    pub fn class_prior(&self) -> Vec<f64> {
        self.ln_prior.iter().map(|x| x.exp()).collect()
    }

    pub fn items(&self) -> &Names {
        &self.items
    }

    pub fn annotators(&self) -> &Names {
        &self.annotators
    }

    pub fn classes(&self) -> &Names {
        &self.classes
    }

    pub fn n_labels(&self) -> usize {
        self.data.table.n_labels() + self.n_since
    }

    /// Labels since all of them were last gone over.
    pub fn n_since(&self) -> usize {
        self.n_since
    }

    /// All labels, and the fit as it stands: what every question takes. Costs a pass over both.
    pub fn snapshot(&self) -> (Arc<Dataset>, Fit) {
        let data = self.merged();
        let fit = self.to_fit(&data, format!("{:016x}", data.table.digest()));
        (data, fit)
    }

    fn k(&self) -> usize {
        self.classes.len()
    }

    fn method(&self, passes: Option<usize>) -> Result<Box<dyn AnyMethod>, Error> {
        let Value::Object(mut params) = self.provenance.params.clone() else {
            unreachable!("parameters are an object")
        };
        if let Some(n) = passes {
            params.insert("max_iter".into(), n.into());
        }
        let params: Vec<(String, Value)> = params.into_iter().collect();
        find(METHODS, &self.provenance.method)?.with(&params)
    }

    fn merged(&self) -> Arc<Dataset> {
        let table = &self.data.table;
        if self.since.is_empty() && self.items.len() == table.n_items() {
            return self.data.clone();
        }
        let rows = self.since.iter().flat_map(|(&i, rows)| rows.iter().map(move |r| [i, r[0], r[1]]));
        let rows: Vec<[u32; 3]> = rows.collect();
        let frozen = |names: &Names| {
            let mut names = names.clone();
            names.freeze();
            names
        };
        let table = table.with_more_labels(frozen(&self.items), frozen(&self.annotators), &rows);
        Arc::new(self.data.with_table(table))
    }

    fn to_fit(&self, data: &Dataset, digest: String) -> Fit {
        let (k, table) = (self.k(), &data.table);
        let mut diagnostics = (*self.diagnostics).clone();
        if self.n_since > 0 {
            diagnostics.details.insert("labels_since_full_pass".into(), self.n_since.into());
        }
        Fit {
            truth: Truth::Classes { k, posterior: self.posterior.flat() },
            uncalibrated: None,
            annotators: Annotators::Confusion {
                k,
                matrix: (0..self.counts.rows()).flat_map(|j| self.confusion(j)).collect(),
            },
            class_prior: Some(self.class_prior()),
            difficulty: None,
            diagnostics,
            findings: Vec::new(),
            provenance: Provenance {
                items: table.n_items(),
                annotators: table.n_annotators(),
                classes: k,
                labels: table.n_labels(),
                digest,
                ..(*self.provenance).clone()
            },
        }
    }

    /// Everything that is kept, from a fit to `self.data`.
    fn take(&mut self, fit: Fit, rule: Rule) {
        let k = self.k();
        let prior = fit.class_prior.clone().unwrap_or_else(|| vec![1.0 / k as f64; k]);
        self.ln_prior = prior.iter().map(|p| p.max(f64::MIN_POSITIVE).ln()).collect();
        self.copies = fit.diagnostics.details.contains_key("one_voice");
        self.posterior = Pieces::new(k, fit.model_posterior().map_or(&[], |(_, q)| q));
        self.counts = Pieces::new(k * k, &touched::count(&self.data.table, &self.posterior, &self.known, rule.from));
        self.counts_then = self.counts.clone();
        self.moved.clear();
        self.rule = Arc::new(rule);
        let before = &self.provenance.params;
        // a fit of a few passes is still one of the method as it was asked for
        let params = if before.is_object() { before.clone() } else { fit.provenance.params.clone() };
        self.provenance = Arc::new(Provenance { params, ..fit.provenance });
        self.diagnostics = Arc::new(fit.diagnostics);
    }

    /// A class that is new changes the size of everything.
    fn add_classes(&mut self, labels: &[NewLabel<'_>], cx: &mut Context<'_>) -> Result<Added, Error> {
        let old = self.merged();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let view = old.table.categorical().expect("classes");
        (b.items, b.annotators) = ((*self.items).clone(), (*self.annotators).clone());
        (b.classes, b.ordered) = (view.classes.clone(), view.ordered);
        b.reserve(old.table.n_labels() + labels.len());
        for u in 0..old.table.n_units() {
            for r in old.table.rows(u) {
                b.label_codes(u as u32, old.table.annotator()[r], view.codes.get(r) as u32)?;
            }
        }
        for l in labels {
            b.label(l.item, l.annotator, l.class)?;
        }
        let (items, annotators) = (b.items.len() - self.items.len(), b.annotators.len() - self.annotators.len());
        let table = b.finish()?;
        let mut data = Dataset::new(table);
        data.source.clone_from(&old.source);
        data.gold = old.gold.as_ref().map(|g| renamed(g, view.classes, &data));
        let method = self.method(None)?;
        *self = Incremental::fit(Arc::new(data), &*method, cx)?;
        let mut touched: Vec<&str> = labels.iter().map(|l| l.item).collect();
        touched.dedup();
        Ok(Added {
            labels: labels.len(),
            items: touched.len(),
            new_items: items,
            new_annotators: annotators,
            looked_at: self.n_labels(),
            full: Some(Why::NewClass),
        })
    }
}

/// The number of a name. Names that others share are copied only when one is new.
fn number(names: &mut Arc<Names>, name: &str) -> u32 {
    match names.get(name) {
        Some(n) => n,
        None => Arc::make_mut(names).intern(name),
    }
}

/// Gold with the numbers that its classes have in `data`.
fn renamed(gold: &crowdwise_core::Gold, classes: &Names, data: &Dataset) -> crowdwise_core::Gold {
    use crowdwise_core::GoldValues::Classes;
    let mut here = data.table.categorical().expect("classes").classes.clone();
    here.thaw();
    let new = |values: &crowdwise_core::GoldValues| match values {
        Classes(v) => {
            Classes(v.iter().map(|&(u, c)| (u, here.get(classes.name(c as usize)).expect("classes stay"))).collect())
        }
        other => other.clone(),
    };
    crowdwise_core::Gold {
        values: new(&gold.values),
        unlabelled: new(&gold.unlabelled),
        extra_classes: gold.extra_classes.clone(),
    }
}

/// What comes beside the labels and would not fit to more of them.
fn beside(data: &Dataset) -> Option<&'static str> {
    match data.structure {
        Structure::Independent => {}
        Structure::Chains { .. } => return Some("sequences"),
        Structure::Graph(_) => return Some("links between items"),
        Structure::Rankings(_) => return Some("rankings"),
    }
    if data.probabilities.is_some() {
        return Some("probabilities of a classifier");
    }
    data.features.as_ref().map(|_| "features")
}
