"""What superword does, on the bundled novels: pretokens, rules, superwords."""

from __future__ import annotations

import time

from rich.console import Console
from rich.table import Table
from rich.text import Text

import superword
from superword import Tokenizer
from superword.commands.shades import shaded
from superword.inspection import inspect
from superword.patterns import NAMED_PATTERNS

VOCAB_SIZE = 8192
console = Console(highlight=False)


def coloured(pieces: list[str]) -> Text:
    """The pieces side by side, in two colours by turns; without colours, with bars between."""
    if console.color_system is None:
        return Text("|".join(pieces))
    return shaded(pieces)


def show_patterns() -> None:
    """One line of code and prose through every named pattern."""
    line = "XMLHttpRequest isn't snake_case: 1234567 bytes"
    table = Table("pattern", line, title="Pretokens: where merges stop", title_justify="left")
    for name in NAMED_PATTERNS:
        table.add_row(name, coloured(superword.pretokenize(line, name)))
    console.print(table)


def show_training(documents: list[str]) -> Tokenizer:
    """Train on all novels, and show what was learned."""
    start = time.perf_counter()
    tok = superword.train(documents, VOCAB_SIZE, progress=True)
    seconds = time.perf_counter() - start
    found = inspect(tok, 8)
    console.print(
        f"\nBoundlessBPE, trained on {len(documents)} documents, {tok.training.bytes:,} bytes, in "
        f"{seconds:.1f} s: {found.rules['merge']:,} merges, {found.rules['supermerge']:,} "
        f"supermerges, {found.rules['delete']:,} deletions; {tok.vocab_size:,} tokens, "
        f"{found.vocabulary['superwords']:,} of them superwords.\n"
    )
    for title, superwords in (
        ("Most frequent superwords", found.top_superwords),
        ("Longest superwords", found.longest_superwords),
    ):
        table = Table("count", "superword", "id", title=title, title_justify="left")
        for each in superwords:
            table.add_row(f"{each.count:,}", repr(each.token.decode()), str(each.id))
        console.print(table)
    return tok


def show_sentence(documents: list[str], tok: Tokenizer) -> None:
    """Encode one sentence with plain BPE and with BoundlessBPE."""
    plain = superword.train(documents, VOCAB_SIZE, supermerges=False, deletion=None)
    sentence = "At the end of the day she said to herself that there was nothing to be done."
    console.print(
        f"\nThe same sentence with {VOCAB_SIZE:,} tokens of plain BPE and of BoundlessBPE:"
    )
    for name, trained in (("plain BPE", plain), ("BoundlessBPE", tok)):
        tokens = trained.tokens(sentence)
        console.print(Text(f"{name:12} {len(tokens):3} tokens  "), coloured(tokens))


if __name__ == "__main__":
    show_patterns()
    novels = list(superword.sample())
    show_sentence(novels, show_training(novels))
