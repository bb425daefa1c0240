"""Frames of any flavour: where columns come from, and how answers go back in the same flavour.

Ids never go through text on their way back: the library says in which row of the caller's frame an id first appears, and
the id is taken from there, in the type that it has there.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

from ._crowdwise import Column, find_column, usual_columns
from ._errors import DataError

if TYPE_CHECKING:
    import numpy as np


class Source:
    """Columns of what the caller gave."""

    flavour: Flavour

    def names(self) -> list[str]:
        raise NotImplementedError

    def column(self, name: Any) -> Column:
        """The column with its values numbered."""
        raise NotImplementedError

    def columns(self, names: Sequence[Any]) -> list[Column]:
        return [self.column(n) for n in names]

    def take(self, name: Any, rows: Any) -> Any:
        """The values in these rows, in the flavour's own form."""
        raise NotImplementedError

    def values(self, name: Any) -> list[Any]:
        """A column as Python values."""
        raise NotImplementedError

    def both(self, left: Any, right: Any) -> Column:
        """Two columns one after the other, numbered together."""
        raise NotImplementedError

    def take_both(self, left: Any, right: Any, rows: Any) -> Any:
        raise NotImplementedError

    def find(self, role: str, but: Sequence[Any] = ()) -> Any:
        """The name of the column that holds this, by its name as in files; None if there is none `but` these."""
        names = [n for n in self.names() if n not in but]
        found = find_column([str(n) for n in names], role)
        return None if found is None else names[found]

    def pick(self, role: str, wanted: Any, called: str | None = None) -> Any:
        """The name of the column for a role: the one that was asked for, or one of a usual name.

        ``called`` is what messages call it, and the argument that names it.
        """
        names = self.names()
        if wanted is not None:
            if wanted in names:
                return wanted
            raise DataError(
                f"no column `{wanted}` in the data (found: {_listed(names)})", "missing-column", _near(wanted, names)
            )
        found = self.find(role)
        if found is not None:
            return found
        called = called or role
        raise DataError(
            f"no column for the {called} in the data (found: {_listed(names)})",
            "missing-column",
            f"say which it is: fit(data, {called}=...), or call it `{usual_columns()[role][0]}`",
        )


class Flavour:
    """How answers are given back."""

    name = "python"

    def ids(self, ids: Any) -> list[Any]:
        """Ids as a list; those of several columns (a dictionary: tokens, pairs) as tuples."""
        if isinstance(ids, dict):
            return list(zip(*(self.to_list(v) for v in ids.values())))
        return self.to_list(ids)

    def columns(self, ids: Any, id_name: str) -> dict[str, Any]:
        """Ids as the first columns of a table."""
        return {str(k): v for k, v in ids.items()} if isinstance(ids, dict) else {id_name: ids}

    def numbers(self, array: np.ndarray) -> Any:
        """Numbers in the flavour's own form."""
        return array.tolist()

    def to_list(self, values: Any) -> list[Any]:
        return list(values)

    def from_list(self, values: list[Any], like: Any) -> Any:
        return values

    def take(self, values: Any, index: Any) -> Any:
        return [values[i] for i in index]

    def picked(self, values: Any, index: np.ndarray) -> Any:
        """One of a few values for every row of a result, as ``series`` takes them."""
        return self.take(values, index)

    def concat(self, first: Any, second: Any) -> Any:
        return list(first) + list(second)

    def length(self, values: Any) -> int:
        return len(values)

    def series(self, ids: Any, values: Any, name: str, id_name: str) -> Any:
        """A value for every id."""
        return dict(zip(self.ids(ids), _python(values)))

    def matrix(self, ids: Any, columns: list[Any], array: np.ndarray, id_name: str, columns_name: str) -> Any:
        """A row of numbers for every id."""
        return {i: dict(zip(columns, row)) for i, row in zip(self.ids(ids), array.tolist())}

    def table(self, ids: Any, columns: Mapping[str, Sequence[Any]], id_name: str) -> Any:
        """Several values for every id."""
        from ._table import Table

        named = {k: self.to_list(v) for k, v in self.columns(ids, id_name).items()}
        length = len(next(iter(named.values())))
        return Table([{c: v[n] for c, v in {**named, **columns}.items()} for n in range(length)])

    def confusion(self, ids: Any, classes: list[Any], array: np.ndarray, id_name: str, rows: str, columns: str) -> Any:
        """A matrix for every id."""
        return {i: m for i, m in zip(self.to_list(ids), array)}


