//! An inspection as people read it.

use crate::fitting::severity_word;
use crate::talk::counted;
use crowdwise::questions::{Agreement, Identifiability, Inspection, Panel, Spread, is_sets, split_unit};
use crowdwise::report::{Align, TextTable, printable, printable_lines, subject_text};
use crowdwise::{Dataset, Finding, LabelKind, Names, Structure, Units, group};
use std::fmt::Write;

/// Most classes and most pairs that are shown.
const MOST_ROWS: usize = 12;

pub fn text(i: &Inspection, data: &Dataset, width: Option<usize>) -> String {
    let mut out = String::new();
    overview(&mut out, i, data, width);
    classes(&mut out, i, data, width);
    other_kinds(&mut out, i, width);
    agreement(&mut out, &i.agreement, i.panel.as_ref(), data, width);
    limits(&mut out, i, data, width);
    findings(&mut out, &i.findings);
    printable_lines(&out)
}

fn head(out: &mut String, title: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{title}");
}

fn pairs(rows: &[(&str, String)], width: Option<usize>) -> String {
    let mut table = TextTable::new([("", Align::Left), ("", Align::Left)]).without_header().indented(2);
    for (name, value) in rows {
        table.row([*name, value]);
    }
    table.render(width)
}

/// What is judged, in words: one, many.
fn unit_words(data: &Dataset) -> [&'static str; 2] {
    match (data.table.units(), &data.structure) {
        (Units::Pairs(_), _) => ["pair", "pairs"],
        (_, Structure::Chains { .. }) => ["token", "tokens"],
        _ if is_sets(data) => ["class of an item", "classes of items"],
        _ => ["item", "items"],
    }
}

fn is_pairs(data: &Dataset) -> bool {
    matches!(data.table.units(), Units::Pairs(_))
}

fn overview(out: &mut String, i: &Inspection, data: &Dataset, width: Option<usize>) {
    let n = |x: usize| group(x as u64);
    head(out, &format!("{}: {} labels", data.source, i.kind));
    let tokens = matches!(data.structure, Structure::Chains { .. });
    let mut rows = Vec::new();
    if let Some(sets) = Sets::of(data) {
        rows.push(("items", n(sets.items)));
        rows.push(("classes of the sets", n(sets.said.len())));
        rows.push(("classes in an answer", format!("{:.1} on average", sets.mean())));
        rows.push(("classes of items", n(i.items)));
    } else {
        rows.push((if tokens { "tokens" } else { "items" }, n(i.items)));
    }
    if let Structure::Graph(edges) = &data.structure {
        rows.push(("pairs of neighbours", n(edges.len())));
    }
    if let Some(r) = &i.rankings {
        rows.push(("rankings", format!("{}, of {} items", n(r.count), spread(&r.length))));
        if r.partial > 0 {
            rows.push(("only their top", counted(r.partial as u64, "ranking", "rankings")));
        }
    } else if i.units != i.items || i.kind == LabelKind::Preference {
        rows.push(("pairs as shown", n(i.units)));
    }
    rows.push(("annotators", n(i.annotators)));
    rows.push((if i.rankings.is_some() { "comparisons in them" } else { "labels" }, n(i.labels)));
    if i.classes > 0 && !is_sets(data) {
        rows.push(("classes", n(i.classes)));
    }
    if let Some(c) = &i.chains {
        rows.push(("sequences", format!("{}, of {} tokens", n(c.count), spread(&c.length))));
        if let Some((f1, s)) = c.spans.as_ref().and_then(|s| Some((s.f1?, s))) {
            rows.push(("span agreement", format!("F1 {f1:.2} between annotators ({} spans marked)", group(s.spans))));
        }
    }
    let unit = match (&data.structure, is_pairs(data)) {
        (Structure::Chains { .. }, _) => "labels per token",
        (_, true) => "labels per pair",
        _ if is_sets(data) => "labels of each",
        _ => "labels per item",
    };
    rows.push((unit, spread(&i.labels_per_unit)));
    rows.push(("labels per annotator", spread(&i.labels_per_annotator)));
    if i.repeated > 0 && i.rankings.is_none() {
        rows.push((
            "repeated",
            format!(
                "{} by the same annotator on the same {} (kept)",
                counted(i.repeated, "label", "labels"),
                if is_pairs(data) { "pair" } else { "item" }
            ),
        ));
    }
    if i.unlabelled > 0 {
        rows.push(("without a label", n(i.unlabelled)));
    }
    out.push_str(&pairs(&rows, width));
}

