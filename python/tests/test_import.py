"""Importing is quick and pulls in nothing heavy."""

import subprocess
import sys

import pytest

import crowdwise


def run(code):
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return out.stdout.strip()


def test_import_loads_nothing_heavy():
    heavy = "'numpy','pandas','polars','pyarrow','sklearn','scipy','torch','inspect'"
    assert run(f"import sys, crowdwise; print([m for m in ({heavy}) if m in sys.modules])") == "[]"


def test_lists_need_no_frames():
    code = "import sys, crowdwise; print(len(crowdwise.methods()) > 40, 'numpy' in sys.modules)"
    assert run(code) == "True False"


def test_everything_that_is_offered_is_there():
    for name in dir(crowdwise):
        assert getattr(crowdwise, name) is not None
    assert "DawidSkene" in dir(crowdwise) and "compare" in dir(crowdwise)


def test_a_slip_in_a_name_gets_the_nearest_one():
    with pytest.raises(AttributeError, match="did you mean 'DawidSkene'"):
        crowdwise.DawidSkeen
    with pytest.raises(crowdwise.UnknownNameError) as e:
        crowdwise.aggregate([("x", "a", 1)], "dawid-sken")
    assert e.value.code == "unknown-name" and "dawid-skene" in e.value.hint


def test_every_method_has_a_class():
    rows = crowdwise.methods()
    assert all(issubclass(getattr(crowdwise, r["class"]), crowdwise.Aggregator) for r in rows)
    assert "| parameter |" in crowdwise.page("dawid-skene")
    assert len(crowdwise.methods("preference")) < len(rows)


def test_the_command_comes_along(tmp_path):
    code = f"import sys; sys.argv=['crowdwise','methods','--format','csv']; from crowdwise._command import main; main()"
    assert "dawid-skene" in run(code)
    bad = subprocess.run([sys.executable, "-m", "crowdwise", "fit", str(tmp_path / "none.csv")], capture_output=True)
    assert bad.returncode == 2
