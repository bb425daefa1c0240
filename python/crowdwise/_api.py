"""Functions: compare, inspect, report, simulate, agreement, the list of methods."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from . import _crowdwise, _frames
from ._answers import KINDS, Answers, answers, truth_pairs
from ._base import Aggregator
from ._errors import UnknownNameError
from ._params import plain
from ._table import Table


def methods(kind: str | None = None) -> Table:
    """The list of methods, those for one kind of labels if it is given."""
    from ._methods import CLASSES

    rows = []
    for entry in json.loads(_crowdwise.methods()):
        info = entry["info"]
        if kind is None or kind in info["accepts"]:
            rows.append(
                {
                    "method": info["id"],
                    "class": CLASSES.get(info["id"]),
                    "labels": ", ".join(info["accepts"]),
                    "gold": info["capabilities"]["gold"],
                    "family": info["family"],
                    "features": info["needs"]["features"],
                    "probabilities": info["needs"]["probabilities"],
                    "structure": info["needs"]["structure"],
                    "summary": info["summary"],
                    "aliases": info["aliases"],
                    "params": entry["params"],
                }
            )
    if not rows:
        raise UnknownNameError(f"there is no kind of labels `{kind}`", "unknown-name", f"one of {', '.join(KINDS)}")
    return Table(rows)


def page(method: str) -> str:
    """The page of a method, Markdown."""
    return _crowdwise.page(method)


def aggregate(data: Any, method: str | None = None, *, gold: Any = None, random_state: int = 0, **params: Any) -> Aggregator:
    """Fits a method by its id with its own defaults (those of the command line); returns what was learned.

    Without a method it is the one that the command line takes for such data.

    >>> import crowdwise
    >>> fit = crowdwise.aggregate([("x", "ann", 1), ("x", "bob", 1), ("y", "ann", 0)], "majority-vote")
    >>> fit.labels_
    {'x': 1, 'y': 0}
    """
    if method is None:
        made = _any_answers(data, gold=gold)
        return _Plain(_crowdwise.default_method(made._data), random_state, params)._fit_answers(made)
    return _Plain(method, random_state, params).fit(data, gold=gold)


class _Plain(Aggregator):
    """Any method by its id."""

    def __init__(self, method: str, random_state: int, params: dict[str, Any]) -> None:
        found = _entry(method)
        self.method = method
        self.params = params
        self.random_state, self.threads, self.progress = random_state, None, None
        self._id = found["info"]["id"]  # type: ignore[misc]
        self._accepts = tuple(found["info"]["accepts"])  # type: ignore[misc]

    def _method_params(self) -> dict[str, Any]:
        return plain(self.params)


def _entry(method: str) -> dict[str, Any]:
    for entry in json.loads(_crowdwise.methods()):
        if method == entry["info"]["id"] or method in entry["info"]["aliases"]:
            return entry
    _crowdwise.page(method)  # raises, with the nearest name
    raise AssertionError("there is no such method")


def _any_answers(data: Any, **columns: Any) -> Answers:
    return answers(data, KINDS, **columns)


class Comparison(Table):
    """Methods side by side. Rows have what can be said without gold, and accuracy where the truth was given."""

    def __init__(self, found: dict[str, Any]) -> None:
        rows = []
        for m in found["methods"]:
            row = {k: m.get(k) for k in ("method", "agreement", "drift", "held_out_log_loss", "held_out_se")}
            if m.get("evaluation"):
                row.update({k: m["evaluation"].get(k) for k in ("accuracy", "log_loss", "ece", "macro_f1")})
                # of ordered classes only
                row.update({k: m["evaluation"][k] for k in ("mae", "quadratic_kappa") if k in m["evaluation"]})
            row["seconds"] = m["elapsed_seconds"]
            row["stop"] = m.get("stop")
            if m.get("error"):
                row["error"] = m["error"]
            rows.append(row)
        super().__init__(rows)
        self.folds: int = found["folds"]
        self.document = found


def compare(
    data: Any,
    methods: Iterable[str | Aggregator] | str | None = None,
    *,
    truth: Any = None,
    folds: int = 5,
    seed: int = 0,
    threads: int | None = None,
    **columns: Any,
) -> Comparison:
    """Fits several methods (ids or objects) to the same data, and again with labels hidden.

    Without ``methods`` those run that the command line compares for such data; ``"all"`` are all that can be fitted to them.
    ``held_out_log_loss`` is the mean of -ln P(hidden label): smaller is better, and comparable between methods. ``truth``
    only evaluates.
    """
    made = _any_answers(data, **columns)
    if methods is None:
        methods = _crowdwise.compared(made._data)
    elif isinstance(methods, str):
        methods = _crowdwise.methods_for(made._data) if methods == "all" else [methods]
    wanted = []
    for m in methods:
        if isinstance(m, Aggregator):
            wanted.append((m._id, json.dumps(m._method_params())))
        else:
            wanted.append((m, "{}"))
    return Comparison(json.loads(_crowdwise.compare(made._data, wanted, truth_pairs(truth), folds, seed, threads)))


class Inspection(dict[str, Any]):
    """What is in the data, as ``crowdwise inspect --format json`` says it."""

    def _repr_html_(self) -> str:
        rows = [(k, v) for k, v in self.items() if isinstance(v, (int, float, str))]
        body = "".join(f"<tr><th>{escape(k)}</th><td>{escape(str(v))}</td></tr>" for k, v in rows)
        return f"<table>{body}</table>"


def inspect(data: Any, *, seed: int = 0, **columns: Any) -> Inspection:
    """What is in the data: counts, redundancy, class balance, agreement, connectivity, findings."""
    return Inspection(json.loads(_crowdwise.inspect(_any_answers(data, **columns)._data, seed)))


#: What the distance between two labels is for Krippendorff's alpha.
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def agreement(
    data: Any, *, seed: int = 0, bootstraps: int = 1000, level: str | None = None, **columns: Any
) -> dict[str, Any]:
    """Agreement of the annotators: Krippendorff's alpha with its interval, Fleiss' and Cohen's kappa, Gwet's AC1.

    ``level`` is that of alpha: ``nominal``, ``ordinal`` (classes in their order), ``interval`` or ``ratio`` (numbers, the
    latter with a true zero; classes that are numbers may be taken as such). By default the labels say it.
    """
    if level is not None and level not in LEVELS:
        raise UnknownNameError(f"there is no level `{level}` of alpha", "unknown-name", f"one of {', '.join(LEVELS)}")
    made = _any_answers(data, **columns)
    found = json.loads(_crowdwise.agreement(made._data, seed, bootstraps, level))
    who = made.annotators
    for pair in found.get("pairs", []):
        pair["a"], pair["b"] = who[pair["a"]], who[pair["b"]]
    return found


def krippendorff_alpha(data: Any, *, level: str | None = None, **columns: Any) -> float:
    """Krippendorff's alpha, at a level as for ``agreement``.

    >>> import crowdwise
    >>> crowdwise.krippendorff_alpha([("x", "a", 1), ("x", "b", 1), ("y", "a", 0), ("y", "b", 0)])
    1.0
    """
    return _number(agreement(data, bootstraps=0, level=level, **columns)["krippendorff_alpha"])


def fleiss_kappa(data: Any, **columns: Any) -> float:
    """Fleiss' kappa."""
    return _number(agreement(data, bootstraps=0, **columns)["fleiss_kappa"])


