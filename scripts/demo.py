"""What superword does, on the bundled novels: pretokens, rules, superwords."""

from __future__ import annotations

import time
from itertools import islice

from rich.console import Console
from rich.table import Table
from rich.text import Text

import superword
from superword import reference
from superword.patterns import NAMED_PATTERNS

SHADES = ["black on bright_cyan", "black on bright_yellow"]
console = Console(highlight=False)


def coloured(pieces: list[str]) -> Text:
    """The pieces side by side, in two colours by turns; without colours, with bars between."""
    if console.color_system is None:
        return Text("|".join(pieces))
    return Text().join(Text(piece, SHADES[i % 2]) for i, piece in enumerate(pieces))


def show_patterns() -> None:
    """One line of code and prose through every named pattern."""
    line = "XMLHttpRequest isn't snake_case: 1234567 bytes"
    table = Table("pattern", line, title="Pretokens: where merges stop", title_justify="left")
    for name in NAMED_PATTERNS:
        table.add_row(name, coloured(superword.pretokenize(line, name)))
    console.print(table)


def show_training() -> None:
    """Train the reference on two chapters, and encode a sentence step by step."""
    documents = list(islice((d for d in superword.sample() if "Alice" in d), 3))
    size = sum(len(document.encode()) for document in documents)
    start = time.perf_counter()
    rules, vocabulary = reference.train(documents, 700)
    seconds = time.perf_counter() - start
    kinds = [rule.kind for rule in rules]
    console.print(
        f"\nTrained by the reference (the specification in slow Python) on {size:,} bytes of Alice "
        f"in {seconds:.0f} s: {kinds.count('merge')} merges, {kinds.count('supermerge')} "
        f"supermerges, {kinds.count('delete')} deletions, {len(vocabulary)} tokens.\n"
    )
    superwords = [rule for rule in rules if rule.kind == "supermerge"]
    table = Table("index", "count", "superword", title="The first superwords", title_justify="left")
    for rule in superwords[:8]:
        table.add_row(str(rule.index), str(rule.count), repr(rule.token.decode()))
    console.print(table)

    sentence = "said the King to the Queen, and she said to Alice"
    with_superwords = reference.encode(sentence, rules)
    plain, _ = reference.train(documents, 700, supermerges=False, deletion=None)
    without = reference.encode(sentence, plain)
    console.print("\nThe same number of tokens in the vocabulary, without and with superwords:")
    for tokens in (without, with_superwords):
        pieces = [token.decode(errors="replace") for token in tokens]
        console.print(Text(f"{len(tokens):3} tokens  "), coloured(pieces))


if __name__ == "__main__":
    show_patterns()
    show_training()