fn spread(s: &Spread) -> String {
    if s.min == s.max {
        return group(s.min);
    }
    format!("{} to {}, mean {:.1}, median {}", group(s.min), group(s.max), s.mean, s.median)
}

fn classes(out: &mut String, i: &Inspection, data: &Dataset, width: Option<usize>) {
    let (Some(c), false) = (data.table.categorical(), i.class_shares.is_empty()) else { return };
    if let Some(sets) = Sets::of(data) {
        return sets.write(out, width);
    }
    head(out, "Class shares by vote");
    let mut table = TextTable::new([("", Align::Left), ("", Align::Right), ("", Align::Right), ("", Align::Left)])
        .without_header()
        .indented(2);
    let most = i.class_shares.iter().map(|r| r.share).fold(0.0, f64::max).max(1e-9);
    for row in i.class_shares.iter().take(MOST_ROWS) {
        let bar = "█".repeat((row.share / most * 24.0).round() as usize);
        table.row([c.classes.name(row.class).to_owned(), group(row.votes), format!("{:.1} %", 100.0 * row.share), bar]);
    }
    out.push_str(&table.render(width));
    if i.class_shares.len() > MOST_ROWS {
        let more = (i.class_shares.len() - MOST_ROWS) as u64;
        let _ = writeln!(out, "  … and {}", counted(more, "more class", "more classes"));
    }
}

/// Sets of labels, put together again from their units.
struct Sets<'a> {
    items: usize,
    answers: u64,
    /// Class, and the answers that name it.
    said: Vec<(&'a str, u64)>,
}

