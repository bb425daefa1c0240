#!/bin/sh
# Builds the Python package in an environment of its own and runs its tests.
#
#   python/test.sh            tests of the package
#   python/test.sh peers      also `crowdwise.crowdkit` against crowd-kit itself, and by crowd-kit's own tests (another
#                             environment; CROWDKIT_SOURCE is a checkout of crowd-kit, else it is cloned)
#
# Further arguments go to pytest. The environments lie in target/ and are used again.
set -eu
cd "$(dirname "$0")/.."
peers=no
if [ "${1:-}" = peers ]; then
    peers=yes
    shift
fi
python=${PYTHON:-python3}
quiet="--quiet --disable-pip-version-check"

venv=target/python-venv
[ -x $venv/bin/python ] || "$python" -m venv $venv
# shellcheck disable=SC2086
$venv/bin/python -m pip install $quiet 'maturin>=1.9,<2' pytest numpy pandas polars pyarrow duckdb scikit-learn joblib mypy matplotlib
VIRTUAL_ENV=$PWD/$venv $venv/bin/maturin develop --quiet --skip-install
PYTHONPATH=python $venv/bin/python -m pytest -q python/tests --ignore=python/tests/peers "$@"
PYTHONPATH=python $venv/bin/python -m mypy --config-file pyproject.toml --no-error-summary

# the package and the command in an environment that has nothing else, as `pip install .` puts them there (which makes an
# optimised build, for minutes; here the wheel is packed from what is built already)
rm -rf target/fresh-venv target/wheels
VIRTUAL_ENV=$PWD/$venv $venv/bin/maturin build --quiet --compatibility linux --out target/wheels
"$python" -m venv target/fresh-venv
# shellcheck disable=SC2086
target/fresh-venv/bin/python -m pip install $quiet target/wheels/crowdwise-*.whl
target/fresh-venv/bin/python -I python/tests/fresh.py

if [ $peers = yes ]; then
    # crowd-kit 1.4.2: two of its classes need scikit-learn before 1.6, others pandas before 3
    venv=target/crowdkit-venv
    [ -x $venv/bin/python ] || "$python" -m venv $venv
    # shellcheck disable=SC2086
    $venv/bin/python -m pip install $quiet 'crowd-kit==1.4.2' 'scikit-learn<1.6' 'pandas<3' 'numpy<2' 'pyarrow<20' pytest
    PYTHONPATH=python $venv/bin/python -m pytest -q python/tests/peers "$@"
    PYTHONPATH=$PWD/python $venv/bin/python python/tests/peers/own_tests.py
fi
