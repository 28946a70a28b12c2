"""Draw the golden cases in tests/golden from the whole set.

    python scripts/sample_golden.py FOLDER

The same cases are drawn each time. tests/golden/README.md says what they are.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import zstandard

import superword
from superword import Rule, Tokenizer
from superword.reference import Unit, apply_rule, initial_units

GOLDEN = Path(__file__).parents[1] / "tests/golden"
WHOLE = [
    "corpora/*.jsonl",
    "inference/v2_scripts_*",
    "models/0.9_1000_ultimate2_1_8192.model.zst",
    "models/v2_*",
    "pretokenize/adversarial.jsonl.zst",
    "pretokenize/eligibility.jsonl.zst",
    "pretokenize/patterns.json",
    "pretokenize/pretokens_texts.jsonl.zst",
    "training/*",
]
# Of these, every n-th row.
SAMPLED = {
    "inference/0.9_1000_ultimate2_1_8192.jsonl.zst": 2,
    "inference/v2_micro_delete_gpt4o_0.7_blow1.jsonl.zst": 4,
    "inference/v2_micro_delete_gpt4o_1.1.jsonl.zst": 4,
    "pretokenize/scripts_gpt4o.jsonl.zst": 2,
}
# Models that are too large to keep, and how their deletions split a token: every fourth of their
# rows, and the rules that apply in these.
REDUCED = {"0.9_1000_gpt4o_1_40960": "bytes", "0.9_1000_ultimate2_0_40960": "pair"}


def main() -> None:
    """Write tests/golden anew, but for its README."""
    whole = Path(sys.argv[1])
    for folder in ("corpora", "inference", "models", "pretokenize", "training"):
        shutil.rmtree(GOLDEN / folder, ignore_errors=True)
        (GOLDEN / folder).mkdir(parents=True)
    for path in (path for pattern in WHOLE for path in whole.glob(pattern)):
        shutil.copyfile(path, GOLDEN / path.relative_to(whole))
    for name, step in SAMPLED.items():
        pack("".join(unpack(whole / name).splitlines(keepends=True)[::step]), GOLDEN / name)
    for name, deletion in REDUCED.items():
        reduce_model(whole, name, deletion)
    kept = sum(path.stat().st_size for path in GOLDEN.rglob("*") if path.is_file())
    print(f"{GOLDEN}: {kept:,} bytes")


def reduce_model(whole: Path, name: str, deletion: Any) -> None:
    """Write every fourth row of a model's encodings, and the model with the rules they need."""
    inference, model = f"inference/{name}.jsonl.zst", f"models/{name}.model.zst"
    rows = unpack(whole / inference).splitlines(keepends=True)[::4]
    text = unpack(whole / model)
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_text(text, encoding="utf-8")
        tok = superword.load(file.name, deletion=deletion)
    needed = find_needed_rules(tok, [json.loads(row)["text"] for row in rows])
    pack("".join(rows), GOLDEN / inference)
    pack(keep_rules(text, needed), GOLDEN / model)


def find_needed_rules(tok: Tokenizer, texts: Sequence[str]) -> list[int]:
    """Return the indices of the rules that apply in the texts, and of those that they refer to.

    A deletion to the pair refers to the first rule that makes its token.
    """
    by_parts: dict[Any, list[Rule]] = defaultdict(list)
    makers: dict[bytes, int] = {}
    for rule in tok.rules:
        by_parts[rule.kind, rule.left, rule.right].append(rule)
        if rule.kind != "delete":
            makers.setdefault(rule.token, rule.index)
    used: dict[int, Rule] = {}
    for text in texts:
        units = initial_units(text, tok.pattern, tok.parameters.eligible)
        last = -1
        while found := [
            rule
            for parts in list_parts(units)
            for rule in by_parts.get(parts, ())
            if rule.index > last
        ]:
            first = min(found, key=lambda rule: rule.index)
            last, used[first.index] = first.index, first
            units = apply_rule(first, units)  # type: ignore[arg-type]
    deletions = [rule for rule in used.values() if rule.kind == "delete"]
    return sorted({*used, *(makers[rule.left] for rule in deletions)})


def list_parts(units: list[Unit]) -> Iterator[tuple[str, bytes, bytes | None]]:
    """Yield the pairs and tokens that rules may join or split in the units."""
    for unit in units:
        if not unit.is_superword:
            yield from (("merge", *pair) for pair in pairwise(unit.tokens))
            yield from (("delete", token, None) for token in unit.tokens)
    yield from (("supermerge", *pair) for pair in pairwise(unit.open_token for unit in units))


def keep_rules(model: str, needed: Sequence[int]) -> str:
    """Return a model in the format `word v1` with some of its rules, and the ids it has."""
    lines = iter(model.splitlines())
    head = [next(lines), next(lines)]
    vocabulary, special, *rules = [[next(lines) for _ in range(int(next(lines)))] for _ in range(6)]
    renumbered = {old: new for new, old in enumerate(needed)}
    kept = []
    for section in rules:
        split = (line.split(" ", 1) for line in section)
        kept.append([f"{renumbered[int(at)]} {it}" for at, it in split if int(at) in renumbered])
    made = {line.split(" ", 1)[1].replace(" ", "") for section in kept for line in section}
    listed = [line for line in vocabulary if len(line.split()[1]) == 1 or line.split()[1] in made]
    sections = [[str(len(section)), *section] for section in (listed, special, *kept)]
    return "\n".join([*head, *(line for section in sections for line in section), ""])


def unpack(path: Path) -> str:
    """Read a `.zst` file."""
    packed = path.read_bytes()
    decompressor = zstandard.ZstdDecompressor(max_window_size=2**31)
    return decompressor.stream_reader(packed).read().decode()


def pack(text: str, path: Path) -> None:
    """Write a `.zst` file."""
    path.write_bytes(zstandard.ZstdCompressor(level=19).compress(text.encode()))


if __name__ == "__main__":
    main()
