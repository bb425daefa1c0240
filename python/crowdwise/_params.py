"""Parameters in scikit-learn's manners, without scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from ._errors import ParameterError


class Params:
    """Parameters are the arguments of the constructor, kept as attributes of the same names."""

    _param_names_kept: ClassVar[list[str]]

    @classmethod
    def _param_names(cls) -> list[str]:
        known = cls.__dict__.get("_param_names_kept")
        if known is None:
            signature = inspect.signature(cls.__init__)
            listed = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
            known = [p.name for p in listed if p.name != "self"]
            cls._param_names_kept = known
        return known

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        out: dict[str, Any] = {}
        for name in self._param_names():
            value = getattr(self, name)
            out[name] = value
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                out.update({f"{name}__{k}": v for k, v in value.get_params().items()})
        return out

    def set_params(self, **params: Any) -> Any:
        """Sets parameters by name; returns self."""
        known = self._param_names()
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            head, _, rest = name.partition("__")
            if head not in known:
                import difflib

                near = difflib.get_close_matches(head, known, 1)
                raise ParameterError(
                    f"{type(self).__name__} has no parameter `{head}`",
                    "unknown-parameter",
                    f"did you mean `{near[0]}`?" if near else f"it has {', '.join(known)}",
                )
            if rest:
                nested.setdefault(head, {})[rest] = value
            else:
                setattr(self, head, value)
        for head, inner in nested.items():
            getattr(self, head).set_params(**inner)
        return self

    def __repr__(self) -> str:
        defaults = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
        changed = []
        for name in self._param_names():
            value = getattr(self, name, None)
            if not _same(value, defaults[name]):
                changed.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(changed)})"


def _same(a: Any, b: Any) -> bool:
    try:
        return a is b or bool(a == b)
    except (TypeError, ValueError):
        return False


def plain(value: Any) -> Any:
    """A value as JSON has it: NumPy's numbers become Python's, keys become text."""
    if hasattr(value, "tolist") and not isinstance(value, (str, bytes)):
        return plain(value.tolist())
    if isinstance(value, dict) or (hasattr(value, "items") and hasattr(value, "keys")):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value