def gwet_ac1(data: Any, **columns: Any) -> float:
    """Gwet's AC1."""
    return _number(agreement(data, bootstraps=0, **columns)["gwet_ac1"])


def cohen_kappa(data: Any, **columns: Any) -> float:
    """The mean of Cohen's kappas of pairs of annotators with ten common items or more, weighted by common items."""
    return _number(agreement(data, bootstraps=0, **columns)["mean_cohen"])


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def report(
    data: Any,
    method: str | Aggregator | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    truth: Any = None,
    title: str | None = None,
    **columns: Any,
) -> str:
    """One HTML page about the data and a fit; ``data`` may also be a fitted method. Written to ``path`` if it is given."""
    if isinstance(data, Aggregator):
        return data.result_.report(path, truth=truth, title=title)
    made = _any_answers(data, **columns)
    if isinstance(method, Aggregator):
        fitted = method
        fitted._fit_answers(made)
    else:
        fitted = _Plain(method or _crowdwise.default_method(made._data), 0, {})
        fitted._fit_answers(made)
    return fitted.result_.report(path, truth=truth, title=title)


class Simulation:
    """Simulated answers with their truth."""

    answers: dict[str, Any]

    def __init__(self, made: dict[str, Any], model: str) -> None:
        self.model = model
        whole = model not in ("real", "bradley-terry")
        label = made["label"].astype("int64") if whole else made["label"]
        worker = made["annotator"]
        if "right" in made:
            left, right = made["item"].tolist(), made["right"].tolist()
            self.answers = {"left": left, "right": right, "worker": worker}
            if model == "similarities":
                self.answers["same"] = (label == 1).tolist()
            else:
                said = zip(left, right, label.tolist())
                self.answers["label"] = [a if o < 0 else b if o > 0 else "tie" for a, b, o in said]
        elif "chain" in made:
            sequence, position = made["chain"][made["item"]], made["position"][made["item"]]
            self.answers = {"sequence": sequence, "position": position, "worker": worker, "label": label}
        else:
            self.answers = {"task": made["item"], "worker": worker, "label": label}
        self._task = made["item"]
        self._truth = made["truth"].astype("int64") if whole else made["truth"]
        self.features = made.get("features")
        self.chains = (made["chain"], made["position"]) if "chain" in made else None
        self.annotators: list[dict[str, Any]] = json.loads(made["annotators"])

    @property
    def truth(self) -> dict[Any, Any]:
        """The truth of every item; tokens are known by their sequence and position."""
        return dict(zip(self._ids(), self._truth.tolist()))

    def _ids(self) -> list[Any]:
        if self.chains is None:
            return list(range(len(self._truth)))
        return list(zip(*(c.tolist() for c in self.chains)))

    def truth_array(self) -> Any:
        """The truth as an array, in the order of the rows of ``features``."""
        return self._truth

    def to_pandas(self) -> Any:
        """The answers as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.answers)

    def to_polars(self) -> Any:
        """The answers as a polars frame."""
        import polars as pl

        return pl.DataFrame(self.answers)

    def matrix(self) -> Any:
        """The answers as an array, items x annotators, -1 where there is none."""
        import numpy as np

        out = np.full((len(self._truth), len(self.annotators)), -1, dtype=np.int64)
        out[self._task, self.answers["worker"]] = self.answers["label"]
        return out

    def accuracy(self, labels: Any) -> float:
        """The share of items whose label is right."""
        found = _by_item(labels)
        return sum(found.get(i) == t for i, t in self.truth.items()) / max(1, len(self._truth))

    def correlation(self, values: Any) -> float:
        """The correlation of values or scores with the truth."""
        import numpy as np

        found = _by_item(values)
        known = [i for i in range(len(self._truth)) if i in found]
        return float(np.corrcoef([found[i] for i in known], self._truth[known])[0, 1])

    def __repr__(self) -> str:
        n = len(self.answers["worker"])
        return f"<Simulation of {self.model}: {n} labels of {len(self.annotators)} annotators on {len(self._truth)} items>"


def _by_item(labels: Any) -> dict[Any, Any]:
    if isinstance(labels, Mapping):
        return dict(labels)
    if _frames._from_module(labels, "pandas"):
        return dict(zip(labels.index.tolist(), labels.tolist()))
    src = _frames.source(labels, ("task", "label"))
    *ids, last = src.names()
    rows = list(range(len(src.column(last))))
    columns = [src.flavour.to_list(src.take(n, rows)) for n in ids]
    keys = columns[0] if len(columns) == 1 else list(zip(*columns))
    return dict(zip(keys, src.flavour.to_list(src.take(last, rows))))


def simulate(model: str = "dawid-skene", *, seed: int = 0, **properties: Any) -> Simulation:
    """Answers with known truth: ``items``, ``annotators``, ``classes``, ``per_item``, ``accuracy``, ``spammers``, ….

    >>> import crowdwise
    >>> sim = crowdwise.simulate("one-coin", items=100, annotators=8, per_item=5, accuracy=0.8, seed=1)
    >>> sim
    <Simulation of one-coin: 500 labels of 8 annotators on 100 items>
    """
    return Simulation(_crowdwise.simulate(json.dumps({"model": model, **plain(properties)}), seed), model)



__all__ = [
    "Comparison",
    "Inspection",
    "Simulation",
    "aggregate",
    "agreement",
    "cohen_kappa",
    "compare",
    "fleiss_kappa",
    "gwet_ac1",
    "inspect",
    "krippendorff_alpha",
    "methods",
    "page",
    "report",
    "simulate",
]

