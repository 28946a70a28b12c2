"""`extend` by merges, superwords or both: what is kept, the map of ids, and what changes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import ExportError, Tokenizer, map_ids, measure_changes
from superword.interop.comparing import compare_export
from superword.tokenizer.inspection import fact_table, inspect

KINDS = ["merges", "superwords", "both"]
ENGLISH = list(superword.sample())[:4]
GREEK = ["ὁ βίος βραχύς, ἡ δὲ τέχνη μακρή, ὁ δὲ καιρὸς ὀξύς", "ὁ βίος μακρός"] * 3


MIXED = [*ENGLISH, *GREEK]


def bpe(**how: Any) -> Tokenizer:
    settings = {"supermerges": False, "deletion": None, "special_tokens": ["<|end|>"]} | how
    return superword.train(ENGLISH, 420, **settings)


def imported(tmp_path: Path) -> Tokenizer:
    superword.export(bpe(pattern="gpt2"), tmp_path / "tokenizer.json", "tokenizer.json")
    return superword.open_base(tmp_path / "tokenizer.json")


BASES: dict[str, Callable[[Path], Tokenizer]] = {
    "BPE": lambda _: bpe(),
    "PickyBPE": lambda _: bpe(deletion="bytes", tau=0.5),
    "BoundlessBPE": lambda _: bpe(supermerges=True, deletion="pair", tau=0.6, pattern="boundless"),
    "extended": lambda _: superword.extend(bpe(), ENGLISH, 30),
    "imported": imported,
    "regex": lambda _: bpe(pattern=r"\p{N}(?then) ?\p{L}+|\s+(?!\S)|\s"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("base", BASES)
def test_every_kind_of_model_grows(base: str, kind: Any, tmp_path: Path) -> None:
    old = BASES[base](tmp_path)
    new = superword.extend(old, MIXED, 25, kind=kind)
    assert new.vocab_size == old.vocab_size + 25
    assert new._model.vocabulary()[: old.vocab_size] == old._model.vocabulary()
    assert new.special_tokens == old.special_tokens
    kinds = {rule.kind for rule in new.rules[len(old.rules) :]}
    assert kinds <= {"merges": {"merge"}, "superwords": {"supermerge"}}.get(
        kind, {"merge", "supermerge"}
    )
    assert superword.extend(old, MIXED, 25, kind=kind, threads=3) == new
    new.save(tmp_path / "model.json")
    assert superword.load(tmp_path / "model.json") == new
    for text in [*GREEK, *ENGLISH]:
        ids = new.encode_ordinary(text)
        assert new.decode(ids) == text
        # The base ids that spell the new ones are those that the base gives, unless a new rule
        # spells an old token.
        added = dict(map_ids(old, new)["added"])
        if len(added) == len(new.rules) - len(old.rules):
            assert [part for id in ids for part in added.get(id, [id])] == old.encode_ordinary(text)


OWN_LIMITS: list[dict[str, Any]] = [{"max_words": 2}, {"max_token_bytes": 4}, {"forbid": "e|ς$"}]


@pytest.mark.parametrize("limits", OWN_LIMITS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("base", BASES)
def test_new_rules_keep_limits_of_their_own(
    base: str, kind: Any, limits: dict[str, Any], tmp_path: Path
) -> None:
    old = BASES[base](tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pairs may run out.
        free, new = (superword.extend(old, MIXED, 40, kind=kind, **how) for how in ({}, limits))
    assert list(new.rules[: len(old.rules)]) == list(old.rules)
    words: dict[bytes, int] = {}
    for rule in new.rules:
        if rule.kind == "supermerge":
            joined = sum(words.get(token, 1) for token in (rule.left, rule.right or b""))
            words[rule.token] = max(joined, words.get(rule.token, 1))
    added = [rule.token for rule in new.rules[len(old.rules) :]]
    assert max((words.get(token, 1) for token in added), default=1) <= limits.get("max_words", 99)
    assert max(map(len, added), default=0) <= limits.get("max_token_bytes", 99)
    forbidden = re.compile(limits.get("forbid", "(?!)"))
    assert not any(forbidden.search(token.decode(errors="replace")) for token in added)
    if "max_words" not in limits:
        assert list(new.rules) != list(free.rules)
    assert {name: getattr(new.parameters, name) for name in limits} == limits
    facts = {str(name): fact for name, fact in fact_table(inspect(new)).rows}
    assert [f"{name} {limit}" for name, limit in limits.items()] == [facts["limits"]]
    new.save(tmp_path / "limited.json")
    assert superword.load(tmp_path / "limited.json") == new


@pytest.mark.parametrize("base", BASES)
def test_a_cap_counts_the_superwords_of_the_base(base: str, tmp_path: Path) -> None:
    old = BASES[base](tmp_path)
    before = sum(map(old.is_superword, dict(old._model.vocabulary())))
    for cap in (before, before + 3, (before + 3.5) / (old.vocab_size + 300)):
        new = superword.extend(old, ENGLISH, 300, kind="both", max_superwords=cap)
        count = sum(map(new.is_superword, dict(new._model.vocabulary())))
        assert count == new.parameters.max_superwords == before + 3 * (cap != before)
        assert new.vocab_size == old.vocab_size + 300
    # The cap is saved as a number, so that a smaller extension is a part of a larger one.
    smaller = superword.extend(old, ENGLISH, 250, kind="both", max_superwords=before + 3)
    assert list(smaller.rules) == list(new.rules[: len(smaller.rules)])
    if before:
        with pytest.raises(ValueError, match=f"the base has {before} superwords already; raise"):
            superword.extend(old, ENGLISH, 300, kind="both", max_superwords=before - 1)


@pytest.mark.parametrize("kind", ["merges", "superwords"])
def test_a_cap_is_refused_where_it_limits_nothing(kind: Any) -> None:
    with pytest.raises(ValueError, match='max_superwords needs kind "both"'):
        superword.extend(bpe(), MIXED, 25, kind=kind, max_superwords=5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_words": 0}, "max_words must be at least 1, not 0"),
        ({"max_token_bytes": 2.5}, "max_token_bytes must be an integer"),
        ({"forbid": "(a"}, "cannot read the regex"),
        ({"kind": "both", "max_superwords": 1.5}, "max_superwords must be an integer from 0"),
    ],
)
def test_limits_that_make_no_sense_are_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        superword.extend(bpe(), MIXED, 25, **given)


def test_a_corpus_that_runs_out_of_allowed_pairs_says_so() -> None:
    with pytest.warns(UserWarning, match="lower min_count, or lift "):
        superword.extend(bpe(), GREEK, 500, kind="merges", max_token_bytes=2)


def test_the_map_names_all_ids() -> None:
    old = bpe()
    new = superword.extend(old, GREEK, 25, kind="both")
    found = map_ids(old, new)
    assert found["removed"] == []
    assert found["kept"] == [(id, id) for id in range(421)]
    assert [id for id, _ in found["added"]] == list(range(421, 446))
    for id, spelled in found["added"]:
        assert b"".join(map(old.token_bytes, spelled)) == new.token_bytes(id)
        assert len(spelled) > 1
    with pytest.raises(ValueError, match="does not extend the base"):
        map_ids(new, old)


@pytest.mark.parametrize("kind", KINDS)
def test_what_changes_is_measured(kind: Any) -> None:
    old = bpe()
    new = superword.extend(old, MIXED, 25, kind=kind)
    changes = measure_changes(old, new, [*ENGLISH, "", *GREEK])
    assert changes.documents == len(ENGLISH) + 1 + len(GREEK)
    texts = [*ENGLISH, *GREEK]
    assert changes.bytes == sum(len(text.encode()) for text in texts)
    assert changes.tokens == sum(len(new.encode_ordinary(text)) for text in texts)
    assert changes.base_tokens == sum(len(old.encode_ordinary(text)) for text in texts)
    added = {id for id, _ in map_ids(old, new)["added"]}
    made = [id for text in texts for id in new.encode_ordinary(text) if id in added]
    assert changes.changed_bytes >= sum(len(new.token_bytes(id)) for id in made) > 0
    assert 0 < changes.changed_share < 1
    assert measure_changes(old, old, ENGLISH).changed_bytes == 0


@pytest.mark.parametrize("format", ["tokenizer.json", "tiktoken"])
@pytest.mark.parametrize("pattern", ["gpt2", "gpt4o", "cl100k_base", r" ?\w+|\s"])
def test_bpe_that_grew_by_merges_is_exported_exactly(
    pattern: str, format: Any, tmp_path: Path
) -> None:
    old = bpe(pattern=pattern)
    new = superword.extend(old, GREEK, 25, kind="merges")
    path = tmp_path / "a.tiktoken"
    assert superword.export(new, path, format)
    assert compare_export(new, path, format, [*GREEK, *ENGLISH]).differing_documents == 0
    assert superword.open_base(path).fingerprint == new.fingerprint
    with pytest.raises(ExportError, match="is a supermerge"):
        superword.export(superword.extend(old, ENGLISH, 25), path, format)


def test_unknown_kinds_and_long_pretokens_are_refused() -> None:
    with pytest.raises(ValueError, match="kind must be 'merges', 'superwords' or 'both'"):
        superword.extend(bpe(), GREEK, 1, kind="words")  # type: ignore[arg-type]
    two_stages = bpe(transition=300)
    for kind in KINDS:
        with pytest.raises(ValueError, match="SuperBPE"):
            superword.extend(two_stages, GREEK, 1, kind=kind)  # type: ignore[arg-type]
