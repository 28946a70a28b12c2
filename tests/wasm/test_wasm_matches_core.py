"""superword.wasm gives the answers of the native core, for every kind of model and pattern.

If one of these fails after a change of the core, the file is out of date: run `make wasm`.
"""

from __future__ import annotations

import array
import base64
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wasm_engine import WasmEngine

import superword
from superword import ModelFormatError, Tokenizer, TrainingConfig
from superword.interop import open_base
from superword.interop.tricky_texts import WRITTEN
from superword.patterns import (
    PATTERN_NAMES,
    SECOND_PATTERN,
    find_pattern_name,
    pretokenize,
    resolve_pattern,
)
from superword.tokenizer.inspection import inspect
from superword.vocabularies import VOCABULARIES

pytest_plugins = ["wasm_engine"]
pytestmark = pytest.mark.filterwarnings("ignore:the corpus has pairs")

KINDS = ["BPE", "PickyBPE", "BoundlessBPE", "SuperBPE"]
KINDS += ["extended", "imported", "looked-up", "pruned"]
# How a model of these kinds was trained.
METHODS = {"extended": "BPE", "looked-up": "BPE", "imported": "BPE", "pruned": "BoundlessBPE"}
REGEX = r"\p{L}+(?:'\p{L}+)?|\p{N}{1,2}|(?<=\d)\.(?=\d)|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
PATTERNS = [*PATTERN_NAMES, SECOND_PATTERN, REGEX, r"\p{N}(?then)" + REGEX]
MIXED = (
    "It isn't the XMLHttpRequest of 1234567 users; naïve café… 東京 語 คำไทย हिन्दी Ελλάδα "
    "Привет мир! \U0001f600\U0001f468\u200d\U0001f469 \u00a0\u3000\t\r\n\n  end of the text, "
)
PLAIN: dict[str, Any] = {"supermerges": False, "deletion": None}
DIFFERENT = {
    "BPE": PLAIN,
    "PickyBPE": {"supermerges": False, "tau": 0.7},
    "BoundlessBPE": {"tau": 0.7, "max_superwords": None},
    "by pair": {"tau": 0.6, "deletion": "pair", "max_superwords": 100, "min_count": 3},
    "SuperBPE": {**PLAIN, "transition": 400},
    "limited": {"max_words": 3, "max_token_bytes": 12, "forbid": "of", "max_superwords": 0.1},
    "by script": {"pattern": "gpt4o-scripts", "max_superwords": None},
}


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Return short texts, tricky ones, and a long one that fills many groups of pretokens."""
    sample = list(superword.sample())
    mixed = "".join(MIXED[at:] + sample[at] for at in range(0, min(len(MIXED), len(sample)), 3))
    return ["", "a", " ", MIXED, *WRITTEN, mixed, *sample[1:40:9]]


@pytest.fixture(scope="module")
def open_kind(
    engine: WasmEngine, train_kind: Callable[[str], Tokenizer]
) -> Callable[[str], tuple[Tokenizer, dict[str, Any]]]:
    """Return a function that opens a model of a kind natively and in the engine."""
    opened: dict[str, tuple[Tokenizer, dict[str, Any]]] = {}

    def open_both(kind: str) -> tuple[Tokenizer, dict[str, Any]]:
        if kind not in opened:
            tok = train_kind(kind)
            opened[kind] = tok, engine.load(tok._model.to_json(), "model.json")
        return opened[kind]

    return open_both


@pytest.mark.parametrize("kind", KINDS)
def test_ids_pretokens_and_bytes(
    kind: str, engine: WasmEngine, open_kind: Callable[..., Any], texts: list[str]
) -> None:
    tok, summary = open_kind(kind)
    handle = summary["handle"]
    for text in texts:
        ids, ends = engine.encode(handle, text)
        expected, offsets = tok.encode_with_offsets(text)
        assert ids == expected, text
        assert ends == [end for _, end in offsets.bytes], text
        assert engine.decode(handle, ids) == text.encode()
        (pretokens,) = engine.encode(handle, text, "split_text")
        assert pretokens == find_ends(pretokenize(text, tok.parameters.pattern)), text


def find_ends(pieces: list[str]) -> list[int]:
    """Return the end of each piece in bytes."""
    ends = [0]
    for piece in pieces:
        ends.append(ends[-1] + len(piece.encode()))
    return ends[1:]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern(pattern: str, engine: WasmEngine, texts: list[str]) -> None:
    documents = [MIXED, *list(superword.sample())[:20]]
    tok = superword.train(documents, 500, pattern=pattern)
    handle = engine.load(tok._model.to_json())["handle"]
    for text in texts:
        assert engine.encode(handle, text)[0] == tok.encode(text), text
    engine.call("free_model", handle)


@pytest.mark.parametrize("kind", KINDS)
def test_stable_ids(
    kind: str, engine: WasmEngine, open_kind: Callable[..., Any], texts: list[str]
) -> None:
    tok, summary = open_kind(kind)
    for text in [MIXED[:end] for end in range(0, len(MIXED), 7)] + texts[-3:]:
        ids, ends, (stable_count,) = engine.encode(summary["handle"], text, "encode_open_text")
        stream = tok.encode_stream()
        stable = stream.feed(text)
        assert (ids[:stable_count], ids[stable_count:]) == (stable, stream.peek()), text
        held_back = len(text.encode()) - (ends[stable_count - 1] if stable_count else 0)
        assert held_back == len(stream.held_back)


@pytest.mark.parametrize("kind", KINDS)
def test_steps(kind: str, engine: WasmEngine, open_kind: Callable[..., Any]) -> None:
    tok, summary = open_kind(kind)
    text = MIXED + "The King of the land, said she, of course."
    steps = tok.explain(text)
    rules, kinds = engine.call("replay_text", summary["handle"], inputs=(text.encode(),))
    names = ["merge", "supermerge", "delete", "removed"]
    assert list(array.array("i", rules)) == [s.rule.index if s.rule else -1 for s in steps[1:]]
    assert [names[k] for k in kinds] == [s.rule.kind if s.rule else "removed" for s in steps[1:]]
    order = [*range(len(steps)), *range(len(steps) - 1, 0, -3), len(steps) // 2]
    for at in order:
        ends, units, changed = engine.call("show_step", summary["handle"], at)
        tokens = [token for unit in steps[at].units for token in unit]
        where = [(u, t) for u, unit in enumerate(steps[at].units) for t in range(len(unit))]
        assert list(array.array("I", ends)) == find_byte_ends(tokens)
        assert list(array.array("I", units)) == find_byte_ends(map(b"".join, steps[at].units))
        assert [pair for pair, flag in zip(where, changed, strict=True) if flag] == sorted(
            steps[at].changes
        )
    with pytest.raises(ValueError, match=f"there is no step {len(steps)}"):
        engine.call("show_step", summary["handle"], len(steps))
    with pytest.raises(ValueError, match="the text has 4097 bytes"):
        engine.encode(summary["handle"], "a" * 4097, "replay_text")


def find_byte_ends(pieces: Any) -> list[int]:
    """Return the end of each piece."""
    ends = [0]
    for piece in pieces:
        ends.append(ends[-1] + len(piece))
    return ends[1:]


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_and_derivations(
    kind: str, engine: WasmEngine, open_kind: Callable[..., Any]
) -> None:
    tok, summary = open_kind(kind)
    first: dict[bytes, superword.Rule] = {}
    for rule in tok.rules:
        if rule.kind != "delete":
            first.setdefault(rule.token, rule)
    for id, token in [*tok._model.vocabulary()[::7], *tok._model.vocabulary()[-200:]]:
        described, spelled = engine.call("describe_token", summary["handle"], id)
        found = json.loads(described)
        rule = first.get(token) if len(token) > 1 else None
        assert spelled == token
        assert found["is_superword"] == tok.is_superword(id)
        assert found["rule"] == (rule and rule.index)
        assert found["count"] == ((rule and rule.count) or None)
        made = "superword" if tok.is_superword(id) else "merge"
        unmade = "looked-up" if token in tok._model.lookup_tokens else "byte"
        assert found["kind"] == (made if rule else unmade)
        assert found["words"] == 1 or tok.is_superword(id) or kind == "SuperBPE"
        assert (found["words"] > 1) >= tok.is_superword(id)
        derived, spelled = engine.call("derive_token", summary["handle"], id)
        nodes = json.loads(derived)
        for node in nodes:
            part = spelled[node["start"] : node["end"]]
            rule = first.get(part) if len(part) > 1 else None
            assert node["rule"] == (rule and rule.index)
            assert node["id"] == tok._model.token_id(part)
            if rule:
                sides = [nodes[at] for at in node["parts"]]
                assert [spelled[s["start"] : s["end"]] for s in sides] == [rule.left, rule.right]
    for text, id in tok.special_tokens.items():
        described, spelled = engine.call("describe_token", summary["handle"], id)
        assert (json.loads(described)["kind"], spelled) == ("special", text.encode())


@pytest.mark.parametrize("stages", [{}, {"transition": 270, **PLAIN}])
def test_words_of_scripts_without_spaces_are_one_word(
    stages: dict[str, Any], engine: WasmEngine
) -> None:
    documents = [
        "東京に行く人",
        "東京 of the day",
        "に行く of the",
        "of the man",
        "人 and of the day",
    ]
    tok = superword.train(
        documents * 5, 400, pattern="gpt4o-scripts", max_superwords=None, **stages
    )
    handle = engine.load(tok._model.to_json())["handle"]
    words = {
        token.decode("utf-8", "replace"): json.loads(described)["words"]
        for id, token in tok._model.vocabulary()
        for described in [engine.call("describe_token", handle, id)[0]]
    }
    assert words["東京"] == words["に行く"] == words[" the"] == 1
    assert (words[" of the"], words[" of the day"]) == (2, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_inspections_and_summaries(
    kind: str, engine: WasmEngine, open_kind: Callable[..., Any]
) -> None:
    tok, summary = open_kind(kind)
    native = inspect(tok, 12)
    (result,) = engine.call("inspect_model", summary["handle"], 12, 8192)
    found = json.loads(result)
    expected = native.as_json()
    for name in ("top_superwords", "longest_superwords"):
        listed = [s | {"token": s["token"].encode("latin-1")} for s in found.pop(name)]
        assert listed == [dataclasses.asdict(s) for s in getattr(native, name)]
        del expected[name]
    assert [token.encode("latin-1") for token in found.pop("deleted")] == native.deleted
    del expected["deleted"]
    assert found == expected
    stretches = json.loads(engine.call("inspect_model", summary["handle"], 0, 100)[0])["stretches"]
    assert [s["first"] for s in stretches] == list(range(0, len(tok.rules), 100))
    assert sum(s["supermerges"] for s in stretches) == native.rules["supermerge"]
    method = METHODS.get(kind, kind)
    if method == "BPE" and tok.parameters.supermerges:
        method = "BoundlessBPE"
    assert (summary["kind"], summary["vocab_size"]) == (method, tok.vocab_size)
    assert summary["fingerprint"] == tok.fingerprint
    assert summary["superword_count"] == native.vocabulary["superwords"]
    assert summary["special_tokens"] == tok.special_tokens
    assert (summary["pattern"], summary["pattern_name"]) == (
        tok.pattern,
        find_pattern_name(tok.pattern),
    )
    assert summary["parameters"] == dataclasses.asdict(tok.parameters)
    assert summary["rule_count"] == len(tok.rules)
    assert engine.call("save_model", summary["handle"]) == [tok._model.to_json()]


@pytest.mark.parametrize("kind", DIFFERENT)
def test_training_gives_the_same_file(kind: str, engine: WasmEngine) -> None:
    documents = [MIXED, "", *list(superword.sample())[::3]]
    config = TrainingConfig(vocab_size=900, **DIFFERENT[kind])
    tok = superword.train(documents, config=config, special_tokens=["<|end|>"])
    settings = dataclasses.asdict(config) | {"special_tokens": ["<|end|>"]}
    summary = engine.train(documents, settings)
    assert engine.call("save_model", summary["handle"]) == [tok._model.to_json()]
    engine.call("free_model", summary["handle"])


@pytest.mark.parametrize("given", [{}, {"supermerges": False}, {"pattern": "cl100k_base"}])
def test_absent_settings_have_the_defaults_of_python(
    given: dict[str, Any], engine: WasmEngine
) -> None:
    documents = list(superword.sample())[::6]
    summary = engine.train(documents, {"vocab_size": 700, **given})
    tok = superword.train(documents, 700, **given)
    assert engine.call("save_model", summary["handle"]) == [tok._model.to_json()]


def test_a_tokenizer_json(
    engine: WasmEngine, train_kind: Callable[[str], Tokenizer], tmp_path: Path
) -> None:
    for kind, pattern in [("BPE", None), ("SuperBPE", None), ("BPE", REGEX)]:
        tok = train_kind(kind)
        if pattern is not None:
            tok = superword.train(
                list(superword.sample())[:9], 400, pattern=pattern, supermerges=False, deletion=None
            )
        superword.export(tok, tmp_path / "tokenizer.json", "tokenizer.json")
        check_import(engine, tmp_path / "tokenizer.json")


def check_import(engine: WasmEngine, path: Path) -> dict[str, Any]:
    """Check that a file is the same model natively and in the engine."""
    summary: dict[str, Any] = engine.load(path.read_bytes(), path.name)
    saved = engine.call("save_model", summary["handle"])
    engine.call("free_model", summary["handle"])
    assert saved == [open_base(path)._model.to_json()]
    return summary


def change_tokenizer_json(path: Path, change: Callable[[Any], object]) -> bytes:
    described = json.loads(path.read_text())
    change(described)
    path.write_text(json.dumps(described))
    return path.read_bytes()


ADDED = {"id": 5000, "content": "xx", "special": False, "normalized": False}
SPLIT = {"type": "Split", "pattern": {"Regex": REGEX}, "behavior": "Isolated", "invert": False}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
CHANGES: dict[str, Callable[[Any], object]] = {
    "as it is": lambda d: d,
    "merges as strings": lambda d: d["model"].update(
        merges=[m if isinstance(m, str) else " ".join(m) for m in d["model"]["merges"]]
    ),
    "added token": lambda d: d["added_tokens"].append(ADDED),
    "overlapping added tokens": lambda d: d["added_tokens"].extend(
        [ADDED, ADDED | {"id": 5001, "content": "xxx", "normalized": True}]
    ),
    "lstrip": lambda d: d["added_tokens"].append(ADDED | {"lstrip": True}),
    "WordPiece": lambda d: d["model"].update(type="WordPiece"),
    "Unigram": lambda d: d["model"].update(type="Unigram", vocab=[["a", -1.0]]),
    "byte_fallback": lambda d: d["model"].update(byte_fallback=True),
    "dropout": lambda d: d["model"].update(dropout=0.1),
    "normalizer": lambda d: d.update(normalizer={"type": "NFC"}),
    "no normalizers": lambda d: d.update(normalizer={"type": "Sequence", "normalizers": []}),
    "no pre-tokenizer": lambda d: d.update(pre_tokenizer=None),
    "a metaspace": lambda d: d.update(pre_tokenizer={"type": "Metaspace"}),
    "prefix space": lambda d: d.update(pre_tokenizer={"type": "ByteLevel"}),
    "two splits": lambda d: d.update(
        pre_tokenizer={
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, SPLIT, BYTE_LEVEL],
        }
    ),
    "removed": lambda d: d.update(
        pre_tokenizer={
            "type": "Sequence",
            "pretokenizers": [SPLIT | {"behavior": "Removed"}, BYTE_LEVEL],
        }
    ),
    "no split": lambda d: d.update(pre_tokenizer=BYTE_LEVEL),
    "no merges": lambda d: d["model"].update(merges=[]),
    "ignored merges": lambda d: d["model"].update(
        merges=d["model"]["merges"][:-1], ignore_merges=True
    ),
    "a bad spelling": lambda d: d["model"]["vocab"].update({"a b": 7000}),
    "a missing byte": lambda d: d["model"]["vocab"].pop("a"),
    "a bad merge": lambda d: d["model"]["merges"].append("a b c"),
    "no model": lambda d: d.pop("model"),
    "no vocabulary": lambda d: d["model"].pop("vocab"),
    "a number": lambda d: d.update(model=3),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_tokenizer_json_is_the_same_model_or_rejected(
    change: str, engine: WasmEngine, train_kind: Callable[[str], Tokenizer], tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    superword.export(train_kind("BPE"), path, "tokenizer.json")
    content = change_tokenizer_json(path, CHANGES[change])
    try:
        open_base(path)
    except (ModelFormatError, ValueError):
        with pytest.raises(ValueError, match=r"^tokenizer\.json: \S+"):
            engine.load(content, path.name)
    else:
        check_import(engine, path)


@pytest.mark.parametrize("name", [*VOCABULARIES, "unknown"])
def test_a_tiktoken_file_has_the_pattern_of_its_name(
    name: str, engine: WasmEngine, train_kind: Callable[[str], Tokenizer], tmp_path: Path
) -> None:
    tok = train_kind("BPE")
    lines = (base64.b64encode(token) + b" %d\r\n" % id for id, token in tok._model.vocabulary())
    path = tmp_path / f"{name}.tiktoken"
    path.write_bytes(b"".join(lines))
    known = VOCABULARIES.get(name)
    if known is not None and known.special_tokens is not None:
        assert check_import(engine, path)["warnings"] == []
        return
    summary = engine.load(path.read_bytes(), path.name)
    assert "does not hold its pattern" in summary["warnings"][0]
    assert summary["fingerprint"] == open_base(path, pattern="gpt4o").fingerprint


def test_names_of_patterns_are_those_of_python(engine: WasmEngine) -> None:
    for name in PATTERN_NAMES:
        summary = engine.train(["a b"], {"vocab_size": 256, "pattern": name})
        assert summary["pattern"] == resolve_pattern(name)
        assert summary["pattern_name"] == find_pattern_name(resolve_pattern(name))
        engine.call("free_model", summary["handle"])
    with pytest.raises(ValueError, match="there is no pattern named 'gpt5'"):
        engine.train(["a b"], {"vocab_size": 256, "pattern": "gpt5"})


def test_a_tekken_json(engine: WasmEngine, tmp_path: Path) -> None:
    tokens = [*(bytes([byte]) for byte in range(256)), b"th", b"the", b"unused"]
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode()}
        for rank, token in enumerate(tokens)
    ]
    config = {"pattern": REGEX, "default_vocab_size": 278, "default_num_special_tokens": 20}
    specials = [None, [{"rank": 0, "token_str": "<s>"}, {"rank": 1, "token_str": "</s>"}]]
    for special_tokens in specials:
        described = {"config": config, "vocab": vocab}
        if special_tokens is not None:
            described["special_tokens"] = special_tokens
        path = tmp_path / "tekken.json"
        path.write_text(json.dumps(described))
        check_import(engine, path)
