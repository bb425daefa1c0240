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
# a classifier that is right three times in four
awk -F, '
    function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    BEGIN { seed = 9; n = split("bird cat dog", class, " "); print "item,bird,cat,dog" }
    NR > 1 {
        for (k = 1; k <= n; k++) p[k] = exp(1.5 * ($2 == class[k]) + 2 * (uniform() + uniform() + uniform() - 1.5))
        printf "%s,%.4f,%.4f,%.4f\n", $1, p[1] / (p[1] + p[2] + p[3]), p[2] / (p[1] + p[2] + p[3]), p[3] / (p[1] + p[2] + p[3])
    }' examples/demo-truth.csv > examples/demo-probabilities.csv

# photographs and drawings, three to two
awk -F, '
    function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    BEGIN { seed = 11; print "item,group" }
    NR > 1 { print $1 "," (uniform() < 0.6 ? "photo" : "drawing") }' examples/demo-truth.csv > examples/demo-groups.csv

# neighbours of the same pictures: two each, of the same class nine times in ten
awk -F, '
    function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    NR > 1 { item[++n] = $1; class[n] = $2 }
    END {
        seed = 7
        print "from,to"
        for (i = 1; i <= n; i++) for (m = 0; m < 2; m++) {
            same = uniform() < 0.9
            do j = 1 + int(n * uniform()); while (j == i || (class[j] == class[i]) != same)
            print item[i] "," item[j]
        }
    }' examples/demo-truth.csv > examples/demo-graph.csv

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

$crowdwise simulate similarities --items 24 --annotators 8 --classes 4 --per-item 3 --accuracy 0.85 -p pairs=150 --seed 1 -o "$out" --force
cp "$out/answers.csv" examples/same.csv
cp "$out/truth.csv" examples/same-truth.csv

$crowdwise simulate rankings --items 10 --annotators 6 --per-item 3 -p pairs=30 -p ranked=4 --seed 1 -o "$out" --force
cp "$out/answers.csv" examples/rankings.csv
cp "$out/truth.csv" examples/rankings-truth.csv
