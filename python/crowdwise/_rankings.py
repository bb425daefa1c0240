"""Rankings of several items: places, one a row, or whole orders, one a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _frames
from ._crowdwise import Data, ranking_order
from ._errors import DataError


def listed(data: Any) -> list[Any] | None:
    """Rows (annotator, ranking) or (annotator, ranking, shown) whose last value is a list; None if they are others."""
    if isinstance(data, (str, bytes, Mapping)) or hasattr(data, "dtype") or not isinstance(data, Sequence) or not data:
        return None
    several = (list, tuple)
    if all(isinstance(r, several) and len(r) in (2, 3) and isinstance(r[-1], several) for r in data):
        return list(data)
    return None


def read(data: Any, annotator: Any, gold: list[tuple[str, str]] | None) -> tuple[Data, _frames.Flavour, Any, Any, str]:
    """The data, how they are given back, items, annotators, and what annotators are called."""
    rows = listed(data)
    if rows is not None:
        if len({len(r) for r in rows}) > 1:
            raise DataError("some rows have what was shown and some have not", "bad-data", "(annotator, ranking, shown)")
        columns: dict[Any, Any] = {n: [r[c] for r in rows] for c, n in enumerate(("worker", "ranking", "shown")[: len(rows[0])])}
        src: _frames.Source = _frames.PlainSource(columns)
    else:
        src = _frames.source(data, ("worker", "ranking"))
    who = src.pick("annotator", annotator)
    item, place = src.find("item"), src.find("place")
    if item is not None and place is not None:
        of = src.find("ranking", but=(item, place, who))
        task, worker, position = src.columns((item, who, place))
        made = Data.rankings(task, worker, None if of is None else src.column(of), position, True, gold)
        return made, src.flavour, src.take(item, made.item_rows()), src.take(who, made.annotator_rows()), str(who)
    ranking = src.pick("ranked", None, "ranking")
    shown = src.find("shown", but=(ranking,))
    orders = src.values(ranking)
    sets = [None] * len(orders) if shown is None else src.values(shown)
    places = [_places(n, o, s) for n, (o, s) in enumerate(zip(orders, sets))]
    number = [n for n, p in enumerate(places) for _ in p]
    ids = [i for p in places for i, _ in p]
    people = src.values(who)
    worker = _frames.of_values([people[n] for n in number])
    at = _frames.of_values(_objects([None if a is None else int(a) for p in places for _, a in p]))
    task = _frames.of_values(_objects(ids))
    made = Data.rankings(task, worker, _frames.of_values(number), at, False, gold)
    items = src.flavour.from_list([ids[r] for r in made.item_rows()], None)
    rows_of = [number[r] for r in made.annotator_rows()]
    return made, src.flavour, items, src.take(who, _array(rows_of)), str(who)


def _array(rows: list[int]) -> Any:
    import numpy as np

    return np.array(rows, dtype=np.int64)


def _objects(values: list[Any]) -> Any:
    import numpy as np

    out = np.empty(len(values), dtype=object)
    for n, value in enumerate(values):  # one by one: ids may be tuples
        out[n] = value
    return out


def _places(row: int, order: Any, shown: Any) -> list[tuple[Any, int | None]]:
    """The items of one ranking with their places, None for those behind the ranked ones."""
    if _none(order):
        return []
    if isinstance(order, str) and (shown is None or isinstance(shown, str) or _none(shown)):
        try:
            return list(ranking_order(order, shown if isinstance(shown, str) else None))
        except ValueError as e:
            raise DataError(f"row {row}: {e}", "bad-data") from None
    if isinstance(order, str) and (">" in order or "=" in order):
        places = _places(row, order, None)
        best, behind = [i for i, n in places if n is not None], [i for i, n in places if n is None]
    else:
        best = list(order) if isinstance(order, Iterable) and not isinstance(order, str) else [order]
        behind = []
    if not _none(shown):
        listed = _shown(shown, best) if isinstance(shown, str) else list(shown)
        missing = [i for i in best + behind if i not in listed]
        if missing:
            raise DataError(f"row {row}: `{missing[0]}` was chosen but is not among those shown", "bad-data")
        behind = [i for i in listed if i not in best]
    if len(best) + len(behind) < 2:
        raise DataError(f"row {row}: a ranking of one item", "bad-data", "a list of items, best first")
    return [(i, n + 1) for n, i in enumerate(best)] + [(i, None) for i in behind]


def _shown(text: str, best: list[Any]) -> list[Any]:
    """The items of a text, as numbers if those ranked are numbers."""
    listed: list[Any] = [s.strip() for s in re.split("[|;,>]", text) if s.strip()]
    of_text = {str(i): i for i in best}
    kind = type(best[0]) if best and isinstance(best[0], (int, float)) else str
    try:
        return [of_text.get(s, kind(s)) for s in listed]
    except ValueError:
        return listed


def _none(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)