class PandasFlavour(Flavour):
    name = "pandas"

    def index(self, ids: Any, id_name: str) -> Any:
        import pandas as pd

        if isinstance(ids, dict):
            return pd.MultiIndex.from_arrays(list(ids.values()), names=list(ids))
        return ids.rename(id_name)

    def numbers(self, array: np.ndarray) -> Any:
        import pandas as pd

        return pd.Index(array)

    def to_list(self, values: Any) -> list[Any]:
        return values.tolist()

    def from_list(self, values: list[Any], like: Any) -> Any:
        import pandas as pd

        try:
            return pd.Index(values, dtype=None if like is None or _is_category(like) else like.dtype)
        except (TypeError, ValueError):
            return pd.Index(values)

    def take(self, values: Any, index: Any) -> Any:
        return values.take(index)

    def picked(self, values: Any, index: np.ndarray) -> Any:
        import numpy as np

        if not isinstance(values.dtype, np.dtype):
            return values.take(index)
        # little by little: NumPy makes eight bytes of every number of the index
        known, out = values.to_numpy(), np.empty(len(index), dtype=values.dtype)
        for begin in range(0, len(index), 1 << 16):
            out[begin : begin + (1 << 16)] = known[index[begin : begin + (1 << 16)]]
        return out

    def concat(self, first: Any, second: Any) -> Any:
        return first.append(second)

    def series(self, ids: Any, values: Any, name: str, id_name: str) -> Any:
        import pandas as pd

        return pd.Series(values, index=self.index(ids, id_name), name=name)

    def matrix(self, ids: Any, columns: list[Any], array: np.ndarray, id_name: str, columns_name: str) -> Any:
        import pandas as pd

        named = pd.Index(columns, name=columns_name, tupleize_cols=False)
        return pd.DataFrame(array, index=self.index(ids, id_name), columns=named, copy=False)

    def table(self, ids: Any, columns: Mapping[str, Sequence[Any]], id_name: str) -> Any:
        import pandas as pd

        return pd.DataFrame({c: list(v) for c, v in columns.items()}, index=self.index(ids, id_name))

    def confusion(self, ids: Any, classes: list[Any], array: np.ndarray, id_name: str, rows: str, columns: str) -> Any:
        import pandas as pd

        index = pd.MultiIndex.from_product([ids, pd.Index(classes)], names=[id_name, rows])
        return pd.DataFrame(array.reshape(-1, array.shape[2]), index=index, columns=pd.Index(classes, name=columns))


class PolarsFlavour(Flavour):
    name = "polars"

    def numbers(self, array: np.ndarray) -> Any:
        import polars as pl

        return pl.Series(array)

    def to_list(self, values: Any) -> list[Any]:
        return values.to_list()

    def from_list(self, values: list[Any], like: Any) -> Any:
        import polars as pl

        try:
            return pl.Series(values, dtype=None if like is None else like.dtype)
        except (TypeError, ValueError, pl.exceptions.PolarsError):
            return pl.Series(values)

    def take(self, values: Any, index: Any) -> Any:
        return values.gather(index)

    def concat(self, first: Any, second: Any) -> Any:
        import polars as pl

        return pl.concat([first, second.cast(first.dtype)])

    def series(self, ids: Any, values: Any, name: str, id_name: str) -> Any:
        import polars as pl

        return pl.DataFrame({**self.columns(ids, id_name), name: values})

    def matrix(self, ids: Any, columns: list[Any], array: np.ndarray, id_name: str, columns_name: str) -> Any:
        import polars as pl

        return pl.DataFrame(
            {**self.columns(ids, id_name), **{str(c): array[:, n] for n, c in enumerate(columns)}}
        )

    def table(self, ids: Any, columns: Mapping[str, Sequence[Any]], id_name: str) -> Any:
        import polars as pl

        given = {c: pl.Series(c, list(v), strict=False) for c, v in columns.items()}
        return pl.DataFrame({**self.columns(ids, id_name), **given})

    def confusion(self, ids: Any, classes: list[Any], array: np.ndarray, id_name: str, rows: str, columns: str) -> Any:
        import numpy as np
        import polars as pl

        m, k, _ = array.shape
        flat = array.reshape(-1, k)
        return pl.DataFrame(
            {
                id_name: ids.gather(np.repeat(np.arange(m), k)),
                rows: pl.Series(classes * m),
                **{str(c): flat[:, n] for n, c in enumerate(classes)},
            }
        )


