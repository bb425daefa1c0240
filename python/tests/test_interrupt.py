"""Ctrl-C: the best so far, with a warning."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

CODE = """
    import os, signal, warnings, crowdwise
    from crowdwise import _progress
    class Presser:
        # presses Ctrl-C as soon as the fit tells that it is running
        pressed = False
        def __call__(self, *news):
            if not self.pressed:
                self.pressed = True
                os.kill(os.getpid(), signal.SIGINT)
        def done(self):
            pass
    _progress.wanted = lambda *_: Presser()
    sim = crowdwise.simulate("dawid-skene", items=30000, annotators=300, per_item=6, classes=6, features={features}, seed=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = {call}
    kinds = [w.category.__name__ for w in caught]
    print("InterruptedWarning" in kinds, fit.result_.stop, fit.converged_, len(fit.labels_))
    print("alive")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("features", "call"),
    [
        (0, 'crowdwise.DawidSkene(max_iter=10**8, tol=-1e60, stop="bound").fit(sim.answers)'),
        (0, "crowdwise.IBCC(keep=10**5, burn_in=5).fit(sim.answers)"),
        (8, "crowdwise.CrowdLayer(epochs=10**6, patience=0).fit(sim.features, sim.matrix())"),
    ],
)
def test_ctrl_c_keeps_the_best_so_far(features, call):
    code = textwrap.dedent(CODE.format(features=features, call=call))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ.copy())
    assert done.stdout.splitlines() == ["True cancelled False 30000", "alive"], done.stderr[-2000:]
    assert signal.SIGINT  # the interpreter itself was not ended by it
    assert done.returncode == 0
