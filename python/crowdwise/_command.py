"""The ``crowdwise`` command, as Cargo installs it."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    from ._crowdwise import command

    # the command has its own Ctrl-C: stop with the best so far, the second time leave; a closed pipe is the end
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(["crowdwise", *sys.argv[1:]]))
