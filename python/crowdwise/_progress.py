"""A line that tells how a fit goes: on terminals and in notebooks, after half a second, never slowing anything."""

from __future__ import annotations

import sys
import time
from typing import Any

#: Seconds before the line is shown.
DELAY = 0.5


class Progress:
    """Called by a running fit at most ten times a second."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.begun = time.monotonic()
        self.shown = False
        self.handle: Any = None

    def __call__(
        self, iteration: int, most: int, objective: float | None, change: float, tol: float, stage: str | None
    ) -> None:
        if time.monotonic() - self.begun < DELAY:
            return
        text = f"{self.what}: {stage}" if stage else f"{self.what}: {iteration}/{most}"
        if objective is not None and not stage:
            text += f"  objective {objective:.6g}"
        if change == change and not stage:
            text += f"  change {change:.2g} (until {tol:.2g})" if tol == tol else f"  change {change:.2g}"
        self._show(text)

    def _show(self, text: str) -> None:
        self.shown = True
        if in_notebook():
            from IPython.display import HTML, display

            shown = HTML(f"<pre>{text}</pre>")
            if self.handle is None:
                self.handle = display(shown, display_id=True)
            else:
                self.handle.update(shown)
        else:
            sys.stderr.write("\r" + text[:100].ljust(100))
            sys.stderr.flush()

    def done(self) -> None:
        if not self.shown:
            return
        if self.handle is not None:
            from IPython.display import HTML

            self.handle.update(HTML(""))
        elif not in_notebook():
            sys.stderr.write("\r" + " " * 100 + "\r")
            sys.stderr.flush()


def in_notebook() -> bool:
    return "ipykernel" in sys.modules


def wanted(progress: bool | None, what: str) -> Progress | None:
    """A progress line if it is asked for, or if somebody is watching."""
    if progress is None:
        progress = in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
    return Progress(what) if progress else None
