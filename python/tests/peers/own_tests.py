"""crowd-kit's own tests of its aggregators, run on the classes of `crowdwise.crowdkit`.

    python own_tests.py            in an environment that has crowd-kit; PYTHONPATH must lead to crowdwise
    python own_tests.py --theirs   the same tests on crowd-kit itself

The tests come from a checkout of crowd-kit (its source distribution does not have them): CROWDKIT_SOURCE is its folder, or it is
cloned into target/. They are copied to a folder of their own, their imports are changed, and nothing of them is kept. Names that
we do not have stay crowd-kit's; the tests of those are left out, and so are those that EXCLUDED names. Prints what was left out,
and fails if anything else does.
"""

import fnmatch
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
VERSION = "1.4.2"
REPOSITORY = "https://github.com/Toloka/crowd-kit"

#: Names of tests (`file::test[case]`, with wildcards) that are not run, and why.
EXCLUDED = {
    "test_image_aggregation.py::*": "segmentation masks: not here",
    "test_majority_vote.py::test_segmentation_*": "segmentation masks: not here",
    "test_text_aggregation.py::*": "texts and embeddings: not here",
    "test_rover_aggregation.py::*": "texts: not here",
    "test_glad_aggregation.py::test_glad_e_step": "private: calls _init, _join_all and _e_step",
    "test_glad_aggregation.py::test_glad_derivative": "private: calls _init, _join_all, _e_step, _compute_Q and _gradient_Q",
    "test_mace_aggregation.py::test_aggregate_mace_on_simple[em]": "asks for one wrong label, the work of mixed-up strategies",
    "test_mace_aggregation.py::test_thetas_on_simple": "numbers of mixed-up strategies after five rounds from NumPy's start",
    "test_bt_aggregation.py::test_noisy_bradley_terry[*": "where a search that runs to infinity stops; asks for its overflow warning",
    "test_bt_aggregation.py::test_noisy_bradley_terry_equal": "different scores of equal items: those of NumPy's random start",
}

#: The names under test: ours where we have them.
NAMES = """\
from crowdkit.aggregation import *
from crowdkit.aggregation import base
from crowdwise.crowdkit import *
"""


class Chosen:
    """Leaves out what is excluded, and remembers it."""

    def __init__(self):
        self.left_out = []

    def pytest_collection_modifyitems(self, config, items):
        kept = []
        for item in items:
            name = item.nodeid.rsplit("/", 1)[-1]
            # brackets are part of names, not a choice of letters
            plain = name.replace("[", "(").replace("]", ")")
            why = [w for n, w in EXCLUDED.items() if fnmatch.fnmatchcase(plain, n.replace("[", "(").replace("]", ")"))]
            if why:
                self.left_out.append((name, why[0]))
            else:
                kept.append(item)
        config.hook.pytest_deselected(items=[i for i in items if i not in kept])
        items[:] = kept


def source():
    """A folder with crowd-kit's tests."""
    if "CROWDKIT_SOURCE" in os.environ:
        return Path(os.environ["CROWDKIT_SOURCE"])
    folder = ROOT / "target" / f"crowd-kit-{VERSION}"
    if not folder.is_dir():
        clone = ["git", "clone", "--quiet", "--depth", "1", "--branch", f"v{VERSION}", REPOSITORY, str(folder)]
        if subprocess.run(clone).returncode:
            sys.exit(f"crowd-kit's tests could not be fetched from {REPOSITORY}: set CROWDKIT_SOURCE to a checkout of it")
    return folder


def main():
    ours = "--theirs" not in sys.argv
    tests = source() / "tests"
    if not (tests / "aggregation").is_dir():
        sys.exit(f"there are no tests of aggregators in {tests}")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "names_under_test.py").write_text(NAMES)
        for file in [*tests.glob("*.py"), *(tests / "aggregation").glob("*.py")]:
            text = file.read_text(encoding="utf-8")
            if ours:
                text = re.sub(r"from crowdkit\.aggregation(\.base)? import", "from names_under_test import", text)
            copy = Path(folder) / "tests" / file.relative_to(tests)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8")
        sys.path.insert(0, folder)
        os.chdir(folder)
        chosen = Chosen()
        options = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "--rootdir", folder, f"{folder}/tests/aggregation"]
        more = [a for a in sys.argv[1:] if a != "--theirs"]
        code = pytest.main([*options, *more], plugins=[chosen] if ours else [])
        for name, why in chosen.left_out:
            print(f"left out: {name} ({why})")
        os.chdir(ROOT)
    sys.exit(code)


if __name__ == "__main__":
    main()
