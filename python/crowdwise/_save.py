"""Methods in files, without pickle: a file from somebody else can be read without running what is in it."""

from __future__ import annotations

import io
import json
import os
import zipfile
from typing import Any

from . import __version__
from ._answers import Answers
from ._crowdwise import Data, Fit
from ._errors import DataError, FileError
from ._frames import FLAVOURS
from ._params import plain

MAGIC = "crowdwise"


def save(method: Any, path: str | os.PathLike[str]) -> None:
    params = {k: plain(v) for k, v in method.get_params(deep=False).items()}
    head: dict[str, Any] = {"format": MAGIC, "version": __version__, "class": type(method).__name__, "params": params}
    try:
        head_text = json.dumps(head)
    except TypeError as e:
        raise DataError(f"a parameter cannot be kept in a file: {e}", "unsupported", "use pickle") from None
    with _writing(path) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("head.json", head_text)
        for name, content in method._parts().items() if hasattr(method, "_parts") else _parts(method).items():
            z.writestr(name, content)


def load(path: str | os.PathLike[str]) -> Any:
    import crowdwise

    try:
        with zipfile.ZipFile(path) as z:
            parts = {n: z.read(n) for n in z.namelist()}
        head = json.loads(parts["head.json"])
        if head["format"] != MAGIC:
            raise KeyError("format")
    except FileNotFoundError:
        raise FileError(f"{os.fspath(path)} could not be read: there is no such file", "unreadable") from None
    except (zipfile.BadZipFile, KeyError, ValueError) as e:
        raise FileError(
            f"{os.fspath(path)} could not be read: it is not a saved Crowdwise method ({e})", "unreadable"
        ) from None
    made = getattr(crowdwise, head["class"])(**head["params"])
    restore = getattr(made, "_restore_parts", None)
    if restore is not None:
        restore(parts)
    elif "fit.bin" in parts:
        made._take(answers_of(parts), Fit.from_bytes(parts["fit.bin"]))
    return made


def _parts(method: Any) -> dict[str, bytes]:
    if not method.__sklearn_is_fitted__():
        return {}
    return {**parts_of(method._answers), "fit.bin": method._fit.to_bytes()}


def parts_of(answers: Answers) -> dict[str, bytes]:
    """Answers as named parts."""
    f = answers._flavour
    columns: dict[str, Any] = {}
    for name, values in (("items", answers._items), ("annotators", answers._annotators), ("classes", answers._classes)):
        if isinstance(values, dict):  # tokens
            columns[name] = {"columns": {k: _column(f, name, v) for k, v in values.items()}}
        else:
            columns[name] = _column(f, name, values)
    ids = {"flavour": f.name, "names": [str(n) for n in answers._names], **columns}
    return {"ids.json": json.dumps(ids).encode(), "data.bin": answers._data.to_bytes()}


def _column(flavour: Any, name: str, values: Any) -> dict[str, Any]:
    listed = flavour.to_list(values)
    odd = next((v for v in listed if not isinstance(v, (str, int, float, bool, type(None)))), None)
    if odd is not None:
        kind = type(odd).__name__
        raise DataError(f"{name} of type {kind} cannot be kept in a file", "unsupported", "use pickle")
    return {"values": listed, "type": str(getattr(values, "dtype", getattr(values, "type", "")))}


def answers_of(parts: dict[str, bytes]) -> Answers:
    ids = json.loads(parts["ids.json"])
    f = FLAVOURS[ids["flavour"]]
    items, annotators, classes = (_restored(ids["flavour"], ids[n]) for n in ("items", "annotators", "classes"))
    item, annotator, label = ids["names"]
    data = Data.from_bytes(parts["data.bin"])
    return Answers(data, f, items, annotators, classes, (item, annotator, label))


def _restored(flavour: str, kept: dict[str, Any]) -> Any:
    if "columns" in kept:
        return {k: _restored(flavour, v) for k, v in kept["columns"].items()}
    return _typed(flavour, kept["values"], kept["type"])


def _typed(flavour: str, values: list[Any], kind: str) -> Any:
    """Ids in the type that they had."""
    if flavour == "pandas":
        import pandas as pd

        try:
            return pd.Index(values, dtype=kind)
        except (TypeError, ValueError):
            return pd.Index(values)
    if flavour == "polars":
        import polars as pl

        known = getattr(pl, kind.partition("(")[0], None)
        try:
            return pl.Series(values, dtype=known)
        except (TypeError, ValueError, pl.exceptions.PolarsError):
            return pl.Series(values)
    if flavour == "pyarrow":
        import pyarrow as pa

        try:
            return pa.array(values, type=pa.type_for_alias(kind))
        except (ValueError, pa.ArrowInvalid):
            return pa.array(values)
    return values


class _writing:
    """A file that is there whole or not at all."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.buffer = io.BytesIO()

    def __enter__(self) -> io.BytesIO:
        return self.buffer

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is not None:
            return
        beside = f"{self.path}.part"
        try:
            with open(beside, "wb") as out:
                out.write(self.buffer.getvalue())
            os.replace(beside, self.path)
        except OSError as e:
            raise FileError(f"{self.path} could not be written: {e}", "unwritable") from e