class ArrowFlavour(Flavour):
    name = "pyarrow"

    def numbers(self, array: np.ndarray) -> Any:
        import pyarrow as pa

        return pa.array(array)

    def to_list(self, values: Any) -> list[Any]:
        return values.to_pylist()

    def from_list(self, values: list[Any], like: Any) -> Any:
        import pyarrow as pa

        kind = None if like is None or pa.types.is_dictionary(like.type) else like.type
        return pa.array(values, type=kind)

    def take(self, values: Any, index: Any) -> Any:
        import pyarrow as pa

        return values.take(pa.array(index))

    def concat(self, first: Any, second: Any) -> Any:
        import pyarrow as pa

        return pa.concat_arrays([first, second.cast(first.type)])

    def series(self, ids: Any, values: Any, name: str, id_name: str) -> Any:
        import pyarrow as pa

        given = values if isinstance(values, pa.Array) else pa.array(values)
        return pa.table({**self.columns(ids, id_name), name: given})

    def matrix(self, ids: Any, columns: list[Any], array: np.ndarray, id_name: str, columns_name: str) -> Any:
        import pyarrow as pa

        given = {str(c): pa.array(array[:, n].copy()) for n, c in enumerate(columns)}
        return pa.table({**self.columns(ids, id_name), **given})

    def table(self, ids: Any, columns: Mapping[str, Sequence[Any]], id_name: str) -> Any:
        import pyarrow as pa

        return pa.table({**self.columns(ids, id_name), **{c: pa.array(list(v)) for c, v in columns.items()}})

    def confusion(self, ids: Any, classes: list[Any], array: np.ndarray, id_name: str, rows: str, columns: str) -> Any:
        import numpy as np
        import pyarrow as pa

        m, k, _ = array.shape
        flat = array.reshape(-1, k)
        return pa.table(
            {
                id_name: ids.take(pa.array(np.repeat(np.arange(m), k))),
                rows: pa.array(classes * m),
                **{str(c): pa.array(flat[:, n].copy()) for n, c in enumerate(classes)},
            }
        )


FLAVOURS: dict[str, Flavour] = {f.name: f for f in (Flavour(), PandasFlavour(), PolarsFlavour(), ArrowFlavour())}


class PandasSource(Source):
    flavour = FLAVOURS["pandas"]

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def names(self) -> list[str]:
        return list(self.frame.columns)

    def column(self, name: Any) -> Column:
        return _of_pandas(self.frame[name])

    def values(self, name: Any) -> list[Any]:
        return self.frame[name].tolist()

    def take(self, name: Any, rows: Any) -> Any:
        import pandas as pd

        # without the index of the frame, which would be as large as the ids
        return pd.Index(pd.Series(self.frame[name].array.take(rows), copy=False), name=None)

    def _both(self, left: Any, right: Any) -> Any:
        import pandas as pd

        return pd.concat([self.frame[left], self.frame[right]], ignore_index=True)

    def both(self, left: Any, right: Any) -> Column:
        return _of_pandas(self._both(left, right))

    def take_both(self, left: Any, right: Any, rows: Any) -> Any:
        import pandas as pd

        return pd.Index(self._both(left, right).iloc[rows], name=None)


