#!/usr/bin/env bash
# Builds the binary, makes a virtual environment with the peers, and runs the side-by-side comparison.
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo build --release -p crowdwise-cli
venv=target/peers-venv
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet crowd-kit==1.4.2 'scikit-learn<1.6' 'pandas<3' 'numpy<2' polars
fi
exec "$venv/bin/python" benches/peers/side_by_side.py "$@"
