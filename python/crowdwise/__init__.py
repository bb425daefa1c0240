"""Truth, annotator quality and reports from the labels of many unreliable annotators.

>>> import crowdwise
>>> votes = [("cat.jpg", "ann", "cat"), ("cat.jpg", "bob", "cat"), ("cat.jpg", "eve", "dog"),
...          ("dog.jpg", "ann", "dog"), ("dog.jpg", "bob", "dog")]
>>> crowdwise.MajorityVote().fit_predict(votes)
{'cat.jpg': 'cat', 'dog.jpg': 'dog'}

Everything is imported when it is first used: `import crowdwise` itself loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

from ._crowdwise import __version__

if TYPE_CHECKING:
    from ._answers import Answers, read
    from ._api import (
        Comparison,
        Simulation,
        agreement,
        aggregate,
        cohen_kappa,
        compare,
        fleiss_kappa,
        gwet_ac1,
        inspect,
        krippendorff_alpha,
        methods,
        page,
        report,
        simulate,
    )
    from ._asking import Asker, Planned, Questions, Replayed, next_questions, plan, replay
    from ._base import Aggregator, load
    from ._crowdwise import limit_memory
    from ._errors import (
        CrowdwiseError,
        DataError,
        FileError,
        InterruptedFit,
        InterruptedWarning,
        NotFittedError,
        ParameterError,
        UnknownNameError,
        UnsupportedError,
    )
    from ._learn import Learner
    from ._loop import ActiveLoop
    from ._methods import *  # noqa: F403
    from ._result import Finding, Result
    from ._table import Table

_WHERE = {
    "_answers": ("Answers", "read"),
    "_api": (
        "Comparison",
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
    ),
    "_asking": ("Asker", "Planned", "Questions", "Replayed", "next_questions", "plan", "replay"),
    "_base": ("Aggregator", "load"),
    "_crowdwise": ("limit_memory",),
    "_errors": (
        "CrowdwiseError",
        "DataError",
        "FileError",
        "InterruptedFit",
        "InterruptedWarning",
        "NotFittedError",
        "ParameterError",
        "UnknownNameError",
        "UnsupportedError",
    ),
    "_learn": ("Learner",),
    "_loop": ("ActiveLoop",),
    "_result": ("Finding", "Result"),
    "_table": ("Table",),
}
_HOME = {name: module for module, names in _WHERE.items() for name in names}


def __getattr__(name: str) -> _Any:
    if name == "__all__":
        return [*_HOME, *_import_module("crowdwise._methods").__all__]
    if name == "crowdkit":
        return _import_module("crowdwise.crowdkit")
    if name.startswith("_"):
        raise AttributeError(f"module 'crowdwise' has no attribute {name!r}")
    module = _import_module(f"crowdwise.{_HOME.get(name, '_methods')}")
    try:
        value = getattr(module, name)
    except AttributeError:
        import difflib

        near = difflib.get_close_matches(name, [*_HOME, *module.__all__], 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module 'crowdwise' has no attribute {name!r}{hint}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__getattr__("__all__"), "__version__"])
