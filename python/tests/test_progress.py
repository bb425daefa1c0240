"""The line that tells how a fit goes."""

import re
import subprocess
import sys
import textwrap
import types

import pytest

from crowdwise import _progress

CODE = """
    import crowdwise
    from crowdwise import _progress
    _progress.DELAY = {delay}
    sim = crowdwise.simulate("dawid-skene", items=20000, annotators=200, per_item=5, classes=6, features={features}, seed=1)
    fit = {call}
    print(fit.n_iter_)
"""


def run(call, features=0, delay=0.0):
    code = textwrap.dedent(CODE.format(call=call, features=features, delay=delay))
    # bytes: as text every carriage return would become a new line
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 0, err[-2000:]
    return out, err


def test_a_long_fit_shows_how_it_goes_and_cleans_up():
    options = 'max_iter=1200, tol=-1e60, stop="bound", random_state=0, progress=True'
    out, err = run(f"crowdwise.DawidSkene({options}).fit(sim.answers)")
    shown = [part.strip() for part in err.split("\r") if part.strip()]
    assert shown, "a long fit shows a line"
    form = re.compile(r"^DawidSkene: (\d+)/1200  objective -?[\d.e+-]+  change [\d.e+-]+ \(until -1e\+60\)$")
    # stages of a fit are told by name
    assert all(s.startswith("DawidSkene: ") for s in shown), shown
    steps = [int(m[1]) for m in map(form.match, shown) if m]
    assert steps, shown
    assert steps == sorted(steps) and 0 < steps[-1] <= 1200
    assert err.endswith("\r" + " " * 100 + "\r"), "the line is gone at the end"
    assert int(out) == 1200


def test_a_network_tells_its_epochs():
    _, err = run("crowdwise.CrowdLayer(epochs=25, patience=0, progress=True).fit(sim.features, sim.matrix())", 8)
    assert re.search(r"CrowdLayer: \d+/25  objective -\d", err), err[-500:]


def test_nobody_watches():
    _, err = run('crowdwise.DawidSkene(max_iter=1200, tol=-1e60, stop="bound").fit(sim.answers)')
    assert err == "", "without a terminal nothing is written"
    _, err = run("crowdwise.DawidSkene(progress=True).fit(sim.answers)", delay=1e9)
    assert err == "", "a fit that is over before the delay writes nothing"


def test_a_mistake_in_the_line_is_the_callers_to_see(monkeypatch):
    import crowdwise

    def broken(self, *args):
        raise ZeroDivisionError("in the line")

    monkeypatch.setattr(_progress.Progress, "__call__", broken)
    sim = crowdwise.simulate("dawid-skene", items=20000, annotators=200, per_item=5, seed=1)
    with pytest.raises(ZeroDivisionError, match="in the line"):
        crowdwise.DawidSkene(max_iter=2000, tol=-1e60, stop="bound", progress=True).fit(sim.answers)


def test_notebooks_update_one_output(monkeypatch):
    seen = []

    class Handle:
        def update(self, html):
            seen.append(("update", html))

    def display(html, display_id):
        assert display_id
        seen.append(("display", html))
        return Handle()

    made = types.ModuleType("IPython.display")
    made.HTML, made.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", made)
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    line = _progress.wanted(None, "GLAD")
    assert line is not None, "in a notebook somebody is watching"
    line(1, 10, -5.0, 0.5, 1e-4, None)
    assert not seen, "not in the first half second"
    line.begun -= 1
    line(2, 10, -5.0, 0.5, 1e-4, None)
    line(0, 0, None, float("nan"), float("nan"), "restart 2 of 5")
    line.done()
    assert [s[0] for s in seen] == ["display", "update", "update"]
    assert "GLAD: 2/10  objective -5  change 0.5 (until 0.0001)" in seen[0][1]
    assert "GLAD: restart 2 of 5" in seen[1][1] and seen[2][1] == ""