class PolarsSource(Source):
    flavour = FLAVOURS["polars"]

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def names(self) -> list[str]:
        return list(self.frame.columns)

    def column(self, name: Any) -> Column:
        return self.columns([name])[0]

    def columns(self, names: Sequence[Any]) -> list[Column]:
        return Column.from_arrow(self.frame.select(list(dict.fromkeys(names))), list(names))

    def values(self, name: Any) -> list[Any]:
        return self.frame[name].to_list()

    def take(self, name: Any, rows: Any) -> Any:
        return self.frame[name].gather(rows)

    def _both(self, left: Any, right: Any) -> Any:
        import polars as pl

        return pl.concat([self.frame[left], self.frame[right].rename(left)])

    def both(self, left: Any, right: Any) -> Column:
        return Column.from_arrow(self._both(left, right).to_frame("both"), ["both"])[0]

    def take_both(self, left: Any, right: Any, rows: Any) -> Any:
        return self._both(left, right).gather(rows)


class ArrowSource(Source):
    """pyarrow, and everything else that has the Arrow C stream interface (DuckDB relations, …)."""

    flavour = FLAVOURS["pyarrow"]

    def __init__(self, table: Any) -> None:
        import pyarrow as pa

        self.table = table if isinstance(table, pa.Table) else pa.table(table)

    def names(self) -> list[str]:
        return list(self.table.column_names)

    def column(self, name: Any) -> Column:
        return self.columns([name])[0]

    def columns(self, names: Sequence[Any]) -> list[Column]:
        return Column.from_arrow(self.table.select(list(dict.fromkeys(names))), list(names))

    def values(self, name: Any) -> list[Any]:
        return self.table[name].to_pylist()

    def take(self, name: Any, rows: Any) -> Any:
        return _one_array(self.table[name], rows)

    def _both(self, left: Any, right: Any) -> Any:
        import pyarrow as pa

        a, b = self.table[left], self.table[right]
        return pa.chunked_array(a.chunks + b.cast(a.type).chunks, type=a.type)

    def both(self, left: Any, right: Any) -> Column:
        import pyarrow as pa

        return Column.from_arrow(pa.table({"both": self._both(left, right)}), ["both"])[0]

    def take_both(self, left: Any, right: Any, rows: Any) -> Any:
        return _one_array(self._both(left, right), rows)


class PlainSource(Source):
    """Columns that are sequences or NumPy arrays."""

    flavour = FLAVOURS["python"]

    def __init__(self, columns: dict[Any, Any]) -> None:
        lengths = {k: len(v) for k, v in columns.items()}
        if len(set(lengths.values())) > 1:
            raise DataError(f"the columns have different lengths: {lengths}", "bad-data")
        self.data = columns

    def names(self) -> list[str]:
        return list(self.data)

    def column(self, name: Any) -> Column:
        return of_values(self.data[name])

    def values(self, name: Any) -> list[Any]:
        return [_scalar(v) for v in self.data[name]]

    def take(self, name: Any, rows: Any) -> Any:
        values = self.data[name]
        return [_scalar(values[r]) for r in rows]

    def both(self, left: Any, right: Any) -> Column:
        return of_values([*self.data[left], *self.data[right]])

    def take_both(self, left: Any, right: Any, rows: Any) -> Any:
        a, b = self.data[left], self.data[right]
        return [_scalar(a[r] if r < len(a) else b[r - len(a)]) for r in rows]


