#!/usr/bin/env bash
# Builds the binary, makes a virtual environment with the peers, and runs the side-by-side comparison (sizes, methods); `run.sh read` that of the readers.
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
exec "$venv/bin/python" benches/peers/side_by_side.py "$@"
