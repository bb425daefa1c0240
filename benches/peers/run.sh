#!/usr/bin/env bash
# Builds the binary, makes a virtual environment with the peers, and runs the side-by-side comparison (sizes, methods); `run.sh read` that of the readers,
# `run.sh torch` that of training beside PyTorch (a wheel for the CPU, from the index that TORCH_INDEX names; without it the default one, which is large).
# PEERS_VENV is an environment that is there already, PROFILE=dev a quick build for trying the scripts.
set -euo pipefail
cd "$(dirname "$0")/../.."
profile=${PROFILE:-release}
cargo build --profile "$profile" -p crowdwise-cli
venv=${PEERS_VENV:-target/peers-venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet crowd-kit==1.4.2 'scikit-learn<1.6' 'pandas<3' 'numpy<2' polars
fi
if [ "${1:-}" = read ]; then
  shift
  exec "$venv/bin/python" benches/peers/read.py --profile "$profile" "$@"
fi
if [ "${1:-}" = torch ]; then
  shift
  cargo build --profile "$profile" -p crowdwise-bench --bin training
  "$venv/bin/python" -c 'import torch' 2>/dev/null || "$venv/bin/pip" install --quiet ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch
  exec "$venv/bin/python" benches/peers/torch_speed.py --profile "$profile" "$@"
fi
exec "$venv/bin/python" benches/peers/side_by_side.py "$@"
