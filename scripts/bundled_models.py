"""Train the models in the package, and write the tables of their card, docs/models.md.

    python scripts/bundled_models.py train-0.jsonl.zst train-1.jsonl.zst --eval eval.jsonl.zst

The corpora are JSON lines with `text` and `source`. The models learn from the documents whose
source is in `bundled_sources.csv`, which has the licences. The evaluation corpus is measured whole.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import superword
from superword.corpus import open_corpus
from superword.evaluation import Measurement, evaluate
from superword.evaluation.sources import group_sources
from superword.tables import Column, Table, format_markdown

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "scripts" / "bundled_sources.csv"
RESULTS = ROOT / "docs" / "results" / "paper.toml"
DATA = ROOT / "python" / "superword" / "data"
CARD = ROOT / "docs" / "models.md"
VOCAB_SIZE = 131_072
MODELS: dict[str, dict[str, Any]] = {
    "superword-131k": {"max_words": 4},
    "bpe-131k": {"supermerges": False, "deletion": None},
}
SIZES = [8192, 32_768, 65_536, VOCAB_SIZE]


class Licensed(NamedTuple):
    """Sources, as a glob of their names, and their licence."""

    source: str
    licence: str


class Taken:
    """The documents of a corpus whose licence is known, and their bytes by licence entry."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = paths
        with SOURCES.open(newline="", encoding="utf-8") as file:
            self.licensed = [Licensed(**row) for row in csv.DictReader(file)]
        self.find_licensed = cache(self.find_uncached)
        self.bytes: Counter[Licensed | None] = Counter()

    def find_uncached(self, source: str) -> Licensed | None:
        """Return the entry of a source."""
        found = (each for each in self.licensed if fnmatchcase(source, each.source))
        return next(found, None)

    def __iter__(self) -> Iterator[str]:
        """Yield the documents, and count their bytes."""
        self.bytes.clear()
        texts, sources = (read_column(self.paths, name) for name in ("text", "source"))
        for text, source in zip(texts, sources, strict=True):
            entry = self.find_licensed(source)
            self.bytes[entry] += len(text.encode())
            if entry is not None:
                yield text


def read_column(paths: Sequence[Path], name: str) -> Iterator[str]:
    """Yield a column of JSON lines."""
    for batch in open_corpus(list(paths), column=name).batches():
        yield from batch


def train_models(corpus: Taken) -> dict[str, superword.Tokenizer]:
    """Train the models, and write them into the package."""
    models = {}
    for name, options in MODELS.items():
        tok = superword.train(iter(corpus), VOCAB_SIZE, max_token_bytes=32, **options)
        with tempfile.TemporaryDirectory() as folder:
            tok.save(path := Path(folder) / "model.json")
            packed = gzip.compress(path.read_bytes(), 9, mtime=0)
        (DATA / f"{name}.json.gz").write_bytes(packed)
        print(f"{name}: {tok}, {len(packed):,} bytes")
        models[name] = tok
    return models


def describe_models(models: dict[str, superword.Tokenizer]) -> Table:
    """Return what is told of each model."""
    rows = []
    for name, tok in models.items():
        superwords = sum(tok.is_superword(id) for id in range(tok.vocab_size))
        size = (DATA / f"{name}.json.gz").stat().st_size
        row = [f"`{name}`", f"{superwords:,}", f"{size / 1e6:.1f} MB", f"`{tok.fingerprint}`"]
        rows.append(row)
    names = ["superwords", "file"]
    return Table([Column("model", False), *map(Column, names), Column("fingerprint", False)], rows)


def describe_corpus(taken: Counter[Licensed | None]) -> Table:
    """Return the text of each entry, the largest first."""
    rows = [
        [entry.source, entry.licence, f"{count / 1e6:.1f}"]
        for entry, count in taken.most_common()
        if entry is not None
    ]
    columns = [Column("source", False), Column("licence", False), Column("MB")]
    return Table(columns, rows)


def compare_sizes(models: dict[str, superword.Tokenizer], paths: list[Path]) -> Table:
    """Return the bytes per token of the models at several sizes."""
    rows = []
    for size in SIZES:
        rates = [
            evaluate(tok.truncate(size), paths, instability=False).bytes_per_token
            for tok in models.values()
        ]
        gain = f"{rates[0] / rates[1] - 1:+.1%}"
        rows.append([f"{size:,}", *(f"{rate:.3f}" for rate in rates), gain])
    return Table([Column("size"), *map(Column, models), Column("difference")], rows)


def compare_parts(measured: Sequence[Measurement]) -> Table:
    """Return the bytes per token of the models by kind of text, then by script."""
    groups = tomllib.loads(RESULTS.read_text())["sources"]
    by_kind = [group_sources(each.sources, groups) for each in measured]
    parts = {
        kind: [totals[kind].bytes / totals[kind].tokens for totals in by_kind]
        for kind in by_kind[0]
    }
    for script, totals in measured[0].scripts.items():
        if totals.bytes >= 20_000 and script != "Common":
            rates = [each.scripts[script].bytes_per_token or 0 for each in measured]
            parts[f"{script} script"] = rates
    rows = [
        [name, *(f"{rate:.2f}" for rate in rates), f"{rates[0] / rates[1] - 1:+.1%}"]
        for name, rates in parts.items()
    ]
    names = [each.name for each in measured]
    return Table([Column("text", False), *map(Column, names), Column("difference")], rows)


def write_card(tables: dict[str, Table]) -> None:
    """Write each table between the comments with its name."""
    text = CARD.read_text(encoding="utf-8")
    for name, table in tables.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(start)
        _, found, after = rest.partition(end)
        assert found, f"{CARD.name} has no place for the table {name}"
        text = before + start + format_markdown(table) + end + after
    CARD.write_text(text, encoding="utf-8")


def main() -> None:
    """Train, measure, and write models and card."""
    parser = argparse.ArgumentParser(description="Train the models in the package.")
    parser.add_argument("train", nargs="+", type=Path)
    parser.add_argument("--eval", nargs="+", type=Path, required=True)
    options = parser.parse_args()
    corpus = Taken(options.train)
    models = train_models(corpus)
    measured = [evaluate(name, options.eval, instability=False) for name in models]
    write_card(
        {
            "models": describe_models(models),
            "sources": describe_corpus(corpus.bytes),
            "sizes": compare_sizes(models, options.eval),
            "parts": compare_parts(measured),
        }
    )


if __name__ == "__main__":
    main()
