"""Answers: who said what about which item, with the ids in the caller's own types."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _frames
from ._crowdwise import Column, Data
from ._errors import DataError
from ._frames import FLAVOURS, Flavour, Source

__all__ = ["Answers", "read"]

#: What a label can be.
KINDS = ("categorical", "real", "preference")


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
        return self._flavour.to_list(self._items)

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
            given = given.reindex(index=self.items, columns=self.classes)
            if given.isna().any(axis=None):
                raise DataError("some items or classes have no probabilities", "bad-data", "a row for every item")
        rows = np.ascontiguousarray(np.asarray(given), dtype=np.float64)
        if rows.ndim != 2:
            raise DataError(f"probabilities need two dimensions, these have {rows.ndim}", "bad-data")
        data = self._data.with_probabilities(rows)
        return Answers(data, self._flavour, self._items, self._annotators, self._classes, self._names)

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
) -> Answers:
    """Reads answers from a file: CSV, TSV (also compressed), JSON lines, Parquet, exports of annotation tools.

    Columns are found by their names (``task``, ``worker``, ``label`` and their kin) unless they are given. ``gold`` is a
    file of known truth (item, label) that fits use. Ids and labels are text.
    """
    data = Data.read(
        os.fspath(path), item, annotator, label, kind, wide, skip_bad_rows, None if gold is None else os.fspath(gold)
    )
    return _of_file(data)


def _of_file(data: Data) -> Answers:
    return Answers(data, FLAVOURS["python"], data.item_names(), data.annotator_names(), data.class_names())


def answers(
    data: Any,
    accepts: tuple[str, ...],
    *,
    gold: Any = None,
    kind: str | None = None,
    item: Any = None,
    annotator: Any = None,
    label: Any = None,
    ordered: bool = False,
) -> Answers:
    """Answers of whatever a caller may bring, for a method that accepts these kinds of labels."""
    if isinstance(data, Answers):
        if gold is not None:
            raise DataError("gold goes with a frame, or into `read`", "usage")
        return data
    if isinstance(data, (str, os.PathLike)):
        return read(data, item=item, annotator=annotator, label=label, kind=kind)
    if kind is not None and kind not in KINDS:
        raise DataError(f"there is no kind of labels `{kind}`", "unknown-name", f"one of {', '.join(KINDS)}")
    wanted = kind or (accepts[0] if len(accepts) == 1 else None)
    if wanted == "preference" or (wanted is None and _compares(data)):
        return _comparisons(data, annotator, label)
    src = _frames.source(data, ("task", "worker", "label"))
    names = (
        src.pick("item", item, _frames.ITEM),
        src.pick("annotator", annotator, _frames.ANNOTATOR),
        src.pick("label", label, _frames.LABEL),
    )
    what, who, said = src.columns(names)
    known = None if gold is None else _pairs(gold)
    texts = None if known is None else known.texts
    if wanted is None:
        wanted = "real" if "real" in accepts and said.looks_real() else "categorical"
    if wanted == "real":
        made = Data.numbers(what, who, said, texts)
        return Answers(made, src.flavour, *_ids(src, names, made), [], names)
    made = Data.classes(what, who, said, texts, ordered)
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


def _compares(data: Any) -> bool:
    names = getattr(data, "columns", None)
    if isinstance(data, Mapping):
        names = data.keys()
    if names is None or callable(names):
        return False
    lowered = {str(n).lower() for n in names}
    return "left" in lowered and "right" in lowered


def _comparisons(data: Any, annotator: Any, label: Any) -> Answers:
    src = _frames.source(data, _positional(data))
    left, right = src.pick("left", None, _frames.LEFT), src.pick("right", None, _frames.RIGHT)
    winner = src.pick("label", label, ("label", "winner", "answer", "choice", "preferred"))
    both = src.both(left, right)
    said = src.column(winner)
    try:
        who_name = src.pick("annotator", annotator, _frames.ANNOTATOR)
        who = src.column(who_name)
        people: Any = None
    except DataError:
        if annotator is not None:
            raise
        who_name, who = "worker", Column.from_texts(["everybody"] * len(said))
        people = src.flavour.from_list(["everybody"], None)
    made = Data.comparisons(both, who, said)
    items = src.take_both(left, right, made.item_rows())
    people = src.take(who_name, made.annotator_rows()) if people is None else people
    return Answers(made, src.flavour, items, people, [], ("item", str(who_name), str(winner)))


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
    item = src.pick("item", None, (*_frames.ITEM, str(names[0]).lower()))
    rest = [n for n in names if n != item]
    label = src.pick("label", rest[0] if len(rest) == 1 else None, (*_frames.LABEL, "truth", "gold", "agg_label"))
    ids, values = src.column(item), src.column(label)
    pairs = object.__new__(_Pairs)
    pairs.texts = ids.pairs(values)
    natives = src.flavour.to_list(src.take(label, values.first_rows()))
    pairs.values = dict(zip(values.texts(), natives))
    return pairs


def truth_pairs(truth: Any) -> list[tuple[str, str]] | None:
    """Known truth as text, as the library compares it."""
    return None if truth is None else _pairs(truth).texts
