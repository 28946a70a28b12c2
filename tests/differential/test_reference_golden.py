"""The reference against the output of the paper authors' first implementation.

Its training agrees with ours without deletion, its encoding always.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from superword.reference import ELIGIBLE, PATTERNS, Rule, encode, is_eligible, pretokenize, train

ReadJsonl = Callable[[Path], Iterator[Any]]


def read_text(path: Path) -> str:
    with path.open("rb") as packed:
        unpacked = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(packed)
        return io.TextIOWrapper(unpacked, encoding="utf-8").read()


def our_name(pattern: str) -> str:
    return "boundless" if pattern == "ultimate" else pattern


def test_patterns_are_those_of_the_authors(golden: Path) -> None:
    published = json.loads((golden / "pretokenize/patterns.json").read_text(encoding="utf-8"))
    for name in ("gpt2", "gpt4", "gpt4o", "punct", "ultimate"):
        # Their last branch matches all other text; here unmatched text is kept anyway.
        assert PATTERNS[our_name(name)] == published["patterns"][name].removesuffix("|.+")
    assert published["merge_pattern"] == ELIGIBLE


def test_pretokens_are_those_of_the_authors(golden: Path, read_jsonl: ReadJsonl) -> None:
    folder = golden / "pretokenize"
    for row in read_jsonl(folder / "pretokens_texts.jsonl.zst"):
        if our_name(row["pattern"]) in PATTERNS:
            assert pretokenize(row["text"], our_name(row["pattern"])) == row["pretokens"]
    for row in read_jsonl(folder / "adversarial.jsonl.zst"):
        for pattern, pretokens in row["pretokens"].items():
            if our_name(pattern) in PATTERNS:
                assert pretokenize(row["text"], our_name(pattern)) == pretokens


def test_eligible_pretokens_are_those_of_the_authors(golden: Path, read_jsonl: ReadJsonl) -> None:
    for row in read_jsonl(golden / "pretokenize/eligibility.jsonl.zst"):
        assert is_eligible(row["pretoken"]) == row["eligible"]


@pytest.mark.parametrize(
    ("name", "vocab_size"),
    [
        ("micro_overlap_gpt4o_1.1", 420),
        ("micro_overlap_ultimate_1.1", 420),
        # The core gives these rules too, in test_train_matches_reference.py.
        pytest.param("small_b_a_gpt4o_1.1_1200", 1200, marks=pytest.mark.slow),
        pytest.param("small_b_b_ultimate_1.1_1200", 1200, marks=pytest.mark.slow),
    ],
)
def test_training_gives_the_rules_and_counts_of_the_authors(
    golden: Path, name: str, vocab_size: int
) -> None:
    published = json.loads(read_text(golden / f"training/{name}.ops.json.zst"))
    corpus = golden / "corpora" / published["meta"]["corpus"]
    lines = corpus.read_text(encoding="utf-8").strip().split("\n")
    documents = [json.loads(line)["text"] for line in lines]
    pattern = our_name(published["meta"]["pattern_name"])
    rules, _ = train(documents, vocab_size, pattern=pattern, deletion=None, min_count=1)
    assert rules == [
        Rule(
            row["index"],
            row["kind"],
            bytes.fromhex(row["left"]),
            bytes.fromhex(row["right"]),
            count=row["count"],
        )
        for row in published["ops"]
    ]


@pytest.mark.parametrize(
    ("name", "pattern", "splits_into_bytes", "texts"),
    [
        ("0.9_1000_ultimate2_1_8192", "boundless", True, 80),
        ("0.9_1000_ultimate2_0_40960", "boundless", False, 25),
        ("0.9_1000_gpt4o_1_40960", "gpt4o", True, 25),
    ],
)
def test_encoding_gives_the_tokens_of_the_authors(
    sampled_golden: Path,
    read_jsonl: ReadJsonl,
    name: str,
    pattern: str,
    splits_into_bytes: bool,
    texts: int,
) -> None:
    rules = rules_of_word_v1(
        read_text(sampled_golden / f"models/{name}.model.zst"), splits_into_bytes
    )
    rows = list(read_jsonl(sampled_golden / f"inference/{name}.jsonl.zst"))
    # Short ones, spread over the file: applying forty thousand rules one by one is slow.
    short = [row for row in rows if len(row["text"]) < 60]
    for row in short[:: len(short) // texts]:
        expected = [bytes.fromhex(token) for token in row["tokens"]]
        assert encode(row["text"], rules, pattern=pattern) == expected


def rules_of_word_v1(model: str, splits_into_bytes: bool) -> list[Rule]:
    """Return the rules of an authors' model; a deletion to the pair uses the pair unchanged."""
    lines = iter(model.split("\n"))
    assert next(lines) == "word v1"
    next(lines)
    sections = [[next(lines).split(" ") for _ in range(int(next(lines)))] for _ in range(6)]
    _, _, merges, deletions, supermerges, _ = sections
    rules: list[Rule] = []
    first_pair: dict[bytes, tuple[bytes, ...]] = {}
    for index, left, right in merges:
        rules.append(Rule(int(index), "merge", token_of(left), token_of(right)))
        first_pair.setdefault(rules[-1].token, (token_of(left), token_of(right)))
    for index, left, right in supermerges:
        rules.append(Rule(int(index), "supermerge", token_of(left), token_of(right)))
    for index, deleted in deletions:
        token = token_of(deleted)
        single = tuple(token[at : at + 1] for at in range(len(token)))
        parts = single if splits_into_bytes else first_pair[token]
        rules.append(Rule(int(index), "delete", token, parts=parts))
    return sorted(rules, key=lambda rule: rule.index)


def token_of(written: str) -> bytes:
    """Return the bytes of a token that GPT-2 spells with characters: 'Ġa' -> b' a'."""
    return bytes(BYTE_OF[character] for character in written)


AS_THEY_ARE = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
OTHERS = [byte for byte in range(256) if byte not in AS_THEY_ARE]
BYTE_OF = {chr(byte): byte for byte in AS_THEY_ARE} | {
    chr(256 + at): byte for at, byte in enumerate(OTHERS)
}