impl<'a> Sets<'a> {
    fn of(data: &'a Dataset) -> Option<Sets<'a>> {
        let labels = data.table.categorical().filter(|_| is_sets(data))?;
        let yes = labels.classes.iter().position(|c| c == "yes")?;
        let mut said: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
        // an item has a unit for every class, so that its units of one class are the items
        let (mut items, mut answers) = (std::collections::BTreeSet::new(), 0);
        for (u, name) in data.table.items().iter().enumerate() {
            let (item, class) = split_unit(name)?;
            let n = data.table.rows(u).filter(|&r| labels.codes.get(r) == yes).count();
            *said.entry(class).or_default() += n as u64;
            if items.insert(item) {
                answers += data.table.degree(u) as u64;
            }
        }
        let mut said: Vec<(&str, u64)> = said.into_iter().collect();
        said.sort_by_key(|s| std::cmp::Reverse(s.1));
        Some(Sets { items: items.len(), answers, said })
    }

    fn mean(&self) -> f64 {
        self.said.iter().map(|s| s.1).sum::<u64>() as f64 / self.answers.max(1) as f64
    }

    fn write(&self, out: &mut String, width: Option<usize>) {
        head(out, &format!("Classes in the sets ({})", counted(self.answers, "answer", "answers")));
        let columns = [("", Align::Left), ("", Align::Right), ("", Align::Right), ("", Align::Left)];
        let mut table = TextTable::new(columns).without_header().indented(2);
        let share = |n: u64| n as f64 / self.answers.max(1) as f64;
        let most = self.said.first().map_or(1.0, |s| share(s.1)).max(1e-9);
        for &(class, n) in self.said.iter().take(MOST_ROWS) {
            let bar = "█".repeat((share(n) / most * 24.0).round() as usize);
            table.row([class.to_owned(), group(n), format!("{:.1} %", 100.0 * share(n)), bar]);
        }
        out.push_str(&table.render(width));
        if self.said.len() > MOST_ROWS {
            let more = (self.said.len() - MOST_ROWS) as u64;
            let _ = writeln!(out, "  … and {}", counted(more, "more class", "more classes"));
        }
    }
}

fn other_kinds(out: &mut String, i: &Inspection, width: Option<usize>) {
    if let Some(v) = &i.values {
        head(out, "Values");
        let mut rows = vec![
            ("range", format!("{} to {}, {} distinct", v.min, v.max, group(v.distinct as u64))),
            ("mean", format!("{:.4}, sd {:.4}", v.mean, v.sd)),
        ];
        if let Some(sd) = v.sd_within {
            rows.push(("sd within an item", format!("{sd:.4}")));
        }
        out.push_str(&pairs(&rows, width));
    }
    if let Some(c) = &i.comparisons {
        head(out, "Comparisons");
        let mut rows =
            vec![("distinct pairs", format!("{} of {} possible", group(c.pairs as u64), group(c.possible_pairs)))];
        if i.rankings.is_none() {
            rows.extend([
                (
                    "shown in both orders",
                    format!("{} ({:.1} %)", group(c.both_orders as u64), 100.0 * c.both_orders_share),
                ),
                ("left / right won", format!("{} / {}", group(c.left), group(c.right))),
                ("ties", format!("{} ({:.1} %)", group(c.ties), 100.0 * c.tie_share)),
            ]);
        }
        rows.push(("always won / lost", format!("{} / {} items", c.always_won, c.always_lost)));
        out.push_str(&pairs(&rows, width));
    }
}

fn agreement(out: &mut String, a: &Agreement, panel: Option<&Panel>, data: &Dataset, width: Option<usize>) {
    let level = a.level.name();
    let mut rows = Vec::new();
    if let Some(x) = a.krippendorff_alpha {
        let interval = a
            .alpha_interval
            .map(|[l, h]| format!(", {:.0} % interval {l:.3} to {h:.3}", 100.0 * a.interval_level))
            .unwrap_or_default();
        rows.push(("Krippendorff's α", format!("{x:.3} ({level}){interval}")));
    }
    let number = |x: f64| format!("{x:.3}");
    rows.extend(a.alpha_nominal.map(|x| ("α, nominal", number(x))));
    rows.extend(a.fleiss_kappa.map(|x| ("Fleiss' κ", number(x))));
    rows.extend(a.gwet_ac1.map(|x| ("Gwet's AC1", number(x))));
    rows.extend(a.percent.map(|x| ("equal pairs of labels", format!("{:.1} %", 100.0 * x))));
    rows.extend(a.mean_cohen.map(|x| {
        ("Cohen's κ, mean", format!("{x:.3} over {} of annotators", counted(a.pairs_found as u64, "pair", "pairs")))
    }));
    rows.extend(a.kendall_tau.map(|x| ("Kendall's τ, mean", number(x))));
    if let Some(p) = panel {
        let text = format!(
            "{:.1} of {:.1} labels per item, at least (correlation {:.2})",
            p.effective, p.judges, p.correlation
        );
        rows.push(("independent judges", text));
    }
    if rows.is_empty() && a.notes.is_empty() {
        return;
    }
    let [one, many] = unit_words(data);
    let units = |n: u64| counted(n, one, many);
    head(out, &format!("Agreement ({} with two labels or more)", units(a.units as u64)));
    let mut worst: Vec<_> = a.pairs.iter().collect();
    worst.sort_by(|x, y| x.kappa.total_cmp(&y.kappa));
    if worst.len() > 1 {
        let names = data.table.annotators();
        let of = |r: &crowdwise::questions::PairRow| {
            format!("{} and {}: κ {:.2} on {}", names.name(r.a as _), names.name(r.b as _), r.kappa, units(r.n))
        };
        let last = worst.len() - 1;
        rows.extend([("least alike", of(worst[0])), ("most alike", of(worst[last]))]);
    }
    out.push_str(&pairs(&rows, width));
    a.notes.iter().for_each(|n| _ = writeln!(out, "  {n}"));
}

fn limits(out: &mut String, i: &Inspection, data: &Dataset, width: Option<usize>) {
    head(out, "What limits an estimate");
    let mut rows = Vec::new();
    let c = &i.components;
    rows.push((
        "connected parts",
        if c.count <= 1 {
            "1: everything can be compared".into()
        } else {
            format!(
                "{}; the largest has {} items and {} annotators",
                group(c.count as u64),
                group(c.largest_units as u64),
                group(c.largest_annotators as u64)
            )
        },
    ));
    if i.annotators_with_few > 0 {
        rows.push((
            "few labels",
            format!("{} with fewer than 10", counted(i.annotators_with_few as u64, "annotator", "annotators")),
        ));
    }
    let p = &i.pairs;
    if p.possible > 0 {
        // pairs of items are judged, too
        let whose = if is_pairs(data) { " of annotators" } else { "" };
        let among = if p.complete { String::new() } else { format!(" among the {} busiest", group(p.among as u64)) };
        rows.push((
            "pairs in common",
            format!(
                "{} of {}{among} have {} {} in common; {} in such a pair, {} in a triple",
                group(p.pairs),
                counted(p.possible, &format!("pair{whose}"), &format!("pairs{whose}")),
                p.min_common,
                unit_words(data)[1],
                counted(p.annotators_in_pairs as u64, "annotator", "annotators"),
                p.annotators_in_triples
            ),
        ));
    }
    if let Some(t) = data.table.categorical() {
        let doubtful: Vec<&str> = i.experts.iter().filter(|e| !e.evident).map(|e| t.classes.name(e.class)).collect();
        if !doubtful.is_empty() {
            let shown = doubtful.iter().take(MOST_ROWS).copied().collect::<Vec<_>>().join(", ");
            rows.push(("no evident expert", shown));
        }
        if !i.unipolar.sources.is_empty() {
            let n = i.unipolar.sources.len();
            rows.push((
                "say one class only",
                format!(
                    "{}, {:.1} % of the labels",
                    counted(n as u64, "annotator", "annotators"),
                    100.0 * i.unipolar.label_share
                ),
            ));
        }
    }
    if let (Some(d), Some(t)) = (&i.identifiability, data.table.categorical()) {
        rows.extend(determined(d, t.classes));
    }
    out.push_str(&pairs(&rows, width));
}

/// What the labels determine, as seen without a fit.
fn determined(d: &Identifiability, classes: &Names) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let n = |x: usize| group(x as u64);
    if let Some([low, middle, high]) = d.pairs.ratio {
        rows.push((
            "pairs of full rank",
            format!(
                "{} of {} examined; smallest over largest singular value {low:.2} to {high:.2}, median {middle:.2}",
                n(d.pairs.full_rank),
                counted(d.pairs.examined as u64, "pair", "pairs")
            ),
        ));
    }
    rows.push((
        "telling all classes apart",
        if d.triples.examined == 0 {
            "skipped: there are too many classes".into()
        } else {
            format!(
                "{} of {}; {} in a triple that determines its matrices",
                n(d.triples.full_rank),
                counted(d.triples.examined as u64, "annotator", "annotators"),
                n(d.triples.annotators)
            )
        },
    ));
    let clear = d.separation.iter().filter_map(|s| s.score.map(|x| (x, s.class)));
    if let Some((score, class)) = clear.min_by(|a, b| a.0.total_cmp(&b.0)) {
        rows.push((
            "least evident class",
            format!("{}: the label that shows it best leaves it at {:.0} %", classes.name(class), 100.0 * score),
        ));
    }
    if let Some(p) = d.hardest.first() {
        rows.push((
            "hardest to tell apart",
            format!(
                "{} and {}: exponent {:.2} with {:.1} labels per item",
                classes.name(p.a),
                classes.name(p.b),
                p.exponent,
                d.labels_per_item
            ),
        ));
    }
    if let Some(e) = d.error_bound.filter(|&e| e < 1.0) {
        rows.push(("error bound", format!("at most {:.1} % wrong if annotators err independently", 100.0 * e)));
    }
    if d.dependent.is_some() {
        // how many of them are independent is said once, beside the agreement
        rows.push(("error bound", "none: annotators err on the same items".into()));
    }
    rows
}

fn findings(out: &mut String, all: &[Finding]) {
    if all.is_empty() {
        return;
    }
    head(out, "Findings");
    let mut sorted: Vec<&Finding> = all.iter().collect();
    sorted.sort_by_key(|f| std::cmp::Reverse(f.severity));
    for f in sorted {
        let word = severity_word(f.severity);
        let said = format!("{word}[{}] {}: {}", f.code, subject_text(&f.subject), f.message);
        let _ = writeln!(out, "  {}", printable(&said));
        let advice = f.advice.to_string();
        if !advice.is_empty() {
            let _ = writeln!(out, "    {}", printable(&advice));
        }
    }
}
