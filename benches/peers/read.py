"""Reading beside Polars: rows per second, CPU and peak memory of the same CSV and the same Parquet file.

    benches/peers/run.sh read [ROWS]           (default 10000000; makes its own virtual environment)
    PROFILE=dev benches/peers/run.sh read 100000 --runs 1

The files are made once by `crowdwise simulate` and kept in target/read-bench: string ids, five labels per item in the order of the
items, 20,000 annotators with heavy-tailed participation, ten classes. What is compared is text to codes: Crowdwise reads, interns all
ids and puts the rows in the order of its table; Polars reads and turns the three columns into categoricals ("strings" leaves them as
they are, for what reading alone costs it). Every measurement is a process of its own. Times are of the reading alone, without starting
the program or importing the library; the peak is that of the whole process (the last line has that of a process that only imports
Polars). The median of the runs by wall time is shown. All programs must find the same numbers of rows, items, annotators and classes.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ["item", "annotator", "label"]


def peak_mb():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(x.split()[1]) for x in lines if x.startswith("VmHWM")) / 1024


def measure(kind, path):
    """In a process of its own: prints wall and CPU seconds, peak MB, and the numbers of items, annotators, classes, rows."""
    import time

    import polars as pl

    if kind == "import":
        print(0, 0, peak_mb(), 0, 0, 0, 0)
        return
    codes = [pl.col(c).cast(pl.Categorical) for c in COLUMNS]
    wall, cpu = time.perf_counter(), time.process_time()
    if kind == "csv-strings":
        frame = pl.read_csv(path, schema_overrides=[pl.String] * 3)
    elif kind == "csv":
        frame = pl.read_csv(path, schema_overrides=[pl.String] * 3).with_columns(codes)
    elif kind == "csv-lazy":
        frame = pl.scan_csv(path, schema_overrides=[pl.String] * 3).with_columns(codes).collect()
    elif kind == "parquet-strings":
        frame = pl.scan_parquet(path).collect()
    else:
        frame = pl.scan_parquet(path).with_columns(codes).collect()
    wall, cpu, peak = time.perf_counter() - wall, time.process_time() - cpu, peak_mb()
    print(wall, cpu, peak, *[frame[c].n_unique() for c in COLUMNS], frame.height)


def numbers(command, env=None):
    run = subprocess.run(command, cwd=ROOT, env={**os.environ, **(env or {})}, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{run.stderr}")
    return [float(x) for x in run.stdout.split()[-7:]]


def files(rows, binary):
    """The CSV and the Parquet file with this many rows, made unless they are there."""
    folder = ROOT / "target/read-bench" / str(rows)
    csv, parquet = folder / "answers.csv", folder / "answers.parquet"
    if not parquet.exists():
        print(f"making {csv.relative_to(ROOT)}", file=sys.stderr)
        subprocess.run([binary, "simulate", "dawid-skene", "--items", str(rows // 5), "--annotators", str(min(20_000, rows // 20)),
                        "--classes", "10", "--per-item", "5", "-p", "zipf=1", "--force", "--quiet", "-o", folder], check=True)
        # under another name until it is whole
        part = folder / "part.parquet"
        subprocess.run([binary, "convert", csv, "--quiet", "-o", part], check=True)
        part.rename(parquet)
    return csv, parquet


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--profile", default="release", choices=["release", "dev"])
    parser.add_argument("--measure", nargs=2, metavar=("KIND", "PATH"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        return measure(*args.measure)
    import polars

    binary = ROOT / "target" / ("debug" if args.profile == "dev" else "release") / "crowdwise"
    csv, parquet = files(args.rows, binary)
    bench = ["cargo", "bench", "--quiet", "--profile", args.profile, "-p", "crowdwise-io", "--bench", "read", "--", "--measure"]
    subprocess.run([*bench[:4], args.profile, *bench[5:9], "--no-run"], cwd=ROOT, check=True)
    theirs = [sys.executable, str(Path(__file__).resolve()), "--measure"]
    cases = [("Crowdwise", csv, None), ("Polars, read_csv, categoricals", csv, "csv"), ("Polars, scan_csv, categoricals", csv, "csv-lazy"),
             ("Polars, read_csv, strings", csv, "csv-strings"), ("Crowdwise", parquet, None),
             ("Polars, scan_parquet, categoricals", parquet, "parquet"), ("Polars, scan_parquet, strings", parquet, "parquet-strings")]
    print(f"{args.rows:,} rows; CSV {csv.stat().st_size / 1e6:.0f} MB, Parquet {parquet.stat().st_size / 1e6:.0f} MB; Polars "
          f"{polars.__version__}; median of {args.runs}\n")
    print("| file | program | threads | wall s | CPU s | million rows/s | peak MB |")
    print("|---|---|---|---|---|---|---|")
    seen = {}
    for program, path, kind in cases:
        for threads in args.threads.split(","):
            if kind is None:
                command, env = [*bench, str(path), threads], None
            else:
                command, env = [*theirs, kind, str(path)], {"POLARS_MAX_THREADS": threads}
            runs = sorted(numbers(command, env) for _ in range(args.runs))
            wall, cpu, peak, *counts = runs[len(runs) // 2]
            if seen.setdefault("counts", counts) != counts:
                sys.exit(f"{program} finds {counts} in {path.name}, but {seen['counts']} were found before")
            print(f"| {path.suffix[1:]} | {program} | {threads} | {wall:.2f} | {cpu:.2f} | {args.rows / wall / 1e6:.2f} | {peak:.0f} |",
                  flush=True)
    empty = numbers([*theirs, "import", "none"])
    items, annotators, classes, rows = (int(x) for x in seen["counts"])
    print(f"\n{items:,} items, {annotators:,} annotators, {classes} classes in {rows:,} rows, by all. "
          f"A process that only imports Polars peaks at {empty[2]:.0f} MB.")


if __name__ == "__main__":
    main()
