"""`extend` by merges, superwords or both: what is kept, the map of ids, and what changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import ExportError, Tokenizer, map_ids, measure_changes
from superword.interop.comparing import compare_export

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