def of_values(values: Any) -> Column:
    """Any one-dimensional thing with its values numbered."""
    if _from_module(values, "pandas"):
        return _of_pandas(values)
    if hasattr(values, "__arrow_c_stream__"):
        if _from_module(values, "polars"):
            return Column.from_arrow(values.to_frame("v"), ["v"])[0]
        import pyarrow as pa

        return Column.from_arrow(pa.table({"v": values}), ["v"])[0]
    import numpy as np

    if not isinstance(values, np.ndarray):
        values = list(values)
        kinds = {type(v) for v in values}
        array = np.empty(len(values), dtype=object)
        array[:] = values
        if kinds and kinds <= {int, bool} and len(kinds) == 1:
            try:
                array = np.array(values)
            except OverflowError:
                pass
        elif kinds == {float}:
            array = np.array(values)
        values = array
    if values.ndim != 1:
        raise DataError(f"a column must have one dimension, this one has {values.ndim}", "bad-data")
    if values.dtype.kind in "USMm":
        values = values.astype(object)
    elif values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    return Column.from_numpy(values)


def _of_pandas(series: Any) -> Column:
    import numpy as np

    kind = series.dtype
    if _is_category(series):
        index = not hasattr(series, "cat")
        category = series if index else series.cat
        codes = np.asarray(category.codes, dtype=np.int64)
        return Column.from_category(codes, [_text(v) for v in category.categories])
    if isinstance(kind, np.dtype):
        return of_values(series.to_numpy())
    # extension types (string, Int64, Arrow): by Arrow where that is there, else as objects
    if hasattr(series, "__arrow_c_stream__") and "pyarrow" in sys.modules:
        try:
            return Column.from_arrow(series.to_frame("v"), ["v"])[0]
        except (ImportError, TypeError):
            pass
    return of_values(series.to_numpy(dtype=object, na_value=None))


def _text(value: Any) -> str:
    return str(value)


def source(data: Any, positional: Sequence[str]) -> Source:
    """Columns of anything that holds rows; `positional` names the columns of rows without names."""
    if _from_module(data, "pandas") and hasattr(data, "columns"):
        return PandasSource(data)
    if _from_module(data, "polars"):
        frame = data.collect() if hasattr(data, "collect") else data
        return PolarsSource(frame)
    if hasattr(data, "__arrow_c_stream__"):
        return ArrowSource(data)
    if isinstance(data, Mapping):
        return PlainSource({k: _column(v) for k, v in data.items()})
    if _from_module(data, "numpy"):
        if data.dtype.names:
            return PlainSource({n: data[n] for n in data.dtype.names})
        if data.ndim == 2 and data.shape[1] == len(positional):
            return PlainSource({n: data[:, c] for c, n in enumerate(positional)})
        raise DataError(
            f"an array of shape {data.shape} is not a table of answers",
            "bad-data",
            f"it needs {len(positional)} columns: {', '.join(positional)}",
        )
    if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        raise DataError(
            f"{type(data).__name__} is not a table of answers",
            "bad-data",
            f"a frame, a dictionary of columns, or rows of ({', '.join(positional)})",
        )
    rows = list(data)
    for n, row in enumerate(rows):
        if isinstance(row, (str, bytes)) or not isinstance(row, Sequence) or len(row) != len(positional):
            raise DataError(f"row {n} is {row!r}", "bad-data", f"every row is a tuple ({', '.join(positional)})")
    return PlainSource({n: [r[c] for r in rows] for c, n in enumerate(positional)})


def _column(values: Any) -> Any:
    return values if hasattr(values, "dtype") else list(values)


def _from_module(value: Any, name: str) -> bool:
    return any(c.__module__.partition(".")[0] == name for c in type(value).__mro__)


def _is_category(values: Any) -> bool:
    return getattr(values, "dtype", None) is not None and getattr(values.dtype, "name", "") == "category"


def _one_array(column: Any, rows: Any) -> Any:
    import pyarrow as pa

    taken = column.take(pa.array(rows))
    return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken


def _scalar(value: Any) -> Any:
    return value.item() if _from_module(value, "numpy") and hasattr(value, "item") else value


def _python(values: Any) -> list[Any]:
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _listed(names: Sequence[Any]) -> str:
    return ", ".join(f"`{n}`" for n in names) or "none"


def _near(wanted: Any, names: Sequence[Any]) -> str | None:
    import difflib

    found = difflib.get_close_matches(str(wanted), [str(n) for n in names], 1)
    return f"did you mean `{found[0]}`?" if found else None
