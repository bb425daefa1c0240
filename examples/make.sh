#!/bin/sh
# Makes the example data again, from the root of the project: sh examples/make.sh
# Uses the `crowdwise` on the path, or what CROWDWISE names. The anaesthetist table is not made: it is a publication.
set -eu
crowdwise=${CROWDWISE:-crowdwise}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

$crowdwise simulate dawid-skene --items 200 --annotators 12 --class-names bird,cat,dog --per-item 5 \
    --accuracy 0.72 -p concentration=12 --spammers 0.0834 --adversaries 0.0834 --seed 9 -o "$out" --force
cp "$out/answers.csv" examples/demo.csv
cp "$out/truth.csv" examples/demo-truth.csv

$crowdwise simulate real --items 60 --annotators 10 --per-item 6 -p truth_mean=50 -p truth_sd=20 -p bias_sd=4 \
    -p noise=6 --spammers 0.1 --seed 1 -o "$out" --force
cp "$out/answers.csv" examples/ratings.csv
cp "$out/truth.csv" examples/ratings-truth.csv

$crowdwise simulate bradley-terry --items 15 --annotators 8 --per-item 4 -p pairs=60 -p ties=0.4 --seed 1 -o "$out" --force
cp "$out/answers.csv" examples/pairs.csv
cp "$out/truth.csv" examples/pairs-truth.csv

$crowdwise simulate sequences --items 320 --annotators 8 --class-names LOC,O,PER --per-item 4 \
    -p class_shares=[0.15,0.65,0.2] -p chain_length=8 --seed 1 -o "$out" --force
cp "$out/answers.csv" examples/sequences.csv
cp "$out/truth.csv" examples/sequences-truth.csv
