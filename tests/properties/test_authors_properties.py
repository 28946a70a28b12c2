"""Models of every kind, written in the authors' formats and read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from superword import ModelFormatError, PatternError, Tokenizer, _core, reference
from superword.reference import ELIGIBLE, Rule

# Few letters and low thresholds: tokens are deleted often, and their parts too.
texts = st.lists(
    st.sampled_from(["a", "b", " ", "ab", "aab", "abb", "abab", " ab", "bab", "baab", "é"]),
    min_size=1,
    max_size=10,
).map("".join)
corpora = st.lists(texts, min_size=2, max_size=8)
taus = st.sampled_from([0.2, 0.4, 0.5, 0.9])
PATTERN = " ?[ab]+|."


def trained(documents: list[str], tau: float) -> list[Rule]:
    """Return rules, some of which do not apply if deletes split differently."""
    options = {"pattern": PATTERN, "tau": tau, "min_count": 1}
    return reference.train(documents, 330, deletion="bytes", **options)[0]  # type: ignore[arg-type]


AS_THEY_ARE = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
OTHERS = [byte for byte in range(256) if byte not in AS_THEY_ARE]
CHARACTER = {byte: chr(byte) for byte in AS_THEY_ARE} | {
    byte: chr(256 + number) for number, byte in enumerate(OTHERS)
}


def written(token: bytes) -> str:
    return "".join(CHARACTER[byte] for byte in token)


def rows(lines: Iterable[str]) -> str:
    lines = list(lines)
    return "".join(f"{line}\n" for line in [str(len(lines)), *lines])


def pairs(rules: Iterable[Rule], kind: str) -> list[tuple[int, str]]:
    joined = (rule for rule in rules if rule.kind == kind)
    return [(r.index, f"{written(r.left)} {written(r.right or b'')}") for r in joined]


def word_v1(rules: Sequence[Rule], vocabulary: Sequence[bytes]) -> str:
    """Deleted tokens keep their ids."""
    merges, supermerges = [
        rows(f"{index} {pair}" for index, pair in pairs(rules, kind))
        for kind in ("merge", "supermerge")
    ]
    listed = rows(f"{id} {written(token)}" for id, token in enumerate(vocabulary))
    deletes = rows(f"{r.index} {written(r.left)}" for r in rules if r.kind == "delete")
    return f"word v1\n{json.dumps(PATTERN)}\n{listed}0\n{merges}{deletes}{supermerges}0\n"


def boundless_v2(rules: Sequence[Rule], vocabulary: Sequence[bytes]) -> str:
    """All merges and deletes come before all supermerges."""
    words = [rule for rule in rules if rule.kind != "supermerge"]
    index = {rule.index: at for at, rule in enumerate(words)}
    config = json.dumps(
        {"tau": 0.5, "blowup": False, "main_regex": PATTERN, "merge_pattern": ELIGIBLE}
    )
    listed = rows(f"{id} {written(token)} 0 0" for id, token in enumerate(vocabulary))
    merges = rows(f"{index[at]} {pair} 1 0" for at, pair in pairs(words, "merge"))
    deletes = rows(f"{index[r.index]} {written(r.left)}" for r in words if r.kind == "delete")
    supermerges = enumerate(pair for _, pair in pairs(rules, "supermerge"))
    supermerge_rows = rows(f"{at} {pair} 1 0" for at, pair in supermerges)
    return (
        f"BoundlessBPE v2 boundless\nvocabulary\n{listed}special_tokens\n0\n"
        f"words\n{config}\nmerges\n{merges}deletions\n{deletes}"
        f"superwords\n{config}\nmerges\n{supermerge_rows}deletions\n0\n"
    )


def every_token(rules: Iterable[Rule]) -> list[bytes]:
    return list(dict.fromkeys([*single_bytes(), *(rule.token for rule in rules)]))


def single_bytes() -> list[bytes]:
    return [bytes([byte]) for byte in range(256)]


def kept_tokens(rules: Iterable[Rule]) -> list[bytes]:
    """Return the vocabulary after training: deleted tokens stay only as superwords."""
    kept = dict.fromkeys(single_bytes())
    superwords = {rule.token for rule in rules if rule.kind == "supermerge"}
    for rule in rules:
        if rule.kind != "delete":
            kept[rule.token] = None
        elif rule.token not in superwords:
            kept.pop(rule.token, None)
    return list(kept)


def first_pair(rules: Iterable[Rule], token: bytes) -> tuple[bytes, ...]:
    rule = next(rule for rule in rules if rule.kind == "merge" and rule.token == token)
    return rule.left, rule.right or b""


def split_on(rules: Sequence[Rule], token: bytes, vocabulary: set[bytes]) -> tuple[bytes, ...]:
    """Return the first pair of a token; parts without ids are split again."""
    result: tuple[bytes, ...] = ()
    for part in first_pair(rules, token):
        result += (part,) if part in vocabulary else split_on(rules, part, vocabulary)
    return result


def check(text: str, parts: dict[bytes, tuple[bytes, ...]], documents: list[str]) -> None:
    tok = Tokenizer._of(_core.Model.from_authors(text.encode(), "pair"))
    assert {r.left: r.parts for r in tok.rules if r.kind == "delete"} == parts
    again = Tokenizer._from_json(tok._model.to_json())
    assert again == tok
    for document in documents:
        tokens = reference.encode(document, tok.rules, pattern=PATTERN)  # type: ignore[arg-type]
        assert tok.encode(document) == [tok.token_id(token) for token in tokens]


@settings(max_examples=75)
@given(corpora, taus, st.lists(texts, max_size=3))
def test_word_v1_splits_into_the_first_pair_as_it_stands(
    documents: list[str], tau: float, others: list[str]
) -> None:
    rules = trained(documents, tau)
    deleted = {rule.left for rule in rules if rule.kind == "delete"}
    parts = {token: first_pair(rules, token) for token in deleted}
    check(word_v1(rules, every_token(rules)), parts, documents + others)


@settings(max_examples=75)
@given(corpora, taus, st.lists(texts, max_size=3))
def test_boundless_v2_splits_until_all_parts_have_ids(
    documents: list[str], tau: float, others: list[str]
) -> None:
    rules = trained(documents, tau)
    vocabulary = kept_tokens(rules)
    deleted = {rule.left for rule in rules if rule.kind == "delete"}
    parts = {token: split_on(rules, token, set(vocabulary)) for token in deleted}
    check(boundless_v2(rules, vocabulary), parts, documents + others)


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_file_is_refused_or_is_a_model(data: st.DataObject) -> None:
    rules = trained(["ab abab", "ab ab 'ab", "abé"], 0.5)
    text = data.draw(
        st.sampled_from(
            [word_v1(rules, every_token(rules)), boundless_v2(rules, kept_tokens(rules))]
        )
    )
    file = bytearray(text.encode())
    # Most of a file is its 256 bytes; damage in the rest is more interesting.
    positions = st.integers(0, 60) | st.integers(len(file) - 900, len(file))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(positions)
        end = start + data.draw(st.integers(0, 30))
        new = data.draw(
            st.binary(max_size=3)
            | st.sampled_from([b"", b"\n", b" ", b"ab", b"9", b"null", b"1\n", b"-1", b"1e99"])
            | st.just(bytes(file[end : end + 20]))
        )
        file[start:end] = new
    try:
        model = Tokenizer._of(_core.Model.from_authors(bytes(file), "pair"))
    except (ModelFormatError, PatternError) as refused:
        assert 0 < len(str(refused)) < 1000
    else:
        assert Tokenizer._from_json(model._model.to_json()) == model
        model.encode("ab abab")
