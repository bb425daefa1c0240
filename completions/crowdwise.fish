# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_crowdwise_global_optspecs
    string join \n q/quiet v/verbose max-memory= h/help V/version
end

function __fish_crowdwise_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_crowdwise_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_crowdwise_using_subcommand
    set -l cmd (__fish_crowdwise_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c crowdwise -n "__fish_crowdwise_needs_command" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_needs_command" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -s V -l version -d 'Print version'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "inspect" -d 'Describe the data: counts, agreement, connectivity, problems'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "fit" -d 'Infer the true labels with one method'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "annotators" -d 'Rate the annotators: accuracy, information, flags'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "items" -d 'List the items to review, with who said what'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "compare" -d 'Compare methods side by side'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "learn" -d 'Train a classifier from features and crowd labels'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "predict" -d 'Classify new items with a trained classifier'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "rank" -d 'Rank items from comparisons, and suggest which pair to ask about next'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "next" -d 'Choose what to ask next, and whom'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "plan" -d 'Plan how many more labels to ask for: predicted accuracy, money, a target'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "replay" -d 'Replay strategies of asking on recorded answers'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "bandit" -d 'Replay recorded labels: which annotator a bandit would ask, and what that loses'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "assign" -d 'Share questions among annotators so that groups of items are treated alike'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "transfer" -d 'Learn from other tasks of the same annotators'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "simulate" -d 'Simulate data with known truth'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "report" -d 'Write a self-contained HTML report'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "repro" -d 'Reproduce a published table, or one of our own'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "methods" -d 'List the methods, or show the page of one'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "convert" -d 'Convert between CSV, TSV, JSON lines and Parquet'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "completions" -d 'Generate shell completions'
complete -c crowdwise -n "__fish_crowdwise_needs_command" -f -a "man" -d 'Generate the manual pages'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l fail-if -d 'Exit with code 1 if this is the case' -r -f -a "not-converged\t'The fit did not converge'
findings\t'There is any warning or problem'
problem\t'There is a problem'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l alpha -d 'Level of measurement for Krippendorff\'s alpha [default: nominal for classes, ordinal for grades, interval for numbers]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l seed -d 'Random seed of the bootstrap interval of alpha' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand inspect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -s m -l method -d 'Method [default: auto]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -s p -l param -d 'Set a parameter of the method; `crowdwise methods METHOD` lists them' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l truth -d 'Known truth (item,label), used for evaluation only' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l gold -d 'Gold labels (item,label) that the fit uses' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l continue -d 'Go on from a fit of fewer answers that `-o FIT.json` kept, with its method and parameters: fewer iterations, same result' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l groups -d 'Groups of annotators (annotator,group), for group-aware-vote and group-aware-em' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l prior-fit -d 'Earlier fit (.json) whose annotators are the prior of these, matched by name, for pooled-dawid-skene' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l annotators-from -d 'Known confusion matrices for known-confusions: a fit, or annotator,truth,label,probability' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l positive -d 'The class that counts as positive where groups of items are compared [default: the last of two, else each]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l features -d 'Item features, one row per item (.npy or CSV), for methods that use them' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l spans -d 'Write the spans of tagged sequences to FILE as JSON lines' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l fail-if -d 'Exit with code 1 if this is the case' -r -f -a "not-converged\t'The fit did not converge'
findings\t'There is any warning or problem'
problem\t'There is a problem'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l posterior -d 'Add a probability column for each class'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand fit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l by -d 'Sort the rows [default: as in the data]' -r -f -a "accuracy\t'Lowest accuracy first'
information\t'Least information first'
agreement\t'Lowest agreement with others first'
labels\t'Most labels first'
flags\t'Flagged ones first'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l level -d 'Confidence level of the intervals, between 0 and 1 [default: 0.9]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l positive -d 'The class that counts as positive where groups of items are compared [default: the last of two, else each]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l fail-if -d 'Exit with code 1 if this is the case' -r -f -a "not-converged\t'The fit did not converge'
findings\t'There is any warning or problem'
problem\t'There is a problem'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -s m -l method -d 'The method for answers [default: auto]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -s p -l param -d 'A parameter of the method' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l gold -d 'Gold labels (item,label) that the fit uses' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand annotators" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l by -d 'How to choose the items' -r -f -a "entropy\t'Uncertainty of the answer'
margin\t'Smallest margin between the two best classes'
disagreement\t'Disagreement of the annotators'
difficulty\t'Difficulty as estimated by the method'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -s n -l top -d 'Number of items to show' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l answers -d 'The answers that a saved fit was made from, to show who said what' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -s m -l method -d 'The method for answers [default: auto]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -s p -l param -d 'A parameter of the method' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l gold -d 'Gold labels (item,label) that the fit uses' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand items" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -s m -l method -d 'Methods to compare, or `all` that suit the data [default: a sensible set]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -s p -l param -d 'Set a parameter of one of the methods' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l truth -d 'Known truth (item,label), used for evaluation only' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l gold -d 'Gold labels (item,label) that the fit uses' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l folds -d 'Number of folds for the held-out score; 0 = none' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l fail-if -d 'Exit with code 1 if this is the case' -r -f -a "not-converged\t'The fit did not converge'
findings\t'There is any warning or problem'
problem\t'There is a problem'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l features -d 'Features, one row per item: .npy or CSV; or images: .npy, or a folder of PNG and JPEG files' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -s m -l method -d 'Method [default: chosen by the kind of sources]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -s p -l param -d 'Set a parameter of the method; `crowdwise methods METHOD` lists them' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l grid -d 'Learn with the values that predict held-out labels best' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l test-features -d 'Features of items to test the classifier on' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l test-truth -d 'Their classes: row,label (rows from 0), item,label, or one per line' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l test-items -d 'Which row of the test features is which item' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l truth -d 'Known truth (item,label), used for evaluation only' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l gold -d 'Gold labels (item,label) that the fit uses' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l model-out -d 'Save the trained classifier for `crowdwise predict`' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l fail-if -d 'Exit with code 1 if this is the case' -r -f -a "not-converged\t'The fit did not converge'
findings\t'There is any warning or problem'
problem\t'There is a problem'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l posterior -d 'Add a probability column for each class'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand learn" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l features -d 'Features or images of the items, in the form the model was trained on' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l answers -d 'Labels of some of the items; those by annotators the model knows are used too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l truth -d 'Known classes (row,label from 0, or item,label), used for evaluation only' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l samples -d 'Sample this many networks by dropout and add entropy and BALD, both in bits' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l posterior -d 'Add a probability column for each class'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l expertise -d 'How often every annotator is right on every item (rows item, annotator, expertise), for models in which that depends on the item: dlc, instance-confusion, mnn'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand predict" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -s m -l method -d 'Method [default: plackett-luce for rankings, crowd-bt where annotators gave enough comparisons, else bradley-terry]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -s p -l param -d 'Set a parameter of the method; `crowdwise methods METHOD` lists them' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l next -d 'Show the N most informative next comparisons (pair and annotator) instead of the leaderboard' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l truth -d 'Known scores (item,score), used for evaluation only' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l features -d 'Item features, one row per item (.npy or CSV), for methods that use them (pref-e2e)' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l fail-if -d 'Exit with code 1 if this is the case' -r -f -a "not-converged\t'The fit did not converge'
findings\t'There is any warning or problem'
problem\t'There is a problem'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand rank" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -s n -l questions -d 'Number of questions' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l money -d 'As many questions as this buys, instead of a number of them' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l strategy -d 'How to choose [default: gain; with --features dalc; for numbers fewest]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l for -d 'Questions for this annotator only' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l annotators -d 'Who can be asked [default: everybody who answered]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l pending -d 'Questions that are out and not answered yet' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l gold -d 'Known truth (item,label), which is not asked' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l features -d 'Item features, one row per item (.npy or CSV): a classifier learns beside the answers (DALC and its relatives)' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l stop-at -d 'Leave items alone whose class is this sure [default: 0.9 for the strategy sure, else none]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l value -d 'What a right item is worth, in the money of the prices (strategy worth)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l max-per-item -d 'Maximum number of labels per item, questions included [default: three times the mean, at least 10]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l max-share -d 'Maximum share of all answers by one annotator' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l max-out -d 'Maximum number of questions out to one annotator' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l budget -d 'Budget for all answers, those that are there included' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l coverage -d 'Share of the questions for items with few labels, annotators at random (strategy gain)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l price-power -d 'Divide gains by price to this power' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l lease -d 'Minutes after which a question that is out counts as not answered [default: never]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l now -d 'The time, such as 2026-03-31T18:00, for hours, deadlines and leases [default: now]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand next" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l target -d 'Accuracy to reach' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l per-item -d 'Labels per item to show [default: some from 2 to 30]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l money -d 'Sums of money to show' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l price -d 'Price of a label' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l gold -d 'True labels (item,label) of some items; 30 to 50 random ones are enough' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l strategies -d 'How questions are chosen, such as fewest,gain [default: fewest]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l best -d 'Also plan with the best annotators only, this share of them' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l accuracy -d 'Also plan with new annotators who are right with this probability' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l only -d 'Also plan with these annotators only' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l other-price -d 'Price of a label by annotators of --best, --accuracy or --only [default: that of --price]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l most -d 'Most labels per item that anybody would ask for' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l draws -d 'Simulated futures' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l fail-if -d 'Exit with code 1 if this is the case' -r -f -a "not-converged\t'The fit did not converge'
findings\t'There is any warning or problem'
problem\t'There is a problem'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l truth -d 'Known truth (item,label)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l strategies -d 'Strategies, of those of `next`' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l base -d 'The strategy that others are compared with' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l orderings -d 'Random orders, each with its own first labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l start -d 'Random labels of every item to begin with' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l batch -d 'Questions between two fits, as a share of the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l coverage -d 'Share of the questions of gain for items with few labels, annotators at random' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l budget -d 'End after so many labels [default: all]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l curves -d 'Also write the mean curves (strategy, labels, accuracy, standard error) into this file' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l truth -d 'True labels (item,label); annotators answer the items in it' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l policies -d 'Policies [default: all]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l rewards -d 'What a label earns' -r -f -a "gold\t'1 if it is right, as if every item were a gold question'
posterior\t'The probability that it is right, by all labels so far'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l labels -d 'Labels to ask for [default: a quarter of those recorded]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l money -d 'Money to spend [default: no limit]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l price -d 'Price of a label by one annotator; all others cost 1' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l batch -d 'Labels between two estimates of posterior rewards' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l orderings -d 'Runs of each policy, in other orders of the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand bandit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l max-gap -d 'Largest gap of false positive and false negative rate between groups' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l max-fpr-gap -d 'Largest gap of the false positive rate [default: --max-gap]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l max-fnr-gap -d 'Largest gap of the false negative rate [default: --max-gap]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l max-share -d 'Largest share of one annotator, so that labels stay those of many' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l prices -d 'Price of a label by each annotator (annotator,price) [default: 1 for everybody]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l max-price -d 'Largest mean price of a label' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l min-labels -d 'Leave out annotators with fewer labels (with --gold: on items of known class)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -s m -l method -d 'The method for answers [default: auto]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -s p -l param -d 'A parameter of the method' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l gold -d 'Gold labels (item,label) that the fit uses' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand assign" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l source -d 'Answers of another task with some of the same annotators; may be given several times' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l show -d 'What to list' -r -f -a "annotators\t'How accurate each annotator is, or would be, at the task'
labels\t'Labels of the items'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l features -d 'Features of the items (.npy or CSV): a classifier and reliabilities that depend on them are transferred, too' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l source-features -d 'Features of the items of each source, in the order of the sources' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l abilities -d 'Numbers in the ability vector of an annotator (without --features)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l truth -d 'Known truth (item,label), used for evaluation only' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l unguarded -d 'Use the sources even if they do not help to predict held-out labels (with --features)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand transfer" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -s o -l output -d 'Directory to write to; created if missing' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l items -d 'Number of items (tokens for sequences) [default: 1000]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l annotators -d 'Number of annotators [default: 50]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l classes -d 'Number of classes [default: 3]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l per-item -d 'Labels per item [default: 5]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l accuracy -d 'Mean probability that an ordinary annotator is right [default: 0.75]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l spammers -d 'Share of annotators whose labels do not depend on the truth [default: 0]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l adversaries -d 'Share of annotators who answer wrongly on purpose [default: 0]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l copy-groups -d 'Groups in which two followers copy a leader [default: 0]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l imbalance -d 'Each class is this many times as frequent as the next [default: 1]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l zipf -d 'Heavy-tailed participation: the j-th annotator is drawn with weight j^-EXPONENT [default: 0]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l features -d 'Number of informative features per item, written to features.npy [default: 0]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l class-names -d 'Names of the classes instead of c0, c1 …' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -s p -l param -d 'Set any other property of the simulation, e.g. copy_probability=0.8; a wrong name lists them all' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l force -d 'Replace the files of an earlier simulation in DIR'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -l regular -d 'Every annotator labels the same number of items'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -s o -l output -d 'File to write the page to' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l compare -d 'Also compare these methods, or `all` that suit the data' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l folds -d 'Number of folds for the held-out score of --compare' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l truth -d 'Known truth (item,label), used for evaluation only' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l title -d 'Title of the page [default: name of the answers file]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l fail-if -d 'Exit with code 1 if this is the case' -r -f -a "not-converged\t'The fit did not converge'
findings\t'There is any warning or problem'
problem\t'There is a problem'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -s m -l method -d 'The method for answers [default: auto]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -s p -l param -d 'A parameter of the method' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l gold -d 'Gold labels (item,label) that the fit uses' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "label-integration" -d 'Errors and times on TREC, Bluebird, RTE and Dog, ours beside the published'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "asking" -d 'What to ask next: strategies replayed on the real sets, beside round robin'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "groups" -d 'Annotators in groups: methods that know of them and methods that do not, as items grow'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "asking-pairs" -d 'Which pair to compare next: gain, closest scores, fewest comparisons and chance on three real sets'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "fairness" -d 'Annotators who treat groups of items differently, and what methods make of their labels'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "scaling" -d 'Time and peak memory of every method for classes, as labels grow'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "quality" -d 'Every method on every real set: accuracy, log-loss, calibration, time'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "trust" -d 'What can be trusted: probabilities, intervals, order of rows, sources, copies, learners'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "coverage" -d 'How often 90 % intervals hold the truth, on simulated crowds'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "planner" -d 'What a pilot predicts of more labels, beside what they gave'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "labelme" -d 'Every learner on LabelMe and Music, beside published figures and peers'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "max-mig" -d 'Annotators who err alone, always say the same, or copy each other'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "deep-bp" -d 'Bad priors, spammers and blurred images'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "bayes-dgc" -d 'A share of the labels of nine annotators, with and without features'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "dlc" -d 'Annotators whose reliability depends on the item'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "dalc" -d 'What to ask next, and whom: labels needed by random and by active choice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and not __fish_seen_subcommand_from label-integration asking groups asking-pairs fairness scaling quality trust coverage planner labelme max-mig deep-bp bayes-dgc dlc dalc learning" -f -a "learning" -d 'The five tables of learners in one page'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from label-integration" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l sets -d 'Sets [default: the 14 of the table]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l strategies -d 'Strategies beside fewest' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l orderings -d 'Random orders of every set' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l max -d 'Most items; sizes are 100, 200, 500, 1000 …' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l repeats -d 'Crowds of each size' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l svg -d 'Also draw the picture into this file' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from groups" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l orderings -d 'Orders in which the answers are uncovered' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l random -d 'Share of each batch by chance' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from asking-pairs" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -l items -d 'Items of a crowd' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -l repeats -d 'Crowds for each bias' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from fairness" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -s m -l method -d 'Methods [default: all for classes]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l max -d 'Most labels; sizes are 10 000, 100 000 …' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l limit -d 'Seconds that one fit may take; larger sizes are then left out, and that is said' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l one -d 'Fit one method to so many labels in this process, and write what it took' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from scaling" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -s m -l method -d 'Methods [default: all for classes]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -l sets -d 'Only these sets [default: all with classes and known truth]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from quality" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l parts -d 'Only these parts [default: all]' -r -f -a "calibration\t'Probabilities: simulated crowds and real sets'
curve\t'Probabilities: what the prior of shared errors costs in both worlds'
coverage\t'Intervals: how often they hold the truth'
order\t'Order of rows: what it changes'
sources\t'Sources that vote for one class: beside majority vote'
dependence\t'Copies, schools and families of annotators'
difficulty\t'Items that differ, and ordered grades'
learners\t'Learners: the default beside two stages with majority vote'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l quick -d 'Fewer crowds of each design, in all parts or only in these' -r -f -a "calibration\t'Probabilities: simulated crowds and real sets'
curve\t'Probabilities: what the prior of shared errors costs in both worlds'
coverage\t'Intervals: how often they hold the truth'
order\t'Order of rows: what it changes'
sources\t'Sources that vote for one class: beside majority vote'
dependence\t'Copies, schools and families of annotators'
difficulty\t'Items that differ, and ordered grades'
learners\t'Learners: the default beside two stages with majority vote'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l crowds -d 'Crowds of each design in the part coverage [default: 100, or 5 with --quick]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from trust" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -s m -l method -d 'Methods [default: all that need labels only]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -l repeats -d 'Crowds of each design' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from coverage" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l sets -d 'Only these sets [default: those of which at least three labels per item are recorded]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l pilots -d 'Labels per item of the pilot' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l orderings -d 'Random orders of the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l draws -d 'Simulated futures of each pilot' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from planner" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l seeds -d 'Runs of everything, each with a seed of its own [default: 5; deep-bp: 20]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l keep -d 'Keep the figures of finished runs in this file and take them from there, so that a long table can be interrupted and continued; begin a new file when methods have changed' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l quick -d 'A small version that takes seconds: few runs, few epochs, simulated features in place of images'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from labelme" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l seeds -d 'Runs of everything, each with a seed of its own [default: 5; deep-bp: 20]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l keep -d 'Keep the figures of finished runs in this file and take them from there, so that a long table can be interrupted and continued; begin a new file when methods have changed' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l quick -d 'A small version that takes seconds: few runs, few epochs, simulated features in place of images'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from max-mig" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l seeds -d 'Runs of everything, each with a seed of its own [default: 5; deep-bp: 20]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l keep -d 'Keep the figures of finished runs in this file and take them from there, so that a long table can be interrupted and continued; begin a new file when methods have changed' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l quick -d 'A small version that takes seconds: few runs, few epochs, simulated features in place of images'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from deep-bp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l seeds -d 'Runs of everything, each with a seed of its own [default: 5; deep-bp: 20]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l keep -d 'Keep the figures of finished runs in this file and take them from there, so that a long table can be interrupted and continued; begin a new file when methods have changed' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l quick -d 'A small version that takes seconds: few runs, few epochs, simulated features in place of images'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from bayes-dgc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l seeds -d 'Runs of everything, each with a seed of its own [default: 5; deep-bp: 20]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l keep -d 'Keep the figures of finished runs in this file and take them from there, so that a long table can be interrupted and continued; begin a new file when methods have changed' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l quick -d 'A small version that takes seconds: few runs, few epochs, simulated features in place of images'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dlc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l seeds -d 'Runs of everything, each with a seed of its own [default: 5; deep-bp: 20]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l keep -d 'Keep the figures of finished runs in this file and take them from there, so that a long table can be interrupted and continued; begin a new file when methods have changed' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l sets -d 'Sets of figure 5 [default: all but low-rank-wide]' -r -f -a "low-rank\t'The generator of the paper, labels right with probability η'
low-rank-wide\t'The same, annotators twice as different'
mnist\t'Digits 0 to 4 against 5 to 9, 600 simulated annotators'
labelme\t'LabelMe, recorded labels'
music\t'Music, recorded labels'"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l strategies -d 'What is asked in figure 5: rd, ac, ad, dalc, dalc-q, gain, bald, activelab [default: the first six]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l quick -d 'A small version that takes seconds: few runs, few epochs, simulated features in place of images'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -l curves-only -d 'Leave out the tables and the figures 2 to 4'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from dalc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l seeds -d 'Runs of everything, each with a seed of its own [default: 5; deep-bp: 20]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l keep -d 'Keep the figures of finished runs in this file and take them from there, so that a long table can be interrupted and continued; begin a new file when methods have changed' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l data -d 'Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l seed -d 'Random seed' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l progress -d 'How to show progress on stderr [default: a bar on a terminal]' -r -f -a "bar\t'A bar, also where standard error is not a terminal'
json\t'One JSON object a line on standard error'
none\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l quick -d 'A small version that takes seconds: few runs, few epochs, simulated features in place of images'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -l count-copies -d 'Count annotators who copy each other separately, instead of as one voice'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand repro; and __fish_seen_subcommand_from learning" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand methods" -l kind -d 'List only methods for this kind of label' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand methods" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand methods" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand methods" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand methods" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand methods" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand methods" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand methods" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l format -d 'Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]' -r -f -a "table\t''
csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
markdown\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -s o -l output -d 'Write to FILE, which appears only once it is complete' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l threads -d 'Number of threads [default: all cores]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l input-format -d 'Input format [default: detected from the file name and content]' -r -f -a "csv\t''
tsv\t''
jsonl\t''
json\t''
parquet\t''
arrow\t''
conll\t''
spans\t''
label-studio\t''
prodigy\t''
mturk\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l kind -d 'Kind of labels [default: detected from the columns]' -r -f -a "categorical\t''
real\t''
preference\t''
similarity\t''"
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l item -d 'Column with the items' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l annotator -d 'Column with the annotators' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l label -d 'Column with the labels' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l columns -d 'Column names, for a file without a header' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l order -d 'The classes are ordered like this, from one end of the scale to the other' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l items -d 'List of all items, one per row; unlabelled ones get a prediction too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l abstain -d 'Treat this label as a missing answer' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l probabilities -d 'Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l graph -d 'Pairs of neighbouring items, one pair per row (CSV or TSV)' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l attribute -d 'Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l attribute-column -d 'Column of the attribute file with the groups [default: attribute or group]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l spreadsheet-safe -d 'In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l wide -d 'The file has one row per item and one column per annotator'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l ordered -d 'The classes are ordered (grades) [default: well-known scales are recognised]'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l unordered -d 'The classes are not ordered, even if they look like grades'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l skip-bad-rows -d 'Skip rows that cannot be read and report how many'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l keep-rejected -d 'Mechanical Turk: use rejected assignments too'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -l sets -d 'Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand completions" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand completions" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand completions" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand man" -s o -l output -d 'Write one page per command into DIR, instead of the main page to stdout' -r -F
complete -c crowdwise -n "__fish_crowdwise_using_subcommand man" -l max-memory -d 'Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine\'s]' -r
complete -c crowdwise -n "__fish_crowdwise_using_subcommand man" -s q -l quiet -d 'Print errors only'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand man" -s v -l verbose -d 'Also print how long reading, fitting and writing took'
complete -c crowdwise -n "__fish_crowdwise_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
