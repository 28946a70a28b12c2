"""Extending on counts against extending on the corpus: the same file, for any base and shards."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import superword
from superword import CountsError, Tokenizer
from superword.counts.cuts import Cut

pytest.importorskip("pyarrow")

KINDS = ["merges", "superwords", "both"]
PATTERNS = ["boundless", "gpt2", "(?s).", "ab|.", " ?[a-z]+|.", "(?<= )[ab]+|.", r" (?then)ab|\s"]
COMMAND = Path(sys.executable).parent / "superword"


def random_documents(random: Random) -> list[str]:
    letters = random.choice(["ab", "ab ", "ab '", "abc  ", "a ", "é a"])
    documents = ["".join(random.choices(letters, k=random.randint(0, 40))) for _ in range(6)]
    words = ["".join(random.choices("abc", k=random.randint(1, 5))) for _ in range(4)]
    documents += [" ".join(random.choices(words, k=random.randint(1, 25))) for _ in range(4)]
    return [*documents, "ab ab"]


def random_base(random: Random, **how: Any) -> Tokenizer:
    """Return BPE, PickyBPE or BoundlessBPE, or one of them extended."""
    settings: dict[str, Any] = {
        "pattern": random.choice(PATTERNS),
        "eligible": random.choice([superword.patterns.ELIGIBLE, "(?s).*", "[ab ]+"]),
        "supermerges": random.random() < 0.5,
        "deletion": random.choice(["bytes", "pair", None]),
        "tau": 0.5,
        "min_count": random.choice([1, 2]),
        "max_words": random.choice([None, 2, 3]),
        "special_tokens": random.choice([[], ["<|end|>"]]),
    }
    size = random.choice([256, 260, 275])
    base = superword.train(random_documents(random), size, **settings | how)
    if random.random() < 0.3:
        base = superword.extend(base, random_documents(random), 5, kind="both")
    return base


def write_corpus(folder: Path, documents: list[str], shards: int) -> Path:
    folder.mkdir()
    for index in range(shards):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in documents[index::shards])
        (folder / f"{index}.jsonl").write_text(lines)
    return folder


def assert_equal(folder: Path, base: Tokenizer, documents: list[str], **how: Any) -> bytes | None:
    """Count in shards, extend on the counts, and return the bigram bits of the last cut."""
    shards, counts = how.pop("shards", 1), folder.with_name(folder.name + "-counts")
    corpus = write_corpus(folder, documents, shards)
    split: Any = {name: getattr(base.parameters, name) for name in ("pattern", "eligible")}
    for index in range(shards):
        supermerges = how["kind"] != "merges"
        superword.count(
            corpus, counts, shard=(index, shards), threads=1, supermerges=supermerges, **split
        )
    extended = superword.extend_on_counts(base, counts, corpus=corpus, threads=1, **how)
    assert extended == superword.extend(base, documents, **how)
    return b"" if how["kind"] == "merges" else Cut.load(counts / "cut.json").frequent_bigrams


@pytest.mark.filterwarnings("ignore:the corpus has pairs")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_random_bases_give_the_same_file(tmp_path: Path, seed: int, kind: Any) -> None:
    random = Random(seed)
    base, documents = random_base(random), random_documents(random)
    how: dict[str, Any] = {
        "add": random.choice([0, 1, 5, 30]),
        "min_count": random.choice([1, 2, 3]),
        "max_token_bytes": random.choice([None, None, 4, 6]),
        "forbid": random.choice([None, None, "ba", "c$"]),
    }
    if kind == "both":
        how["max_superwords"] = random.choice([None, 30, 0.3])
    shards = random.randint(1, 3)
    cut = assert_equal(tmp_path / "corpus", base, documents, kind=kind, shards=shards, **how)
    if any(rule.kind == "supermerge" for rule in base.rules) and kind != "merges":
        assert cut is None  # The supermerges of the base may be rare here.


@pytest.mark.filterwarnings("ignore:the corpus has pairs")
@pytest.mark.parametrize("kind", ["superwords", "both"])
def test_superwords_spelled_in_two_ways_give_the_same_file(tmp_path: Path, kind: Any) -> None:
    cuts = []
    for seed in range(8):
        random = Random(seed)
        pieces = random.choices(["'ab", "ab", "'a", "b", "'b", "a", "'abb", "c"], k=3)
        documents = ["".join(random.choices(pieces, k=random.randint(1, 5))) for _ in range(20)]
        pattern = random.choice(["(?<=')[ab]+|.", "ab|.", "(?<=b)a+b?|."])
        how: Any = {"pattern": pattern, "eligible": "(?s).*", "supermerges": False}
        base = superword.train(documents, 257, deletion=None, **how)
        cuts.append(assert_equal(tmp_path / str(seed), base, documents, add=20, kind=kind))
    # In some cases, but not in all, the fragments had to be counted again.
    assert None in cuts
    assert any(cuts)


@pytest.mark.parametrize("kind", KINDS)
def test_an_imported_base_gives_the_same_file(tmp_path: Path, kind: Any) -> None:
    documents = list(superword.sample())[::12]
    bpe = superword.train(documents[:5], 600, supermerges=False, deletion=None)
    superword.export(bpe, tmp_path / "tokenizer.json", "tokenizer.json")
    base = superword.open_base(tmp_path / "tokenizer.json")
    assert_equal(tmp_path / "corpus", base, documents, add=300, kind=kind, shards=3)


def test_what_cannot_be_extended_on_counts_is_refused(tmp_path: Path) -> None:
    documents = random_documents(Random(0))
    bpe: dict[str, Any] = {"supermerges": False, "deletion": None}
    base = superword.train(documents, 260, **bpe)
    two_stages = superword.train(documents, 262, transition=258, **bpe)
    with pytest.raises(ValueError, match="a SuperBPE model cannot be extended"):
        superword.extend_on_counts(two_stages, tmp_path / "counts", 3, corpus=documents)
    superword.export(base, tmp_path / "tokenizer.json", "tokenizer.json")
    whole = json.loads((tmp_path / "tokenizer.json").read_text())
    whole["added_tokens"] = [{"id": 900, "content": "  ", "special": False}]
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole))
    with pytest.raises(CountsError, match="the base has added tokens.*extend it on the documents"):
        superword.extend_on_counts(tmp_path, tmp_path / "counts", 3, corpus=documents)
    other = superword.train(documents, 260, pattern="gpt2", **bpe)
    with pytest.raises(CountsError, match="counted with pattern 'gpt4o'.*use those, or count"):
        superword.extend_on_counts(other, tmp_path / "counts", 3)
    with pytest.raises(ValueError, match="existing counts"):
        superword.extend_on_counts(base, tmp_path / "counts", 3, weights={"a": 2})


def test_the_command_says_what_comes_next(tmp_path: Path) -> None:
    documents = list(superword.sample())[:6]
    corpus, counts = write_corpus(tmp_path / "corpus", documents, 2), tmp_path / "counts"
    base = superword.train(documents, 400, supermerges=False, deletion=None)
    base.save(tmp_path / "base.json")
    output = tmp_path / "model.json"

    def run(*arguments: str | Path) -> str:
        done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stderr

    run("count", corpus, "-o", counts)
    extend: list[str | Path] = ["extend"]
    extend += [tmp_path / "base.json", "--counts", counts, "--add", "30", "-o", output]
    assert "the first pass is done" in run(*extend)
    assert not output.exists()
    run("count", corpus, "-o", counts, "--cut", counts / "cut.json")
    assert "430 tokens from 144 merges, 30 supermerges" in run(*extend)
    assert superword.load(output) == superword.extend(base, documents, 30)
    assert (tmp_path / "id_map.json").exists()
    done = subprocess.run([COMMAND, *extend[:2], "--add", "3", "-o", output], capture_output=True)
    assert b"nothing to learn from; name a corpus, or --counts" in done.stderr


@pytest.mark.parametrize("kind", ["superwords", "both"])
def test_every_kind_of_base_gives_the_same_file_or_refuses(
    core_of_kind: Tokenizer, tmp_path: Path, kind: Any
) -> None:
    documents = list(superword.sample())[:4]
    counts: Any = {"pattern": core_of_kind.pattern, "eligible": core_of_kind.parameters.eligible}
    superword.count(documents, tmp_path, **counts)
    how: Any = {"kind": kind, "corpus": documents}
    try:
        expected = superword.extend(core_of_kind, documents, 20, kind=kind)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            superword.extend_on_counts(core_of_kind, tmp_path, 20, **how)
        return
    extended = superword.extend_on_counts(core_of_kind, tmp_path, 20, **how)
    assert extended._model.to_json() == expected._model.to_json()
