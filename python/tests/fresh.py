"""The installed package in an environment that has nothing else: the README's Python example and the command.

Run by python/test.sh with the interpreter of that environment; it is no test of pytest, which is not there.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    for name in ("pandas", "polars", "pyarrow", "sklearn"):
        assert importlib.util.find_spec(name) is None, f"{name} is there: this environment is not fresh"
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    assert blocks, "the README has a Python example"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in blocks:
            exec(compile(block, "README.md", "exec"), {})
        assert "<html" in Path("report.html").read_text(encoding="utf-8")
        import crowdwise

        assert Path(crowdwise.__file__).is_relative_to(sys.prefix), "it is the installed one"
        command = Path(sys.executable).with_name("crowdwise")
        done = subprocess.run([command, "fit", ROOT / "examples/demo.csv", "-m", "dawid-skene"], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.startswith("item,label,probability\n"), done.stderr
        assert len(done.stdout.splitlines()) == 201
        os.chdir(ROOT)
    print("installed: the README's example and the command work")


main()
