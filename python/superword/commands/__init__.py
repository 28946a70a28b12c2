"""The commands of `superword`, a module each. `superword.cli` puts them together.

In reading order:
    options       Command-line options, derived from the configuration objects.
    json_output   JSON on standard output.
    output        The model file that a command writes, and its summary.
    messages      Errors and warnings as sentences, and texts, with control characters escaped.
    streams       Standard output that is closed, full, or not in UTF-8.
    text_input    A text from an argument, a file or standard input.
    multi_value   Options that take several values: --corpus a.jsonl b.jsonl.
    on_demand     Commands that are imported when they are needed.
    side_by_side  A text as several tokenizers split it.
    train, extend, prune, count, merge_counts, pretokenize, encode, decode, explain, inspect,
    export, evaluate, compare, bpb, reproduce, playground
                  The command of this name.
"""
