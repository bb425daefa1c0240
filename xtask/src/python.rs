//! The Python classes: one for every method of the list.

use crate::root;
use crowdwise::{Entry, LabelKind, ParamInfo, StructureKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A class that crowd-kit has, too: its name and its arguments, in its order and with its defaults.
struct Known {
    id: &'static str,
    class: &'static str,
    /// Name, type, default, and the parameter of ours that it sets (empty: none; the calls deal with it).
    args: &'static [(&'static str, &'static str, &'static str, &'static str)],
    /// Defaults of the other parameters that make it crowd-kit's algorithm.
    defaults: &'static [(&'static str, &'static str)],
}

const KNOWN: &[Known] = &[
    Known {
        id: "majority-vote",
        class: "MajorityVote",
        args: &[("default_skill", "float | None", "None", ""), ("on_missing_skill", "str", "\"error\"", "")],
        defaults: &[],
    },
    Known { id: "weighted-majority-vote", class: "Wawa", args: &[], defaults: &[("leave_one_out", "False")] },
    Known {
        id: "zero-based-skill",
        class: "ZeroBasedSkill",
        args: &[
            ("n_iter", "int", "100", "max_iter"),
            ("lr_init", "float", "1.0", "learning_rate"),
            ("lr_steps_to_reduce", "int", "20", "reduce_every"),
            ("lr_reduce_factor", "float", "0.5", "reduce_factor"),
            ("eps", "float", "1e-5", "head_start"),
        ],
        defaults: &[],
    },
    Known {
        id: "dawid-skene",
        class: "DawidSkene",
        args: &[
            ("n_iter", "int", "100", "max_iter"),
            ("tol", "float", "1e-5", "tol"),
            ("initial_error_strategy", "str | None", "None", ""),
        ],
        defaults: &[("alpha", "0.0"), ("accelerate", "False"), ("zeros", "\"counts\""), ("stop", "\"bound\"")],
    },
    Known {
        id: "one-coin",
        class: "OneCoinDawidSkene",
        args: &[("n_iter", "int", "100", "max_iter"), ("tol", "float", "1e-5", "tol")],
        defaults: &[("alpha", "0.0"), ("accelerate", "False"), ("stop", "\"bound\"")],
    },
    Known {
        id: "glad",
        class: "GLAD",
        args: &[
            ("n_iter", "int", "100", "max_iter"),
            ("tol", "float", "1e-5", "tol"),
            ("silent", "bool", "True", ""),
            ("labels_priors", "Any", "None", ""),
            ("alphas_priors_mean", "Any", "None", ""),
            ("betas_priors_mean", "Any", "None", ""),
            ("m_step_max_iter", "int", "25", "inner_iter"),
            ("m_step_tol", "float", "1e-2", "inner_tol"),
        ],
        defaults: &[("start", "\"prior\"")],
    },
    Known {
        id: "mace",
        class: "MACE",
        args: &[
            ("n_restarts", "int", "10", "restarts"),
            ("n_iter", "int", "50", "max_iter"),
            ("method", "str", "\"vb\"", "inference"),
            ("smoothing", "float | None", "0.1", ""),
            ("default_noise", "float", "0.5", "noise"),
            ("alpha", "float", "0.5", "alpha"),
            ("beta", "float", "0.5", "beta"),
            ("random_state", "int | None", "0", "-"),
            ("verbose", "int", "0", ""),
        ],
        defaults: &[("tol", "0.0")],
    },
    Known {
        id: "kos",
        class: "KOS",
        args: &[("n_iter", "int", "100", "max_iter"), ("random_state", "int | None", "0", "-")],
        defaults: &[("tol", "0.0"), ("by_degree", "False"), ("init", "\"normal\"")],
    },
    Known {
        id: "mmsr",
        class: "MMSR",
        args: &[
            ("n_iter", "int", "10000", "max_iter"),
            ("tol", "float", "1e-10", "tol"),
            ("random_state", "int | None", "0", "-"),
        ],
        defaults: &[("adversaries", "\"reverse\"")],
    },
    Known {
        id: "bradley-terry",
        class: "BradleyTerry",
        args: &[("n_iter", "int", "100", "max_iter"), ("tol", "float", "1e-5", "tol")],
        defaults: &[("ridge", "0.0"), ("ties", "\"half\"")],
    },
];

/// Arguments of the run, in every class.
const RUN: [(&str, &str, &str, &str); 3] = [
    ("random_state", "int | None", "0", "Seed of the random numbers; the same seed gives the same result."),
    ("threads", "int | None", "None", "Threads; all cores if None."),
    ("progress", "bool | None", "None", "Whether a line tells how it goes; if None, when somebody is watching."),
];

/// Ids that are not written as words.
const CAPITALS: [(&str, &str); 12] = [
    ("bcc", "BCC"),
    ("bp", "BP"),
    ("bwa", "BWA"),
    ("catd", "CATD"),
    ("cnmf", "CNMF"),
    ("crh", "CRH"),
    ("ctd", "CTD"),
    ("ibcc", "IBCC"),
    ("mbem", "MBEM"),
    ("mf", "MF"),
    ("svd", "SVD"),
    ("svm", "SVM"),
];

/// Words of Python that a parameter may have as its name.
const KEYWORDS: [&str; 6] = ["lambda", "from", "in", "is", "class", "global"];

const HEAD: &str = "\
# ruff: noqa: E501, F401
from __future__ import annotations

from typing import Any, Literal

from .. import _crowdkit
from .._base import Aggregator, WarmAggregator
from .._learn import Learner

__all__ = [
";

const INDEX: &str = "\
\"\"\"Where the class of every method is. Generated from the list of methods by `cargo xtask gen`: do not edit.\"\"\"

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

";

const LOOK_UP: &str = "


def __getattr__(name: str) -> _Any:
    if name not in _FAMILY:
        raise AttributeError(f\"module {__name__!r} has no attribute {name!r}\")
    value = getattr(_import_module(f\"crowdwise._families.{_FAMILY[name]}\"), name)
    globals()[name] = value
    return value
";

/// Where the classes are.
pub const FOLDER: &str = "python/crowdwise/_families";

/// The files with all classes: one for every family of methods, and an index.
pub fn files() -> Vec<(PathBuf, String)> {
    let mut by_family: BTreeMap<String, Vec<(&Entry, String)>> = BTreeMap::new();
    for e in crowdwise::methods() {
        by_family.entry(e.info.family.name()).or_default().push((e, class_name(e)));
    }
    let folder = root().join(FOLDER);
    let mut out = vec![
        (root().join("python/crowdwise/_methods.py"), index(&by_family)),
        (folder.join("__init__.py"), "\"\"\"Generated: one module for every family of methods.\"\"\"\n".into()),
    ];
    for (family, members) in &by_family {
        out.push((folder.join(format!("{family}.py")), module(family, members)));
    }
    out
}

fn index(by_family: &BTreeMap<String, Vec<(&Entry, String)>>) -> String {
    let mut names: Vec<(&str, &str)> =
        by_family.iter().flat_map(|(f, members)| members.iter().map(|(_, n)| (n.as_str(), f.as_str()))).collect();
    names.sort_unstable();
    let mut out = INDEX.to_owned();
    out.push_str("if TYPE_CHECKING:\n");
    by_family.keys().for_each(|f| _ = writeln!(out, "    from ._families.{f} import *  # noqa: F403"));
    out.push_str("\n__all__ = [\n");
    names.iter().for_each(|(n, _)| _ = writeln!(out, "    \"{n}\","));
    out.push_str("]\n\n#: The class of every method.\nCLASSES: dict[str, str] = {\n");
    crowdwise::methods().for_each(|e| _ = writeln!(out, "    \"{}\": \"{}\",", e.info.id, class_name(e)));
    out.push_str("}\n\n#: The module of every class.\n_FAMILY = {\n");
    names.iter().for_each(|(n, f)| _ = writeln!(out, "    \"{n}\": \"{f}\","));
    out.push('}');
    out.push_str(LOOK_UP);
    out
}

fn module(family: &str, members: &[(&Entry, String)]) -> String {
    let mut out =
        format!("\"\"\"Methods of the family `{family}`. Generated by `cargo xtask gen`: do not edit.\"\"\"\n\n{HEAD}");
    let mut names: Vec<&str> = members.iter().map(|(_, n)| n.as_str()).collect();
    names.sort_unstable();
    names.iter().for_each(|n| _ = writeln!(out, "    \"{n}\","));
    out.push_str("]\n");
    members.iter().for_each(|(e, n)| out.push_str(&class(e, n, needs(e).as_deref())));
    out
}

/// What a method needs besides the answers, as the arguments of `fit` are called.
fn needs(e: &Entry) -> Option<String> {
    let n = e.info.needs;
    let structure = n.structure.map(|s| if s == StructureKind::Graph { "edges" } else { s.name() });
    let all = [structure, n.features.then_some("features"), n.probabilities.then_some("probabilities")];
    let all: Vec<&str> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(" and "))
}

fn known(id: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|k| k.id == id)
}

fn class_name(e: &Entry) -> String {
    if let Some(k) = known(e.info.id) {
        return k.class.into();
    }
    let word = |w: &str| match CAPITALS.iter().find(|c| c.0 == w) {
        Some(c) => c.1.to_owned(),
        None => w[..1].to_uppercase() + &w[1..],
    };
    e.info.id.split('-').map(word).collect()
}

/// One argument of a constructor.
struct Arg {
    name: String,
    kind: String,
    default: String,
    doc: String,
    positional: bool,
    /// The parameter of the library; `None` for arguments that it does not have.
    sets: Option<String>,
}

fn arguments(e: &Entry) -> Vec<Arg> {
    let params = e.params();
    let known = known(e.info.id);
    let mut out: Vec<Arg> = Vec::new();
    for &(name, kind, default, sets) in known.map_or(&[][..], |k| k.args) {
        let param = params.iter().find(|p| p.name == sets);
        let doc = match (sets, param) {
            ("-", _) => RUN[0].3.to_owned(),
            (_, Some(p)) => p.doc.clone(),
            _ => "As in crowd-kit; see `fit`.".into(),
        };
        let sets = match sets {
            "" | "-" => None,
            s => Some(s.to_owned()),
        };
        out.push(Arg { name: name.into(), kind: kind.into(), default: default.into(), doc, positional: true, sets });
    }
    for p in &params {
        if out.iter().any(|a| a.sets.as_deref() == Some(&p.name) || a.name == p.name) {
            continue;
        }
        let other = known.and_then(|k| k.defaults.iter().find(|d| d.0 == p.name)).map(|d| d.1.to_owned());
        let (kind, default) = typed(p);
        out.push(Arg {
            // a word of the language gets an underscore
            name: if KEYWORDS.contains(&p.name.as_str()) { format!("{}_", p.name) } else { p.name.clone() },
            kind,
            default: other.unwrap_or(default),
            doc: p.doc.clone(),
            positional: false,
            sets: Some(p.name.clone()),
        });
    }
    for (name, kind, default, doc) in RUN {
        if out.iter().all(|a| a.name != name) {
            out.push(Arg {
                name: name.into(),
                kind: kind.into(),
                default: default.into(),
                doc: doc.into(),
                positional: false,
                sets: None,
            });
        }
    }
    out
}

/// Python's type and default of a parameter.
fn typed(p: &ParamInfo) -> (String, String) {
    if p.name == "network" {
        // also a network of another framework
        return ("Any".into(), literal(&p.default));
    }
    let mut kinds: Vec<String> = Vec::new();
    for part in p.takes.split(" or ").filter(|w| *w != "false") {
        kinds.push(match part {
            "a number" => "float".into(),
            "a whole number" => "int".into(),
            "true" => "bool".into(),
            "text" => "str".into(),
            "null" => "None".into(),
            "a JSON object" => "dict[str, Any] | None".into(),
            "a JSON list" => "list[Any] | None".into(),
            other => match other.strip_prefix("one of ") {
                Some(names) => {
                    let quoted: Vec<String> = names.split(", ").map(|n| format!("\"{n}\"")).collect();
                    format!("Literal[{}]", quoted.join(", "))
                }
                None => "Any".into(),
            },
        });
    }
    (kinds.join(" | "), literal(&p.default))
}

fn literal(v: &Value) -> String {
    match v {
        Value::Null => "None".into(),
        Value::Bool(b) => if *b { "True" } else { "False" }.into(),
        Value::Number(n) => n.to_string(),
        Value::String(s) => format!("\"{s}\""),
        Value::Array(a) if a.is_empty() => "None".into(),
        Value::Object(o) if o.is_empty() => "None".into(),
        other => format!("{other:?}"),
    }
}

fn class(e: &Entry, name: &str, needs: Option<&str>) -> String {
    let i = e.info;
    let args = arguments(e);
    let base = match (known(i.id), e.info.gives.classifier, i.capabilities.warm_start) {
        (Some(k), ..) => format!("_crowdkit.{}Calls", k.class),
        (None, true, _) => "Learner".into(),
        (None, false, true) => "WarmAggregator".into(),
        (None, false, false) => "Aggregator".into(),
    };
    let mut out = format!("\n\nclass {name}({base}):\n");
    out.push_str(&docstring(e, name, &args, needs));
    let _ = writeln!(out, "\n    _id = \"{}\"", i.id);
    if let Some(what) = needs.filter(|_| !e.info.gives.classifier) {
        let _ = writeln!(out, "    _needs = \"{what}\"");
    }
    let kinds: Vec<String> = i.accepts.iter().map(|k: &LabelKind| format!("\"{}\"", k.name())).collect();
    let comma = if kinds.len() == 1 { "," } else { "" };
    let _ = writeln!(out, "    _accepts = ({}{comma})", kinds.join(", "));
    let run = |a: &&Arg| RUN.iter().all(|r| r.0 != a.name);
    let renamed: Vec<String> = args
        .iter()
        .filter(run)
        .filter(|a| a.sets.as_deref() != Some(&a.name))
        .map(|a| match &a.sets {
            Some(s) => format!("\"{}\": \"{s}\"", a.name),
            None => format!("\"{}\": None", a.name),
        })
        .collect();
    if !renamed.is_empty() {
        let _ = writeln!(out, "    _renamed = {{{}}}", renamed.join(", "));
    }
    let optional: Vec<String> = e
        .params()
        .iter()
        .filter(|p| literal(&p.default) == "None" && !p.default.is_null())
        .map(|p| format!("\"{}\"", p.name))
        .collect();
    if !optional.is_empty() {
        let _ = writeln!(out, "    _optional = frozenset({{{}}})", optional.join(", "));
    }
    out.push_str("\n    def __init__(\n        self,\n");
    let mut star = false;
    for a in &args {
        if !a.positional && !star {
            out.push_str("        *,\n");
            star = true;
        }
        let _ = writeln!(out, "        {}: {} = {},", a.name, a.kind, a.default);
    }
    out.push_str("    ) -> None:\n");
    args.iter().for_each(|a| _ = writeln!(out, "        self.{0} = {0}", a.name));
    out
}

fn docstring(e: &Entry, name: &str, args: &[Arg], needs: Option<&str>) -> String {
    let i = e.info;
    let mut out = format!("    r\"\"\"{}\n\n", clean(i.summary));
    for paragraph in when(i.doc) {
        for (n, part) in paragraph.split("\n- ").enumerate() {
            let text = if n == 0 { clean(part) } else { format!("- {}", clean(part)) };
            wrap(&mut out, &text, "    ", if n == 0 { "    " } else { "      " });
        }
        out.push('\n');
    }
    out.push_str("    Parameters\n    ----------\n");
    for a in args {
        let _ = writeln!(out, "    {} : {}, default {}", a.name, a.kind, a.default);
        wrap(&mut out, &clean(&a.doc), "        ", "        ");
    }
    out.push_str("\n    Examples\n    --------\n");
    out.push_str(&example(e, name, needs));
    out.push_str("\n    Notes\n    -----\n");
    let reference = format!("{} ``crowdwise.page(\"{}\")`` has the whole page.", clean(i.references[0].text), i.id);
    wrap(&mut out, &reference, "    ", "    ");
    out.push_str("    \"\"\"\n");
    out
}

fn example(e: &Entry, name: &str, needs: Option<&str>) -> String {
    if e.info.gives.classifier {
        return format!(
            "    >>> import crowdwise
    >>> sim = crowdwise.simulate(\"dawid-skene\", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.{name}(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True
"
        );
    }
    let kind = first_kind(e);
    let simulate = match kind {
        LabelKind::Real => "simulate(\"real\", items=60, annotators=10, per_item=6, seed=1)",
        LabelKind::Preference => "simulate(\"bradley-terry\", items=20, annotators=10, pairs=150, seed=1)",
        LabelKind::Similarity => {
            "simulate(\"similarities\", items=20, annotators=10, classes=3, pairs=150, per_item=3, seed=1)"
        }
        LabelKind::Categorical if needs.is_some_and(|n| n.starts_with("sequences")) => {
            "simulate(\"sequences\", items=300, annotators=10, per_item=5, seed=1)"
        }
        LabelKind::Categorical => "simulate(\"dawid-skene\", items=60, annotators=10, per_item=8, seed=1)",
    };
    let test = match kind {
        LabelKind::Real | LabelKind::Preference => ">>> sim.correlation(labels) > 0.8\n    True",
        LabelKind::Similarity => ">>> len(labels) == 20\n    True",
        LabelKind::Categorical => ">>> sim.accuracy(labels) > 0.6\n    True",
    };
    let (before, argument) = match needs {
        Some("probabilities") => {
            let classifier =
                "    >>> p = crowdwise.MajorityVote().fit_predict_proba(sim.answers)  # of a classifier, in earnest\n";
            (classifier, ", probabilities=p")
        }
        Some("edges") => {
            let links = "    >>> links = [(i, i + 1) for i in range(59) if sim.truth[i] == sim.truth[i + 1]]\n";
            (links, ", edges=links")
        }
        Some("features" | "sequences and features") => {
            let rows = "    >>> x = {i: [float(t), float(t) ** 2] for i, t in sim.truth.items()}  # numbers that tell something\n";
            (rows, ", features=x")
        }
        _ => ("", ""),
    };
    format!(
        "    >>> import crowdwise
    >>> sim = crowdwise.{simulate}
{before}    >>> labels = crowdwise.{name}().fit_predict(sim.answers{argument})
    {test}
"
    )
}

/// The first kind that the method is for.
fn first_kind(e: &Entry) -> LabelKind {
    e.info.accepts[0]
}

/// The paragraphs of the page's second section that are plain text, up to two.
fn when(doc: &str) -> Vec<String> {
    let Some((_, rest)) = doc.split_once("\n## When to use it") else { return Vec::new() };
    let section = rest.split_once('\n').map_or("", |r| r.1);
    let section = section.split("\n## ").next().unwrap_or("");
    section
        .split("\n\n")
        .map(|p| p.trim().to_owned())
        .filter(|p| !p.is_empty() && !p.starts_with(['|', '-', '`', '<', '#']))
        .take(2)
        .collect()
}

/// Text that may stand in a docstring.
fn clean(text: &str) -> String {
    text.replace("\"\"\"", "'''").replace('\\', "/")
}

const WIDTH: usize = 116;

fn wrap(out: &mut String, text: &str, first: &str, next: &str) {
    let mut line = first.to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.trim() != "" {
            out.push_str(line.trim_end());
            out.push('\n');
            next.clone_into(&mut line);
        }
        if line.trim().is_empty() {
            line.push_str(word);
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    if !line.trim().is_empty() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
}
