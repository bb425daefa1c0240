"""Everything that can be asked of a fit: the same answers as on the command line."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from . import _crowdwise
from ._answers import Answers, truth_pairs
from ._crowdwise import Fit
from ._table import Table

__all__ = ["Finding", "Result"]


@dataclass(frozen=True)
class Finding:
    """A problem with advice."""

    code: str
    severity: str
    subject: str
    message: str
    advice: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.subject}: {self.message} ({self.advice})"


class Result:
    """A fit with its data."""

    def __init__(self, answers: Answers, fit: Fit) -> None:
        self._answers = answers
        self._fit = fit

    @property
    def method(self) -> str:
        return self._fit.method

    @property
    def params(self) -> dict[str, Any]:
        return json.loads(self._fit.params)

    @property
    def stop(self) -> str:
        """Why it ended: ``direct``, ``converged``, ``settled``, ``max-iter``, ``cancelled`` or ``not-finite``."""
        return self._fit.stop

    @property
    def iterations(self) -> int:
        return self._fit.iterations

    @property
    def objective(self) -> tuple[str, float] | None:
        """What was made as large as possible, and how large it is."""
        return self._fit.objective

    @property
    def details(self) -> dict[str, Any]:
        """Further numbers of the method."""
        return json.loads(self._fit.details)

    @property
    def elapsed(self) -> float:
        """Seconds that the fit took."""
        return self._fit.elapsed

    def annotators(self) -> Any:
        """One row for every annotator."""
        rows = json.loads(_crowdwise.annotators(self._answers._data, self._fit))
        columns: dict[str, list[Any]] = {}
        for name in _ANNOTATOR_COLUMNS:
            values = [r.get(name) for r in rows]
            if any(v is not None for v in values):
                columns[name] = values
            if name == "accuracy" and any(r.get("interval") for r in rows):
                columns["low"] = [r["interval"][0] if r.get("interval") else None for r in rows]
                columns["high"] = [r["interval"][1] if r.get("interval") else None for r in rows]
        columns["flags"] = [", ".join(r["flags"]) for r in rows]
        a = self._answers
        return a._flavour.table(a._annotators, columns, str(a._names[1]))

    def items(self, by: str = "entropy", top: int = 20) -> Table:
        """The items to look at again, with who said what."""
        a = self._answers
        rows = json.loads(_crowdwise.items(a._data, self._fit, by, top))
        ids, who, classes = a.items, a.annotators, a.classes
        units = a._data.units()
        shown: list[dict[str, Any]] = []
        for row in rows:
            unit = units[row.pop("unit")]
            votes = [(who[j], classes[said] if classes else said) for j, said in row.pop("votes")]
            best = row.pop("class")
            names = {"item": ids[unit[0]]} if len(unit) == 1 else {"left": ids[unit[0]], "right": ids[unit[1]]}
            label = {} if best is None or not classes else {"label": classes[best]}
            shown.append({**names, **label, **{k: v for k, v in row.items() if v is not None}, "votes": votes})
        return Table(shown)

    def findings(self) -> list[Finding]:
        found = json.loads(_crowdwise.findings(self._fit))
        return [Finding(f["code"], f["severity"], f["subject"], f["message"], f["advice"]) for f in found]

    def evaluate(self, truth: Any) -> dict[str, Any]:
        """How well the fit agrees with known truth (a series indexed by item, a dictionary, pairs).

        Scored are the items that somebody labelled; ``unlabelled`` counts the others.
        """
        return json.loads(_crowdwise.evaluate(self._answers._data, self._fit, truth_pairs(truth) or []))

    def document(self, truth: Any = None) -> dict[str, Any]:
        """The document that ``crowdwise fit --format json`` prints."""
        return json.loads(_crowdwise.document(self._answers._data, self._fit, truth_pairs(truth)))

    def report(self, path: str | os.PathLike[str] | None = None, *, truth: Any = None, title: str | None = None) -> str:
        """One HTML page that needs no network; written to ``path`` if it is given."""
        page = _crowdwise.report(self._answers._data, self._fit, truth_pairs(truth), title)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def __repr__(self) -> str:
        return f"<Result of {self.method}: {self.stop} after {self.iterations} iterations, {self._answers!r}>"

    def _repr_html_(self) -> str:
        a = self._answers
        rows = [
            ("method", self.method),
            ("data", f"{a.n_labels} labels of {a.n_annotators} annotators on {a.n_items} items"),
            ("iterations", f"{self.iterations} ({self.stop})"),
        ]
        if self.objective is not None:
            rows.append((self.objective[0], f"{self.objective[1]:.6g}"))
        body = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows)
        found = self.findings()
        notes = "".join(f"<li>{escape(str(f))}</li>" for f in found[:10])
        return f"<table>{body}</table>" + (f"<ul>{notes}</ul>" if notes else "")


_ANNOTATOR_COLUMNS = (
    "n",
    "accuracy",
    "information_bits",
    "agreement",
    "agreement_n",
    "weight",
    "bias",
    "error",
    "sd",
    "spammer_score",
)
