"""Names of tokenizers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import superword
from superword.evaluation import name_apart, open_tokenizer

PARTS = st.sampled_from(["a", "b", "tokenizer", "model"])
PATHS = st.builds(
    lambda folders, stem, suffix: "/".join([*folders, stem + suffix]),
    st.lists(PARTS, max_size=3),
    PARTS,
    st.sampled_from([".json", ".tiktoken"]),
)


@given(st.lists(PATHS, min_size=1, max_size=6))
def test_names_are_always_told_apart(paths: list[str]) -> None:
    names = name_apart(paths)
    assert len(names) == len(paths) == len(set(names))


def test_names_show_as_few_folders_as_possible() -> None:
    assert name_apart(["a/tokenizer.json", "b/tokenizer.json"]) == ["a", "b"]
    assert name_apart(["x/a/tokenizer.json", "y/a/tokenizer.json"]) == ["x/a", "y/a"]
    assert name_apart(["x/bpe.json", "x/bpe.tiktoken"]) == ["bpe.json", "bpe.tiktoken"]


def test_a_link_is_named_by_its_own_folder(tmp_path: Path) -> None:
    """As in the cache of Hugging Face, where a `tokenizer.json` links to a file of a hash."""
    (tmp_path / "blobs").mkdir()
    (tmp_path / "llama").mkdir()
    superword.train(["to be", "to be"], 257).save(tmp_path / "blobs" / "1f2e")
    (tmp_path / "llama" / "model.json").symlink_to(tmp_path / "blobs" / "1f2e")
    assert open_tokenizer(tmp_path / "llama" / "model.json").name == "llama"


def test_two_chosen_names_must_differ() -> None:
    with pytest.raises(ValueError, match="two tokenizers are named x"):
        name_apart(["a.json", "b.json"], ["x", "x"])
