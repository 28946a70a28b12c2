"""Demonstrate superword on the bundled novels: pretokens, superwords, a comparison, a report."""

from __future__ import annotations

import json
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

import superword
from superword import Tokenizer
from superword.commands.side_by_side import TokenizedText, print_side_by_side
from superword.evaluation import Ours, evaluate, print_comparison
from superword.patterns import NAMED_PATTERNS
from superword.printable import quote
from superword.reproduction import ReproductionSettings, reproduce, write_outputs
from superword.tokenizer.display import color_alternately
from superword.tokenizer.inspection import inspect

VOCAB_SIZES = (2048, 4096, 8192)
SENTENCE = "To be or not to be"
# Every tenth piece of a novel is held out of training, to measure on.
HELD_OUT = 10
OUT = Path("demo")
console = Console(highlight=False)


def color_pieces(pieces: list[str]) -> Text:
    """Show pieces in alternating colors; without colors, with bars between them."""
    if console.color_system is None:
        return Text("|".join(pieces))
    return color_alternately(pieces)


def show_patterns() -> None:
    """Show how every named pattern splits one line."""
    line = "XMLHttpRequest isn't snake_case: 1234567 bytes"
    table = Table("pattern", line, title="Pretokens: where merges stop", title_justify="left")
    for name in NAMED_PATTERNS:
        table.add_row(name, color_pieces(superword.pretokenize(line, name)))
    console.print(table)


def train_tokenizer(documents: list[str], name: str, supermerges: bool) -> Tokenizer:
    """Train a tokenizer, and print a summary."""
    start = time.perf_counter()
    deletion = "bytes" if supermerges else None
    tok = superword.train(
        documents,
        VOCAB_SIZES[-1],
        pattern="gpt4o",
        supermerges=supermerges,
        deletion=deletion,  # type: ignore[arg-type]
        max_superwords=None,  # The text is in one language.
        progress=True,
    )
    seconds = time.perf_counter() - start
    found = inspect(tok, 12)
    console.print(
        f"\n{name}: {tok.training.bytes:,} bytes in {seconds:.1f} s, {found.rules['merge']:,} "
        f"merges, {found.rules['supermerge']:,} supermerges, {found.rules['delete']:,} deletions"
    )
    if supermerges:
        frequent = "  ".join(quote(each.token) for each in found.top_superwords)
        longest = "  ".join(quote(each.token) for each in found.longest_superwords[:4])
        console.print(f"its most frequent superwords: {frequent}", soft_wrap=True)
        console.print(f"its longest: {longest}", soft_wrap=True)
    return tok


def compare(bpe: Tokenizer, boundless: Tokenizer, unseen: list[str]) -> None:
    """Print how both split a sentence, and all metrics."""
    both = [Ours(bpe, "BPE"), Ours(boundless, "BoundlessBPE")]
    console.print(f"\nThe paper's sentence, with {VOCAB_SIZES[-1]:,} tokens each:\n")
    rows = [TokenizedText(tok.name, SENTENCE, tok.tokenize(SENTENCE)) for tok in both]
    print_side_by_side(SENTENCE, rows, console)
    console.print("On held-out pieces of the novels:")
    print_comparison([evaluate(tok, unseen) for tok in both], console)


def write_report(seen: list[str], unseen: list[str]) -> Path:
    """Reproduce the paper's experiments on the novels, at a small scale."""
    OUT.mkdir(exist_ok=True)
    for name, documents in (("train", seen), ("eval", unseen)):
        lines = (json.dumps({"text": document}) + "\n" for document in documents)
        (OUT / f"{name}.jsonl").write_text("".join(lines))
    settings = ReproductionSettings(
        train=(str(OUT / "train.jsonl"),),
        eval=(str(OUT / "eval.jsonl"),),
        out=OUT,
        vocab_sizes=VOCAB_SIZES,
        baselines=("bpe", "wordpiece"),
        transition=0,
        sentence=SENTENCE,
    )
    write_outputs(reproduce(settings), settings)
    return OUT / "report.html"


if __name__ == "__main__":
    show_patterns()
    novels = list(superword.sample())
    seen = [novel for at, novel in enumerate(novels) if at % HELD_OUT]
    unseen = novels[::HELD_OUT]
    bpe = train_tokenizer(seen, "BPE", supermerges=False)
    compare(bpe, train_tokenizer(seen, "BoundlessBPE", supermerges=True), unseen)
    with console.status("writing the report"):
        report = write_report(seen, unseen)
    console.print(f"\nThe paper's figures, tables and claims on these novels: {report.resolve()}")
