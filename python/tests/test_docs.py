"""What the documentation shows works."""

import json
import re
import runpy

import pytest

NOTEBOOKS = ("aggregate", "spammers", "learn", "asking")
EXAMPLES = ("classes.py", "kinds.py", "classifier.py", "active_loop.py")


def test_the_readmes_example(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.S)
    assert blocks, "the README has a Python example"
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_guides_examples(root):
    blocks = re.findall(r"```python\n(.*?)```", (root / "docs/python/guide.md").read_text(encoding="utf-8"), re.S)
    assert len(blocks) >= 4
    space: dict = {}
    for n, block in enumerate(blocks):
        exec(compile(block, f"guide.md block {n}", "exec"), space)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_run(name, root, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(root / "docs/python/notebooks")
    book = json.loads((root / f"docs/python/notebooks/{name}.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(c["source"]) for c in book["cells"] if c["cell_type"] == "code"]
    assert len(cells) >= 5
    shown = [o for c in book["cells"] for o in c.get("outputs", []) if "image/png" in o.get("data", {})]
    assert shown, "a notebook has its pictures"
    space: dict = {}
    for n, cell in enumerate(cells):
        exec(compile(cell, f"{name}.ipynb cell {n}", "exec"), space)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_scripts_run(name, root, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    runpy.run_path(str(root / "examples" / name))
    assert capsys.readouterr().out.count("\n") >= 2


def test_every_example_script_is_run(root):
    assert sorted(p.name for p in (root / "examples").glob("*.py")) == sorted(EXAMPLES)


def test_the_migration_page_names_what_is_there(root):
    import crowdwise
    from crowdwise import crowdkit

    page = (root / "docs/python/migration.md").read_text(encoding="utf-8")
    for name in crowdkit.__all__:
        assert name.startswith("Base") or f"`{name}`" in page, name
    for name in ("GLAD", "MACE", "KOS", "MMSR", "LfEm", "LabelModel", "CentredTriplets", "CommunityBCC", "Conal", "Crowdlab"):
        assert f"`{name}" in page and hasattr(crowdwise, name), name
