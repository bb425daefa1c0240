"""What to ask next, and whom: questions, a collection in progress, replays of old answers."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

from . import _crowdwise
from ._answers import KINDS, Answers, answers
from ._errors import DataError, ParameterError
from ._table import Table

__all__ = ["Asker", "Planned", "Questions", "Replayed", "next_questions", "plan", "replay"]


class Questions(Table):
    """Questions, the best first; and where the collection stands."""

    def __init__(self, rows: list[dict[str, Any]], columns: list[str] | None = None, about: dict[str, Any] | None = None) -> None:
        super().__init__(rows, columns)
        found = about or {}
        #: Items by standing: open, sure, capped, hopeless, unlabelled.
        self.items: dict[str, int] = found.get("items", {})
        #: Accuracy that is expected now, ``low`` to ``high``, and after the answers; ``gold`` as far as truth is known.
        self.accuracy: dict[str, Any] = found.get("accuracy", {})
        #: Money spent, for questions that are out, and for these.
        self.money: dict[str, Any] = found.get("money", {})
        #: What there is to say, such as why there are fewer questions than were asked for.
        self.warnings: list[str] = found.get("warnings", [])


class Replayed(Table):
    """Strategies on recorded answers, a row for each."""

    def __init__(self, found: dict[str, Any], curves: list[Any]) -> None:
        names = ("strategy", "area", "area_diff", "se", "labels_to_99", "labels_se", "ratio", "ratio_se", "reached", "last")
        super().__init__([{n: o[n] for n in names} for o in found["outcomes"]])
        #: Accuracy with all answers, percent.
        self.final_accuracy: float = found["final_accuracy"]
        #: The strategy that the others are compared with.
        self.base: str = found["base"]
        #: For every strategy the mean curve: labels, accuracy in percent, standard error.
        self.curves = {
            name: Table([{k: p[k] for k in ("labels", "accuracy", "se")} for p in points]) for name, points in curves
        }


#: Columns of a question about a class.
COLUMNS = [
    "item",
    "annotator",
    "reason",
    "gain_bits",
    "accuracy_gain",
    "label_now",
    "p_now",
    "labels",
    "pending",
    "price",
    "lease",
]


def next_questions(
    data: Any,
    n: int = 100,
    *,
    annotators: Any = None,
    items: Iterable[Any] | None = None,
    pending: Any = None,
    strategy: str | None = None,
    prices: Mapping[Any, float] | None = None,
    gold: Any = None,
    seed: int = 0,
    kind: str | None = None,
    **options: Any,
) -> Questions:
    """The next questions to ask: which item (or which two), and whom.

    ``annotators`` are those who may be asked (all by default; names that are not in the answers are new), ``items`` all that may
    be asked about, unlabelled ones too, ``pending`` questions that are out: pairs of item and annotator, or left, right,
    annotator. ``strategy`` is ``"gain"`` by default, and ``"fewest"`` for numbers: the same number of answers for every item.
    ``options`` for classes: ``money``, ``coverage``, ``price_power``, ``stop_at``, ``value``.

    >>> import crowdwise
    >>> votes = [("x", "ann", 1), ("x", "bob", 0), ("y", "ann", 1), ("y", "bob", 1), ("z", "eve", 0)]
    >>> len(crowdwise.next_questions(votes, 2))
    2
    """
    made = answers(data, KINDS, kind=kind, gold=gold)
    strategy = strategy or ("fewest" if made.kind == "real" else "gain")
    if made.kind == "categorical":
        asker = Asker(made, items=items, annotators=annotators, prices=prices, seed=seed)
        for item, annotator in pending or ():
            asker._pend(item, annotator)
        return asker._questions(n, None, strategy, False, options)
    if items is not None or options:
        what = ", ".join(options) or "items"
        raise ParameterError(f"{what}: for classes only, these are {made.kind} answers", "bad-parameter")
    place = {a: j for j, a in enumerate(made.annotators)}
    who = None if annotators is None else [_known(place, a, "annotator") for a in annotators]
    at = {i: u for u, i in enumerate(made.items)}
    out = [[_known(at, i, "item") for i in p[:-1]] + [_known(place, p[-1], "annotator")] for p in pending or ()]
    if made.kind == "real":
        price = None if prices is None else [float(prices.get(a, 1.0)) for a in made.annotators]
        found = _crowdwise.next_numbers(made._data, n, strategy, seed, who, out, price)
        names = ["item", "annotator", "sd", "sd_after", "gain", "coverage"]
        rows = [dict(zip(names, (made.items[q[0]], made.annotators[q[1]], *q[2:]))) for q in found]
        return Questions(rows, names)
    if made.kind == "preference":
        if prices is not None:
            raise ParameterError("prices: not for comparisons", "bad-parameter")
        pairs = _crowdwise.next_pairs(made._data, n, strategy, seed, who, out)
        names = ["left", "right", "annotator", "gain", "left_better", "random"]
        rows = [
            dict(zip(names, (made.items[q[0]], made.items[q[1]], made.annotators[q[2]], *q[3:]))) for q in pairs
        ]
        return Questions(rows, names)
    raise DataError(f"what to ask next is not known for {made.kind} answers", "unsupported")


def _known(place: Mapping[Any, int], name: Any, what: str) -> int:
    if name not in place:
        raise DataError(f"there is no {what} {name!r} in the answers", "bad-data")
    return place[name]


class Asker:
    """A collection of answers in progress: it asks, takes answers, and knows what is out.

    ``data`` are the answers so far, ``items`` and ``annotators`` all that there are (those of the answers at least), ``classes`` all
    classes, where the answers do not have each of them yet. ``capacity`` are the most questions to an annotator, ``prices`` what an
    answer costs; ``money``, ``max_per_item`` and ``max_share`` limit all. Times are seconds, those of ``time.time`` by default.
    """

    def __init__(
        self,
        data: Any,
        *,
        items: Iterable[Any] | None = None,
        annotators: Iterable[Any] | None = None,
        classes: Iterable[Any] | None = None,
        prices: Mapping[Any, float] | None = None,
        capacity: Mapping[Any, int] | None = None,
        money: float | None = None,
        max_per_item: int | None = None,
        max_share: float | None = None,
        gold: Any = None,
        seed: int = 0,
    ) -> None:
        made = answers(data, ("categorical",), gold=gold)
        self._classes = made.classes
        missing = [c for c in classes or () if c not in set(self._classes)]
        if missing:
            raise DataError(
                f"no answer says {missing[0]!r}", "bad-data", "begin with some answers of every class, or give such an item as gold"
            )
        self._item_names, self._annotator_names = made.items, made.annotators
        self._item = {i: n for n, i in enumerate(self._item_names)}
        self._annotator = {a: n for n, a in enumerate(self._annotator_names)}
        self._class = {c: n for n, c in enumerate(self._classes)}
        self._asking = _crowdwise.Asking(made._data, made.n_items, made.n_annotators)
        self._prices, self._capacity = dict(prices or {}), dict(capacity or {})
        self._limits = {"money": money, "max_per_item": max_per_item, "max_share": max_share}
        self._closed: set[Any] = set()
        self._away: set[Any] = set()
        self.seed = seed
        if annotators is not None:
            wanted = list(annotators)
            self._away = set(self._annotator_names) - set(wanted)
            self._join(self._annotator, self._annotator_names, wanted)
        if items is not None:
            listed = list(items)
            self._closed = set(self._item_names) - set(listed)
            self._join(self._item, self._item_names, listed)
        self._grow()

    @staticmethod
    def _join(place: dict[Any, int], names: list[Any], more: Iterable[Any]) -> None:
        for name in more:
            if name not in place:
                place[name] = len(names)
                names.append(name)

    def _grow(self) -> None:
        self._asking.grow(len(self._item_names), len(self._annotator_names))
        people = [
            {
                "price": float(self._prices.get(a, 1.0)),
                "capacity": 0 if a in self._away else self._capacity.get(a),
            }
            for a in self._annotator_names
        ]
        things = [{"closed": i in self._closed} for i in self._item_names]
        self._asking.limit(json.dumps(self._limits), json.dumps(people), json.dumps(things))

    def ask(
        self,
        n: int = 1,
        annotator: Any = None,
        *,
        strategy: str = "gain",
        now: float | None = None,
        **options: Any,
    ) -> Questions:
        """The next questions, to one annotator if one is named. They are out until ``tell``, ``skip`` or ``expire``."""
        if annotator is not None and annotator not in self._annotator:
            self._join(self._annotator, self._annotator_names, [annotator])
            self._grow()
        return self._questions(n, annotator, strategy, True, options, time.time() if now is None else now)

    def _questions(
        self, n: int, annotator: Any, strategy: str, lease: bool, options: Mapping[str, Any], now: float | None = None
    ) -> Questions:
        wanted = {"n": n, "strategy": strategy, "seed": self.seed, **options}
        if annotator is not None:
            wanted["annotator"] = self._annotator[annotator]
        unknown = sorted(set(options) - {"money", "coverage", "price_power", "stop_at", "value"})
        if unknown:
            raise ParameterError(f"there is no option `{unknown[0]}`", "unknown-parameter")
        found = json.loads(self._asking.ask(json.dumps(wanted), lease, now))
        rows = []
        for q in found.pop("questions"):
            q["item"] = self._item_names[q["item"]]
            q["annotator"] = self._annotator_names[q["annotator"]]
            q["label_now"] = None if q["label_now"] is None else self._classes[q["label_now"]]
            rows.append({c: q[c] for c in COLUMNS})
        return Questions(rows, COLUMNS, found)

    def _pend(self, item: Any, annotator: Any) -> None:
        self._join(self._item, self._item_names, [item])
        self._join(self._annotator, self._annotator_names, [annotator])
        self._grow()
        self._asking.lease(self._item[item], self._annotator[annotator], 0.0)

    def tell(self, item: Any, annotator: Any, label: Any, *, lease: int | None = None, now: float | None = None) -> str:
        """Takes an answer: ``new``, ``late`` (its time was over; it counts), ``unasked`` (it counts) or ``again`` (it was there)."""
        if label not in self._class:
            raise DataError(
                f"{label!r} is no class of this collection ({', '.join(map(repr, self._classes))})",
                "bad-data",
                "begin another one with all answers so far",
            )
        before = len(self._item_names), len(self._annotator_names)
        self._join(self._item, self._item_names, [item])
        self._join(self._annotator, self._annotator_names, [annotator])
        if before != (len(self._item_names), len(self._annotator_names)):
            self._grow()
        at = time.time() if now is None else now
        return self._asking.tell(self._item[item], self._annotator[annotator], self._class[label], lease, at)

    def skip(self, item: Any, annotator: Any) -> bool:
        """The annotator does not want to answer: it is not asked again. False if it was not out."""
        return self._asking.skip(_known(self._item, item, "item"), _known(self._annotator, annotator, "annotator"))

    def expire(self, now: float | None = None) -> list[tuple[Any, Any]]:
        """Ends the questions whose time is over: others may be asked. Pairs of item and annotator."""
        over = self._asking.expire(time.time() if now is None else now)
        return [(self._item_names[i], self._annotator_names[a]) for i, a in over]

    def believe(self, probabilities: Any) -> None:
        """Class probabilities of every item that a classifier gives, which did not learn from the item: an array in the order of
        ``items`` and ``classes``."""
        import numpy as np

        self._asking.believe(np.ascontiguousarray(probabilities, dtype=np.float64))

    @property
    def items(self) -> list[Any]:
        return list(self._item_names)

    @property
    def annotators(self) -> list[Any]:
        return list(self._annotator_names)

    @property
    def classes(self) -> list[Any]:
        return list(self._classes)

    @property
    def n_labels(self) -> int:
        return self._asking.counts()[0]

    @property
    def n_out(self) -> int:
        """Questions that are out."""
        return self._asking.counts()[1]

    def probas(self) -> Any:
        """Class probabilities, an array of items x classes."""
        return self._asking.posterior()

    def labels(self) -> dict[Any, Any]:
        """The likeliest class of every item that has a label."""
        best, degree = self.probas().argmax(axis=1), self._asking.degrees()
        return {i: self._classes[best[n]] for n, i in enumerate(self._item_names) if degree[n] > 0}

    def state(self) -> dict[str, Any]:
        """Everything, as plain data that ``Asker.restored`` takes: ids must be what JSON can hold if it is kept as JSON."""
        return {
            "items": self.items,
            "annotators": self.annotators,
            "classes": self.classes,
            "limits": self._limits,
            "prices": list(self._prices.items()),
            "capacity": list(self._capacity.items()),
            "closed": [i for i in self._item_names if i in self._closed],
            "away": [a for a in self._annotator_names if a in self._away],
            "seed": self.seed,
            "collection": json.loads(self._asking.state()),
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Asker:
        """The collection that ``state`` described: it asks the same questions next."""
        self = cls.__new__(cls)
        self._item_names, self._annotator_names = list(state["items"]), list(state["annotators"])
        self._classes, self.seed = list(state["classes"]), state["seed"]
        self._item = {i: n for n, i in enumerate(self._item_names)}
        self._annotator = {a: n for n, a in enumerate(self._annotator_names)}
        self._class = {c: n for n, c in enumerate(self._classes)}
        self._limits = dict(state["limits"])
        self._prices, self._capacity = dict(state["prices"]), dict(state["capacity"])
        self._closed, self._away = set(state["closed"]), set(state["away"])
        self._asking = _crowdwise.Asking.restored(json.dumps(state["collection"]))
        return self

    def __getstate__(self) -> dict[str, Any]:
        return self.state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(Asker.restored(state).__dict__)

    def __repr__(self) -> str:
        labels, out, _, _ = self._asking.counts()
        return f"<Asker: {labels} labels on {len(self._item_names)} items, {out} questions out>"


def replay(
    data: Any,
    truth: Any,
    *,
    strategies: Iterable[str] = ("gain", "random"),
    base: str = "fewest",
    orderings: int = 10,
    start: int = 1,
    batch: float = 0.1,
    budget: int | None = None,
    seed: int = 0,
) -> Replayed:
    """What strategies would have saved on answers that are there already.

    Only recorded answers can be asked for. ``truth`` is the true class of some items. ``labels_to_99`` are the labels until 99 % of
    the accuracy with all of them, ``ratio`` the same as a share of what ``base`` needs, ``area_diff`` the mean difference to it in
    points; ``se`` are standard errors over ``orderings``.
    """
    if isinstance(data, (Answers, str, os.PathLike)):
        raise DataError("a replay takes a frame or rows, beside the truth", "bad-data", "read the file into a frame")
    made = answers(data, ("categorical",), gold=truth)
    how = {
        "strategies": list(strategies),
        "base": base,
        "orderings": orderings,
        "start": start,
        "batch": batch,
        "budget": budget,
        "seed": seed,
    }
    found, curves = _crowdwise.replay(made._data, json.dumps(how))
    return Replayed(json.loads(found), json.loads(curves))


class Planned(Table):
    """What more labels would bring: a row for every strategy and number of labels."""

    def __init__(self, found: dict[str, Any], can_tell: bool) -> None:
        names = ("strategy", "labels_per_item", "labels", "money", "accuracy", "low", "high")
        super().__init__([{n: r[n] for n in names} for o in found["outlooks"] for r in o["rows"]])
        #: The labels so far, with ``estimate``: accuracy, low, high.
        self.pilot: dict[str, Any] = found["pilot"]
        #: For every strategy what it takes to reach the target: ``labels``, ``labels_low``, ``labels_high``, ``reachable``.
        self.targets: dict[str, Any] = {o["strategy"]: o["target"] for o in found["outlooks"]}
        #: For every strategy the row with as many labels as there can be.
        self.ceilings: dict[str, Any] = {o["strategy"]: o["ceiling"] for o in found["outlooks"]}
        #: What the labels so far cannot tell.
        self.findings: list[dict[str, Any]] = found["findings"]
        #: False: the figures are no more than a guess.
        self.can_tell = can_tell


def plan(
    data: Any,
    *,
    target: float | None = None,
    per_item: Iterable[int] = (),
    money: Iterable[float] = (),
    price: float = 1.0,
    strategies: Iterable[str] = ("fewest",),
    best: float | None = None,
    accuracy: float | None = None,
    only: Iterable[Any] = (),
    other_price: float | None = None,
    gold: Any = None,
    draws: int = 8,
    seed: int = 0,
) -> Planned:
    """How right the labels would be with more of them, what these cost, and whether ``target`` can be reached.

    ``data`` are the first two or three labels of every item, ``gold`` the true class of some. Beside everybody, ``best`` plans with
    this share of the annotators, ``accuracy`` with new ones who are so often right, ``only`` with these; ``other_price`` is what
    they cost. Intervals are wide on purpose: no labels show whether most annotators are wrong together.
    """
    made = answers(data, ("categorical",), gold=gold)
    place = {a: j for j, a in enumerate(made.annotators)}
    how = {
        "target": target,
        "per_item": list(per_item),
        "money": list(money),
        "price": price,
        "strategies": list(strategies),
        "best": best,
        "accuracy": accuracy,
        "only": [_known(place, a, "annotator") for a in only],
        "other_price": other_price,
        "draws": draws,
        "seed": seed,
    }
    found = json.loads(_crowdwise.plan(made._data, json.dumps(how)))
    return Planned(found["plan"], found["can_tell"])
