"""Answers: who said what about which item, with the ids in the caller's own types."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _frames, _rankings
from ._crowdwise import Column, Data, form_of
from ._errors import DataError
from ._frames import FLAVOURS, Flavour, Source

__all__ = ["Answers", "read"]

#: What a label can be.
KINDS = ("categorical", "real", "preference", "similarity")


class Answers:
    """Answers that were read. ``read`` makes them from a file; ``fit`` takes them, and makes them of frames itself."""

    #: Rows of the features of a learner, in the order of the items.
    _rows: Any = None

    def __init__(
        self,
        data: Data,
        flavour: Flavour,
        items: Any,
        annotators: Any,
        classes: Any,
        names: tuple[str, str, str] = ("task", "worker", "label"),
    ) -> None:
        self._data = data
        self._flavour = flavour
        self._items = items
        self._annotators = annotators
        self._classes = classes
        self._names = names

    @property
    def kind(self) -> str:
        """``categorical``, ``real``, ``preference`` or ``similarity``."""
        return self._data.kind

    @property
    def n_items(self) -> int:
        return self._data.n_items

    @property
    def n_annotators(self) -> int:
        return self._data.n_annotators

    @property
    def n_labels(self) -> int:
        return self._data.n_labels

    @property
    def notes(self) -> list[str]:
        """What there is to say about how they were read."""
        return self._data.notes

    @property
    def items(self) -> list[Any]:
        """The items; those of sequences are pairs of sequence and position."""
        return self._flavour.ids(self._items)

    @property
    def annotators(self) -> list[Any]:
        return self._flavour.to_list(self._annotators)

    @property
    def classes(self) -> list[Any]:
        """The classes in their order."""
        return self._flavour.to_list(self._classes)

    def __repr__(self) -> str:
        return repr(self._data).replace("<Data:", "<Answers:")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_flavour": self._flavour.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._flavour = FLAVOURS[state["_flavour"]]

    def _with_probabilities(self, given: Any) -> Answers:
        """These answers with class probabilities of a classifier."""
        import numpy as np

        if isinstance(given, Mapping):
            missing = [i for i in self.items if i not in given]
            if missing:
                raise DataError(f"{len(missing)} items have no probabilities, the first is {missing[0]!r}", "bad-data")
            listed = [given[i] for i in self.items]
            given = [[r[c] for c in self.classes] if isinstance(r, Mapping) else r for r in listed]
        elif _frames._from_module(given, "pandas"):
            given = self._in_order(given, "probabilities").reindex(columns=self.classes)
            if given.isna().any(axis=None):
                raise DataError("some items or classes have no probabilities", "bad-data", "a row for every item")
        rows = np.ascontiguousarray(np.asarray(given), dtype=np.float64)
        if rows.ndim != 2:
            raise DataError(f"probabilities need two dimensions, these have {rows.ndim}", "bad-data")
        return self._with(self._data.with_probabilities(rows))

    def _with_features(self, given: Any) -> Answers:
        """These answers with a row of numbers for every item."""
        import numpy as np

        if isinstance(given, Mapping):
            missing = [i for i in self.items if i not in given]
            if missing:
                raise DataError(f"{len(missing)} items have no features, the first is {missing[0]!r}", "bad-data")
            given = [given[i] for i in self.items]
        elif _frames._from_module(given, "pandas"):
            given = self._in_order(given, "features")
        rows = np.ascontiguousarray(np.asarray(given), dtype=np.float32)
        if rows.ndim != 2 or len(rows) != self.n_items:
            raise DataError(
                f"the features have the shape {rows.shape}, but there are {self.n_items} items",
                "bad-data",
                "a row for every item, in the order in which they first appear, or a frame or dictionary by item",
            )
        if not np.isfinite(rows).all():
            raise DataError("the features have values that are no finite numbers", "bad-data")
        return self._with(self._data.with_features(rows))

    def _in_order(self, frame: Any, what: str) -> Any:
        """The rows of a pandas frame in the order of the items."""
        missing = [i for i in self.items if i not in frame.index]
        if missing:
            raise DataError(f"{len(missing)} items have no {what}, the first is {missing[0]!r}", "bad-data")
        return frame.loc[self.items]

    def _with_edges(self, given: Any) -> Answers:
        """These answers with links between items."""
        return self._with(self._data.with_edges(edge_pairs(given)))

    def _as_sets(self) -> Answers:
        """These answers with a unit, yes or no, for every item and class."""
        data = self._data.as_sets()
        units, ids = data.set_units(), dict(zip(self._data.item_names(), self.items))
        f = self._flavour
        items = {str(self._names[0]): f.from_list([ids[i] for i, _ in units], self._items), "class": f.from_list([c for _, c in units], None)}
        people, who = data.annotator_names(), dict(zip(self._data.annotator_names(), self.annotators))
        listed = f.from_list([who[p] for p in people], self._annotators)
        return Answers(data, f, items, listed, f.from_list(data.class_names(), None), self._names)

    def _with(self, data: Data) -> Answers:
        return Answers(data, self._flavour, self._items, self._annotators, self._classes, self._names)

    def _units(self, n: int) -> Any:
        """Ids of what a result of this length is about: the compared pairs, or the items."""
        pairs = self._data.pair_codes()
        if pairs is not None and n == len(pairs):
            return {side: self._flavour.take(self._items, pairs[:, c]) for c, side in enumerate(("left", "right"))}
        return self._items

    def _classes_of(self, k: int, n: int) -> Any:
        """What the columns of a table of probabilities stand for: classes; yes or no for pairs; else numbers of groups."""
        if self.kind == "categorical":
            return self._classes
        if k == 2 and n == self._data.n_units:
            return self._flavour.from_list([False, True], None)
        return self._flavour.numbers(_range(k))

    def _joined(self, new: Answers) -> Answers:
        """These answers and `new` ones, for another fit."""
        data, items, annotators, classes = self._data.joined(new._data)
        f = self._flavour
        if new._flavour is not f:
            raise DataError(
                f"the first answers came as {f.name}, these as {new._flavour.name}", "bad-data", "keep to one of them"
            )
        mine, others = f.to_list(self._classes), f.to_list(new._classes)
        listed = [mine[a] if a >= 0 else others[b] for a, b in classes]
        return Answers(
            data,
            f,
            f.concat(self._items, f.take(new._items, items)) if len(items) else self._items,
            f.concat(self._annotators, f.take(new._annotators, annotators)) if len(annotators) else self._annotators,
            f.from_list(listed, self._classes),
            self._names,
        )


def _range(n: int) -> Any:
    import numpy as np

    return np.arange(n)


def read(
    path: str | os.PathLike[str],
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    kind: str | None = None,
    wide: bool = False,
    skip_bad_rows: bool = False,
    gold: str | os.PathLike[str] | None = None,
    ordered: bool | Iterable[Any] | None = None,
) -> Answers:
    """Reads answers from a file: CSV, TSV (also compressed), JSON lines, Parquet, exports of annotation tools.

    Columns are found by their names (``task``, ``worker``, ``label`` and the like) unless they are given. ``gold`` is a
    file of known truth (item, label) that fits use. Ids and labels are text. ``ordered`` is true if the classes are grades,
    or their order from one end of the scale to the other; by default well-known scales are recognised, unless it is false.
    """
    known = None if gold is None else os.fspath(gold)
    data = Data.read(
        os.fspath(path), item, annotator, label, kind, wide, skip_bad_rows, known, _order(ordered)
    )
    return _of_file(data)


def _order(ordered: bool | Iterable[Any] | None) -> bool | list[str] | None:
    return ordered if ordered is None or isinstance(ordered, bool) else [str(c) for c in ordered]


def _of_file(data: Data) -> Answers:
    items: Any = data.item_names()
    tokens = data.tokens()
    if tokens is not None:
        names = data.sequence_names()
        items = {"sequence": [names[c] for c in tokens[0]], "position": tokens[1].tolist()}
    return Answers(data, FLAVOURS["python"], items, data.annotator_names(), data.class_names())


def answers(
    data: Any,
    accepts: tuple[str, ...],
    *,
    gold: Any = None,
    kind: str | None = None,
    item: Any = None,
    annotator: Any = None,
    label: Any = None,
    ordered: bool | Iterable[Any] | None = None,
) -> Answers:
    """Answers of whatever a caller may bring, for a method that accepts these kinds of labels."""
    if isinstance(data, Answers):
        if gold is not None:
            raise DataError("gold goes with a frame, or into `read`", "usage")
        return data
    if isinstance(data, (str, os.PathLike)):
        return read(data, item=item, annotator=annotator, label=label, kind=kind, ordered=ordered)
    if _frames._from_module(data, "polars") and hasattr(data, "collect"):
        data = data.collect()
    if kind is not None and kind not in KINDS:
        raise DataError(f"there is no kind of labels `{kind}`", "unknown-name", f"one of {', '.join(KINDS)}")
    wanted = kind or (accepts[0] if len(accepts) == 1 else None)
    named = [None if n is None else str(n) for n in (item, label)]
    form = form_of(_column_names(data), wanted, *named)
    ranks = wanted in (None, "preference") and "preference" in accepts and item is None and label is None
    if ranks and (form == "rankings" or _rankings.listed(data) is not None):
        return _of_rankings(data, annotator, gold)
    if wanted in ("preference", "similarity"):
        return _of_pairs(data, wanted, gold, annotator, label)
    if form in ("comparisons", "similarities"):
        alike = form == "similarities" or "preference" not in accepts
        return _of_pairs(data, "similarity" if alike else "preference", gold, annotator, label)
    if wanted in (None, "categorical") and form == "tokens":
        return _sequences(data, gold, annotator, label)
    src = _frames.source(data, ("task", "worker", "label"))
    names = (
        src.pick("item", item),
        src.pick("annotator", annotator),
        src.pick("label", label),
    )
    what, who, said = src.columns(names)
    known = None if gold is None else _pairs(gold)
    texts = None if known is None else known.texts
    if wanted is None:
        wanted = "real" if "real" in accepts and said.looks_real() else "categorical"
    if wanted == "real":
        made = Data.numbers(what, who, said, texts)
        return Answers(made, src.flavour, *_ids(src, names, made), [], names)
    made = Data.classes(what, who, said, texts, _order(ordered))
    return Answers(made, src.flavour, *_ids(src, names, made), _classes(src, names[2], made, known), names)


def _ids(src: Source, names: tuple[Any, Any, Any], made: Data) -> tuple[Any, Any]:
    return src.take(names[0], made.item_rows()), src.take(names[1], made.annotator_rows())


def _classes(src: Source, name: Any, made: Data, known: _Pairs | None) -> Any:
    rows = made.class_rows()
    if (rows >= 0).all():
        return src.take(name, rows)
    # classes that only the gold has
    native = src.take(name, rows[rows >= 0])
    mine = iter(src.flavour.to_list(native))
    new = {} if known is None else known.values
    texts = made.class_names()
    return src.flavour.from_list([next(mine) if r >= 0 else new.get(t, t) for r, t in zip(rows, texts)], native)


def _column_names(data: Any) -> list[str]:
    """Names of the columns; none if it has no named columns."""
    if isinstance(data, Mapping):
        names: Any = data.keys()
    elif hasattr(data, "column_names"):
        names = data.column_names
    else:
        names = getattr(data, "columns", None)
    if names is None or callable(names):
        return []
    return [str(n) for n in names if not hasattr(n, "dtype")]


def _of_pairs(data: Any, kind: str, gold: Any, annotator: Any, label: Any) -> Answers:
    """Comparisons of two items, or judgements whether they are the same."""
    src = _frames.source(data, _positional(data))
    left, right = src.pick("left", None), src.pick("right", None)
    said_name = src.pick("same" if kind == "similarity" else "winner", label, "label")
    both = src.both(left, right)
    said = src.column(said_name)
    if annotator is not None or src.find("annotator") is not None:
        who_name = src.pick("annotator", annotator)
        who = src.column(who_name)
        people: Any = None
    else:
        who_name, who = "worker", Column.from_texts(["everybody"] * len(said))
        people = src.flavour.from_list(["everybody"], None)
    texts = None if gold is None else _pairs(gold).texts
    make = Data.similarities if kind == "similarity" else Data.comparisons
    made = make(both, who, said, texts)
    items = src.take_both(left, right, made.item_rows())
    people = src.take(who_name, made.annotator_rows()) if people is None else people
    return Answers(made, src.flavour, items, people, [], ("item", str(who_name), str(said_name)))


def _of_rankings(data: Any, annotator: Any, gold: Any) -> Answers:
    """Rankings of several items, whole or only their top."""
    known = None if gold is None else _pairs(gold).texts
    made, flavour, items, people, who = _rankings.read(data, annotator, known)
    return Answers(made, flavour, items, people, [], ("item", who, "ranking"))


def _sequences(data: Any, gold: Any, annotator: Any, label: Any) -> Answers:
    """Labels of the tokens of sequences."""
    src = _frames.source(data, ("sequence", "position", "worker", "label"))
    names = (
        src.pick("sequence", None),
        src.pick("position", None),
        src.pick("annotator", annotator),
        src.pick("label", label),
    )
    sequence, position, who, said = src.columns(names)
    made = Data.sequences(sequence, position, who, said, None if gold is None else _token_pairs(gold))
    of = src.take(names[0], made.item_rows())
    tokens = {str(names[0]): of, str(names[1]): src.flavour.numbers(made.positions())}
    people = src.take(names[2], made.annotator_rows())
    classes = _classes(src, names[3], made, None)
    return Answers(made, src.flavour, tokens, people, classes, ("item", str(names[2]), str(names[3])))


def _token_pairs(gold: Any) -> list[tuple[str, str]]:
    """Known labels of tokens: a series or dictionary by (sequence, position), or a frame of three columns."""
    if isinstance(gold, Mapping):
        return [(_token(t), str(v)) for t, v in gold.items() if not _missing(v)]
    if _frames._from_module(gold, "pandas") and not hasattr(gold, "columns"):
        return [(_token(t), str(v)) for t, v in zip(gold.index.tolist(), gold.tolist()) if not _missing(v)]
    src = _frames.source(gold, ("sequence", "position", "label"))
    names = (
        src.pick("sequence", None),
        src.pick("position", None),
        src.pick("truth", None, "label"),
    )
    sequence, position, label = src.columns(names)
    return [(f"{s}:{p}", v) for (s, p), (_, v) in zip(sequence.pairs(position), sequence.pairs(label))]


def _token(token: Any) -> str:
    return f"{token[0]}:{token[1]}" if isinstance(token, tuple) else str(token)


def edge_pairs(edges: Any) -> list[tuple[str, str]]:
    """Links between items as text: a frame of two columns, an array, or pairs."""
    src = _frames.source(edges, ("left", "right"))
    names = src.names()
    if len(names) != 2:
        raise DataError(f"edges have two columns, these have {len(names)}", "bad-data")
    left, right = src.columns(names)
    return left.pairs(right)


def _positional(data: Any) -> tuple[str, ...]:
    if hasattr(data, "shape") and len(data.shape) == 2:
        width = data.shape[1]
    elif isinstance(data, list) and data:
        width = len(data[0])
    else:
        width = 3
    return ("worker", "left", "right", "label") if width == 4 else ("left", "right", "label")


class _Pairs:
    """Known values of some items."""

    def __init__(self, ids: Any, values: Any, listed: list[Any]) -> None:
        i, v = _frames.of_values(ids), _frames.of_values(values)
        self.texts: list[tuple[str, str]] = i.pairs(v)
        self.values: dict[str, Any] = dict(zip((t for _, t in v.pairs(v)), (x for x in listed if not _missing(x))))


def _missing(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124 (NaN is not itself)


def _pairs(gold: Any) -> _Pairs:
    """Pairs of a series with the items as index, a dictionary, a frame of two columns or a list of pairs."""
    if isinstance(gold, Mapping):
        return _Pairs(list(gold.keys()), list(gold.values()), list(gold.values()))
    if _frames._from_module(gold, "pandas") and not hasattr(gold, "columns"):
        return _Pairs(gold.index, gold, gold.tolist())
    if isinstance(gold, (str, os.PathLike)):
        raise DataError("known truth in a file goes into `read(answers, gold=…)`", "usage")
    src = _frames.source(gold, ("task", "label"))
    names = src.names()
    found = src.find("item")
    item = names[0] if found is None else found
    rest = [n for n in names if n != item]
    label = src.pick("truth", rest[0] if len(rest) == 1 else None, "label")
    ids, values = src.column(item), src.column(label)
    pairs = object.__new__(_Pairs)
    pairs.texts = ids.pairs(values)
    natives = src.flavour.to_list(src.take(label, values.first_rows()))
    pairs.values = dict(zip(values.texts(), natives))
    return pairs


def truth_pairs(truth: Any) -> list[tuple[str, str]] | None:
    """Known truth as text, as the library compares it."""
    if truth is None:
        return None
    return _token_pairs(truth) if _of_tokens(truth) else _pairs(truth).texts


def _of_tokens(truth: Any) -> bool:
    """Whether known truth is that of tokens."""
    if isinstance(truth, Mapping):
        return isinstance(next(iter(truth), None), tuple)
    if _frames._from_module(truth, "pandas") and not hasattr(truth, "columns"):
        return getattr(truth.index, "nlevels", 1) == 2
    return form_of(_column_names(truth)) == "tokens"
