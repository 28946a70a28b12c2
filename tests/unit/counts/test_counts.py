"""Folders of counts: their contents, what is counted again, and what is rejected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import CountsError
from superword.counts import key_counts
from superword.counts.cuts import Cut

pq = pytest.importorskip("pyarrow.parquet")

DOCUMENTS = ["to be or not to be", "to be", "or not", "to see or to be"]
SIZE = 264


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number, document in enumerate(DOCUMENTS):
        write(folder / f"{number}.jsonl", document)
    return folder


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    return tmp_path / "counts"


def write(path: Path, *documents: str) -> None:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents))


def count_all(corpus: Path, counts: Path, shards: int, **options: Any) -> list[bool]:
    done = [superword.count(corpus, counts, shard=(i, shards), **options) for i in range(shards)]
    return [counted.is_new for counted in done]


def rows(path: Path) -> list[tuple[bytes, int]]:
    return [(row["key"], row["count"]) for row in pq.read_table(path).to_pylist()]


def trained_in_stages(corpus: Path, counts: Path, shards: int) -> superword.Tokenizer:
    count_all(corpus, counts, shards)
    with pytest.raises(CountsError, match="not counted yet"):
        superword.train_on_counts(counts, SIZE)
    count_all(corpus, counts, shards, cut=counts / "cut.json")
    return superword.train_on_counts(counts, SIZE)


def test_pretokens_are_sorted_and_counted(corpus: Path, counts: Path) -> None:
    superword.count(corpus, counts)
    assert rows(counts / "pretokens-0-of-1.parquet") == [
        *[(b" be", 4), (b" not", 2), (b" or", 2), (b" see", 1), (b" to", 2)],
        *[(b"or", 1), (b"to", 3)],
    ]
    # to be, be or, or not, not to, to be; to be; or not; to see, see or, or to, to be
    assert sum(count for _, count in rows(counts / "bigrams-0-of-1.parquet")) == 11


def test_the_buckets_of_bigrams_never_change(tmp_path: Path, counts: Path) -> None:
    """Counts of other versions are summed with ours."""
    superword.count([" the quick, indistinguishabilities indistinguishabilities"], counts)
    # Short pretokens, and long ones, which are hashed differently.
    buckets = [(0x879C1E, 1), (0xCF3277, 1)]
    found = rows(counts / "bigrams-0-of-1.parquet")
    assert [(int.from_bytes(key), count) for key, count in found] == buckets


def test_stages_end_in_the_model_of_the_corpus(corpus: Path, counts: Path) -> None:
    assert trained_in_stages(corpus, counts, 2) == superword.train(DOCUMENTS, SIZE)


def test_fragments_have_two_pretokens_at_least(corpus: Path, counts: Path) -> None:
    trained_in_stages(corpus, counts, 1)
    words = Cut.load(counts / "cut.json").words
    fragments = {
        tuple(words[number] for number in memoryview(key).cast("I")): count
        for key, count in rows(counts / "fragments-0-of-1.parquet")
    }
    # T is 2, since merges run out, and "to be" and " to be" alone reach it.
    assert Cut.load(counts / "cut.json").threshold == 2
    assert all(len(fragment) > 1 for fragment in fragments)
    assert fragments == {(b"to", b" be"): 2, (b" to", b" be"): 2}


def test_a_job_resumes_at_the_shards_that_are_missing(corpus: Path, counts: Path) -> None:
    assert count_all(corpus, counts, 4) == [True] * 4
    (counts / "pretokens-2-of-4.json").unlink()
    (counts / "pretokens-3-of-4.parquet").write_bytes(b"half of it")
    assert count_all(corpus, counts, 4) == [False, False, True, True]


def test_training_counts_missing_shards(corpus: Path, counts: Path) -> None:
    superword.count(corpus, counts, shard=(1, 3))
    tok = superword.train_on_counts(counts, SIZE, corpus=corpus)
    assert tok == superword.train(DOCUMENTS, SIZE)
    assert len(list(counts.glob("fragments-*-of-3.json"))) == 3


def test_counts_of_the_same_files_are_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        superword.count(corpus, tmp_path / name, threads=2 if name == "two" else 1)
    for kind in ("pretokens", "bigrams"):
        file = f"{kind}-0-of-1.parquet"
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_incomplete_counts_are_refused(corpus: Path, counts: Path) -> None:
    for index in (0, 2):
        superword.count(corpus, counts, shard=(index, 4))
    with pytest.raises(CountsError, match="missing shards: 1/4, 3/4"):
        superword.train_on_counts(counts, SIZE)


def test_damaged_counts_are_refused(corpus: Path, counts: Path) -> None:
    superword.count(corpus, counts)
    path = counts / "bigrams-0-of-1.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(CountsError, match=r"bigrams-0-of-1\.parquet: damaged"):
        superword.train_on_counts(counts, SIZE)
    path.unlink()
    with pytest.raises(CountsError, match=r"bigrams-0-of-1\.parquet: missing"):
        superword.merge_counts([counts], counts.with_name("sums"))


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format":"superword counts","version":2}'])
def test_a_damaged_description_is_refused(corpus: Path, counts: Path, text: str) -> None:
    superword.count(corpus, counts)
    (counts / "pretokens-0-of-1.json").write_text(text)
    with pytest.raises(CountsError, match=r"pretokens-0-of-1\.json"):
        superword.train_on_counts(counts, SIZE)


def test_counts_of_another_pattern_are_refused(corpus: Path, counts: Path, tmp_path: Path) -> None:
    superword.count(corpus, counts, pattern="gpt2")
    with pytest.raises(CountsError, match="counted with pattern 'gpt2'"):
        superword.train_on_counts(counts, SIZE)
    with pytest.raises(CountsError, match="counted with pattern 'gpt2'"):
        superword.count(corpus, counts)
    superword.count(corpus, tmp_path / "others")
    with pytest.raises(CountsError, match="'gpt4o'"):
        superword.merge_counts([counts, tmp_path / "others"], tmp_path / "sums")


def test_counts_without_bigrams_train_no_supermerges(corpus: Path, counts: Path) -> None:
    superword.count(corpus, counts, supermerges=False)
    with pytest.raises(CountsError, match="without supermerges"):
        superword.train_on_counts(counts, SIZE)
    tok = superword.train_on_counts(counts, 260, supermerges=False)
    assert tok == superword.train(DOCUMENTS, 260, supermerges=False)


def test_other_documents_in_the_second_pass_are_refused(corpus: Path, counts: Path) -> None:
    count_all(corpus, counts, 2)
    with pytest.raises(CountsError, match="not counted yet"):
        superword.train_on_counts(counts, SIZE)
    write(corpus / "1.jsonl", "to bee")
    superword.count(corpus, counts, shard=(0, 2), cut=counts / "cut.json")
    with pytest.raises(CountsError, match=r"shard 1/2 has other documents .* 2 documents of 20"):
        superword.count(corpus, counts, shard=(1, 2), cut=counts / "cut.json")
    # Counted in a separate folder, it is noticed at the latest in training.
    for file in list(counts.glob("pretokens-*")):
        file.rename(counts.with_name("kept-" + file.name))
    superword.count(corpus, counts, shard=(1, 2), cut=counts / "cut.json")
    for file in counts.parent.glob("kept-*"):
        file.rename(counts / file.name.removeprefix("kept-"))
    with pytest.raises(CountsError, match="other documents than the pretokens"):
        superword.train_on_counts(counts, SIZE)


def test_other_files_in_the_same_folder_are_refused(corpus: Path, counts: Path) -> None:
    superword.count(corpus, counts)
    write(corpus / "4.jsonl", "and more")
    with pytest.raises(CountsError, match="counted from other files"):
        superword.count(corpus, counts)


def test_fragments_of_another_cut_are_counted_again(corpus: Path, counts: Path) -> None:
    assert trained_in_stages(corpus, counts, 1).vocab_size == SIZE
    with pytest.raises(CountsError, match="made with another cut"):
        superword.train_on_counts(counts, 262)
    tok = superword.train_on_counts(counts, 262, corpus=corpus)
    assert tok == superword.train(DOCUMENTS, 262)


def test_more_shards_than_files_are_refused(corpus: Path, counts: Path) -> None:
    with pytest.raises(
        CountsError, match="5 shards need at least as many files, and the corpus has 4"
    ):
        superword.count(corpus, counts, shard=(0, 5))
    with pytest.raises(ValueError, match="not 4/4"):
        superword.count(corpus, counts, shard=(4, 4))
    with pytest.raises(CountsError, match="only files"):
        superword.count(DOCUMENTS, counts, shard=(0, 2))


def test_sums_are_those_of_the_whole(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More files than are summed at once, in batches of a few keys.
    monkeypatch.setattr(key_counts, "MAX_OPEN_FILES", 2)
    monkeypatch.setattr(key_counts, "BATCH_KEYS", 3)
    superword.count(corpus, tmp_path / "whole")
    parts = []
    for number in range(len(DOCUMENTS)):
        parts.append(tmp_path / f"part{number}")
        superword.count(corpus / f"{number}.jsonl", parts[-1])
    [summed] = superword.merge_counts(parts, tmp_path / "sums")
    assert (summed.documents, summed.keys) == (4, 7)
    for kind in ("pretokens", "bigrams"):
        file = f"{kind}-0-of-1.parquet"
        assert rows(tmp_path / "sums" / file) == rows(tmp_path / "whole" / file)
    # The parts have the same cut, so their fragments are summed too.
    with pytest.raises(CountsError, match="not counted yet"):
        superword.train_on_counts(tmp_path / "sums", SIZE)
    for number, part in enumerate(parts):
        cut = tmp_path / "sums/cut.json"
        superword.count(corpus / f"{number}.jsonl", part, cut=cut)
    superword.merge_counts(parts, tmp_path / "sums")
    tok = superword.train_on_counts(tmp_path / "sums", SIZE)
    assert tok == superword.train(DOCUMENTS, SIZE)


def test_a_folder_is_not_summed_into_itself(corpus: Path, counts: Path) -> None:
    superword.count(corpus, counts)
    with pytest.raises(CountsError, match="is a folder that is read"):
        superword.merge_counts([counts], counts)
    with pytest.raises(CountsError, match="no counts of pretokens"):
        superword.merge_counts([counts, corpus], counts.with_name("sums"))


def test_a_rare_fragment_matters_since_its_pairs_add_up(tmp_path: Path) -> None:
    """Each of the four fragments occurs once, and their common part four times."""
    documents = [f"{name} to be {name} {name}" for name in ("ann", "bob", "cat", "dan")]
    whole = superword.train_on_counts(tmp_path / "all", 275, corpus=documents, min_count=1)
    assert whole == superword.train(documents, 275, min_count=1)
    assert b" to be" in [rule.token for rule in whole.rules if rule.kind == "supermerge"]
    thresholds: dict[str, Any] = {"min_count": 1, "min_fragment_count": 2}
    with pytest.warns(UserWarning, match="pairs for"):
        less = superword.train_on_counts(tmp_path / "less", 275, corpus=documents, **thresholds)
    assert b" to be" not in [rule.token for rule in less.rules if rule.kind == "supermerge"]


def test_thresholds_leave_out_rare_keys_and_are_recorded(corpus: Path, counts: Path) -> None:
    superword.count(corpus, counts, supermerges=False)
    options: dict[str, Any] = {"supermerges": False, "deletion": None, "min_pretoken_count": 3}
    tok = superword.train_on_counts(counts, 259, **options)
    # Only " be", four times, and "to", three times, are left.
    pairs = [(rule.left, rule.right, rule.count) for rule in tok.rules]
    assert pairs == [(b" ", b"b", 4), (b" b", b"e", 4), (b"t", b"o", 3)]
    assert tok.training == (4, 44, 15, 2, 3, None)
    assert superword.Tokenizer._from_json(tok._model.to_json()).training == tok.training
    assert b"min_" not in tok._model.to_json().replace(b'"min_count"', b"").replace(
        b'"min_pretoken_count":3', b""
    )


def test_thresholds_of_one_leave_nothing_out(corpus: Path, counts: Path) -> None:
    options: dict[str, Any] = {"min_pretoken_count": 1, "min_fragment_count": 1}
    tok = superword.train_on_counts(counts, SIZE, corpus=corpus, **options)
    assert tok == superword.train(DOCUMENTS, SIZE)
    with pytest.raises(ValueError, match="min_fragment_count must be at least 1"):
        superword.train_on_counts(counts, SIZE, min_fragment_count=0)
