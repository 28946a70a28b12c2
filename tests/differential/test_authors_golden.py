"""The authors' models and the output of their code: the same tokens and ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import zstandard

import superword
from superword import Rule, Tokenizer
from superword.reference import Unit, apply_rule, initial_units

MODELS = {
    "0.9_1000_gpt4o_1_40960": None,
    "0.9_1000_ultimate2_0_40960": "pair",
    "0.9_1000_ultimate2_1_8192": "bytes",
    "v2_micro_delete_gpt4o_0.7_blow1": None,
    "v2_micro_delete_gpt4o_1.1": None,
    "v2_scripts_gpt4o_0.9_blow1": None,
}


@pytest.fixture(params=MODELS, scope="module")
def name(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="module")
def tok(name: str, sampled_golden: Path, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    path = tmp_path_factory.mktemp("models") / name
    with (sampled_golden / f"models/{name}.model.zst").open("rb") as packed:
        path.write_bytes(zstandard.ZstdDecompressor().stream_reader(packed).read())
    return superword.load(path, deletion=MODELS[name])  # type: ignore[arg-type]


def test_replaying_the_rules_gives_their_tokens_and_ids(
    name: str, tok: Tokenizer, sampled_golden: Path, read_jsonl: Callable[[Path], Iterator[Any]]
) -> None:
    rules = list(tok.rules)
    indexes = defaultdict(list)
    for rule in rules:
        indexes[rule.kind, rule.left, rule.right].append(rule.index)
    rows = list(read_jsonl(sampled_golden / f"inference/{name}.jsonl.zst"))
    assert len(rows) >= 158
    for row in rows[::8]:  # Applying rules one by one is slow.
        units = initial_units(row["text"], tok.pattern, tok.parameters.eligible)
        tokens = replay(units, rules, indexes)
        assert [token.hex() for token in tokens] == row["tokens"], row["text"]
        assert [tok.token_id(token) for token in tokens] == row["ids"]
    assert [tok.encode(row["text"]) for row in rows] == [row["ids"] for row in rows]


def replay(units: list[Unit], rules: Sequence[Rule], indexes: dict[Any, list[int]]) -> list[bytes]:
    """Apply the rule with the smallest index above the last, as long as some rule applies."""
    last = -1
    while True:
        found = [index for key in applicable(units) for index in indexes.get(key, ())]
        last = min((index for index in found if index > last), default=-1)
        if last < 0:
            return [token for unit in units for token in unit.tokens]
        units = apply_rule(rules[last], units)  # type: ignore[arg-type]


def applicable(units: list[Unit]) -> Iterator[tuple[str, bytes, bytes | None]]:
    """Return the pairs and tokens that rules may join or split in the units."""
    for unit in units:
        if not unit.is_superword:
            yield from (("merge", *pair) for pair in pairwise(unit.tokens))
            yield from (("delete", token, None) for token in unit.tokens)
    yield from (("supermerge", *pair) for pair in pairwise(unit.open_token for unit in units))


def test_they_are_the_same_models_when_saved_as_ours(tok: Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "model.json")
    again = superword.load(tmp_path / "model.json")
    assert again == tok
    assert again.fingerprint == tok.fingerprint
    assert again._model.vocabulary() == tok._model.vocabulary()


def test_every_id_decodes_even_if_the_token_was_deleted(name: str, tok: Tokenizer) -> None:
    ids = [id for id, _ in tok._model.vocabulary()]
    assert len(ids) == tok.vocab_size
    assert all(tok.token_id(tok.token_bytes(id)) == id for id in ids)
    deleted = {rule.left for rule in tok.rules if rule.kind == "delete"}
    listed = {token for token in deleted if tok._model.token_id(token) is not None}
    made_last = {rule.token: rule.kind for rule in tok.rules}
    gone = {token for token in deleted if made_last[token] == "delete"}
    assert listed == (deleted - gone if name.startswith("v2") else deleted)
    missing = [byte for byte in range(256) if tok._model.token_id(bytes([byte])) is None]
    never_in_utf8 = [0xC0, 0xC1, *range(0xF5, 0x100)]
    assert missing == (never_in_utf8 if name.startswith("v2") else [])
