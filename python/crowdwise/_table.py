"""A small table: rows that print well in terminals and notebooks, and go into any frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, overload

__all__ = ["Table"]


class Table(Sequence[dict[str, Any]]):
    """Rows with names; ``table[0]["accuracy"]``, ``table.to_pandas()``, ``table.to_polars()``."""

    def __init__(self, rows: list[dict[str, Any]], columns: list[str] | None = None) -> None:
        self.rows = rows
        names: dict[str, None] = {}
        for row in rows:
            names.update(dict.fromkeys(row))
        self.columns = columns if columns is not None else list(names)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> Table: ...
    def __getitem__(self, at: int | slice) -> dict[str, Any] | Table:
        return Table(self.rows[at], self.columns) if isinstance(at, slice) else self.rows[at]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        return [r.get(name) for r in self.rows]

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name."""
        return {c: self.column(c) for c in self.columns}

    def to_pandas(self) -> Any:
        import pandas as pd

        return pd.DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        import polars as pl

        return pl.DataFrame(self.to_dict(), strict=False)

    def __repr__(self) -> str:
        shown = [c for c in self.columns if not any(isinstance(r.get(c), (dict, list)) for r in self.rows)]
        if not shown:
            return "(no rows)"
        head = self.rows[:MOST]
        cells = [shown, *([_cell(r.get(c)) for c in shown] for r in head)]
        width = [max(len(line[n]) for line in cells) for n in range(len(shown))]
        right = [any(isinstance(r.get(c), (int, float)) for r in head) for c in shown]
        lines = [
            "  ".join(t.rjust(w) if r else t.ljust(w) for t, w, r in zip(line, width, right)).rstrip() for line in cells
        ]
        if len(self.rows) > MOST:
            lines.append(f"… {len(self.rows) - MOST} more rows")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        shown = [c for c in self.columns if not any(isinstance(r.get(c), (dict, list)) for r in self.rows)]
        head = "".join(f"<th>{escape(str(c))}</th>" for c in shown)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(r.get(c)))}</td>" for c in shown) + "</tr>" for r in self.rows[:MOST]
        )
        more = f"<p>… {len(self.rows) - MOST} more rows</p>" if len(self.rows) > MOST else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


#: Rows that are shown.
MOST = 60


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}" if 1e-4 <= abs(value) < 1e5 or value == 0 else f"{value:.4g}"
    return str(value)
