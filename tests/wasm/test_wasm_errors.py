"""Bad files, texts and settings are sentences, and leave superword.wasm usable."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from wasm_engine import WasmEngine

import superword
from superword import Tokenizer

pytest_plugins = ["wasm_engine"]

FILES = {
    b"": "the file is empty",
    b"{": "neither a superword model, a tokenizer.json nor a tiktoken file",
    b"{}": "neither a superword model nor a tokenizer.json",
    b"\xff\xfe": "neither a superword model, a tokenizer.json nor a tiktoken file",
    b"hello": "neither a superword model, a tokenizer.json nor a tiktoken file",
    b"[" * 100_000: "neither a superword model, a tokenizer.json nor a tiktoken file",
    b'{"model":' * 100_000: "neither a superword model",
    b'{"format":"superword"}': "format version missing",
    b"IHRoZQ== 1\nxx": "line 2: not a token in base 64 and its rank",
    b"IHRoZQ== 1\n": "the byte 0x00 has no token",
    b"word v1\n\xff": "line",
}
SETTINGS: list[tuple[dict[str, object], str]] = [
    ({}, "missing field `vocab_size`"),
    ({"vocab_size": 10}, "vocab_size is 10; it must be at least 256"),
    ({"vocab_size": -1}, "settings of training are wrong"),
    ({"vocab_size": 300, "tau": 0}, "tau is 0; it must be above 0"),
    ({"vocab_size": 300, "min_count": 0}, "min_count is 0"),
    ({"vocab_size": 300, "deletion": "half"}, "unknown variant `half`"),
    ({"vocab_size": 300, "colour": 1}, "unknown field `colour`"),
    ({"vocab_size": 300, "pattern": "("}, "cannot read the regex at position 1"),
    ({"vocab_size": 300, "forbid": "["}, "cannot read the regex"),
    ({"vocab_size": 300, "max_superwords": 1.5}, "max_superwords is 1.5"),
    ({"vocab_size": 300, "transition": 290}, "a second stage needs plain BPE"),
    ({"vocab_size": 300, "second_pattern": "gpt2"}, "second_pattern needs transition"),
    ({"vocab_size": 300, "special_tokens": [""]}, "special token"),
]


@pytest.mark.parametrize("content", FILES)
def test_bad_files(content: bytes, engine: WasmEngine) -> None:
    with pytest.raises(ValueError, match=r"^bad\.json: .*" + FILES[content][:30].split("(")[0]):
        engine.load(content, "bad.json")


@pytest.mark.parametrize(("config", "sentence"), SETTINGS)
def test_bad_settings(config: dict[str, object], sentence: str, engine: WasmEngine) -> None:
    with pytest.raises(ValueError) as raised:
        engine.train(["to be or not to be"], config)
    assert sentence in str(raised.value)


def test_no_text_to_train_on(engine: WasmEngine) -> None:
    with pytest.raises(ValueError, match="there is no text to train on"):
        engine.train(["", ""], {"vocab_size": 300})
    assert "pairs for only" in engine.train(["to be"], {"vocab_size": 300})["warnings"][0]


def test_unknown_handles_ids_and_bytes(engine: WasmEngine, tok: Tokenizer) -> None:
    with pytest.raises(ValueError, match="no model has the handle 9999"):
        engine.encode(9999, "a")
    handle = engine.load(tok._model.to_json())["handle"]
    with pytest.raises(ValueError, match="no token has the id 99999, found at index 1"):
        engine.decode(handle, [0, 99_999])
    with pytest.raises(ValueError, match="no token has the id 4294967295"):
        engine.call("describe_token", handle, -1)
    with pytest.raises(ValueError, match="the text is not UTF-8 at byte 1"):
        engine.call("encode_text", handle, inputs=(b"a\xff",))
    engine.call("free_model", handle)
    with pytest.raises(ValueError, match="no model has the handle"):
        engine.encode(handle, "a")


def test_training_can_be_stopped(engine: WasmEngine) -> None:
    seen: list[tuple[int, float, float]] = []
    documents = list(superword.sample())

    def report(stage: int, done: float, total: float) -> bool:
        seen.append((stage, done, total))
        return False

    engine.report = report
    engine.train(documents, {"vocab_size": 500})
    stages = [stage for stage, _, _ in seen]
    assert stages == sorted(stages) and {0, 1} <= {*stages}
    assert all(0 <= done <= total for _, done, total in seen)
    engine.report = lambda stage, done, total: True
    with pytest.raises(ValueError, match="interrupted"):
        engine.train(documents, {"vocab_size": 500})
    engine.report = lambda stage, done, total: False


def test_damaged_models_never_end_the_engine(
    engine: WasmEngine, train_kind: Callable[[str], Tokenizer], tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    superword.export(train_kind("BPE"), path, "tokenizer.json")
    draw = random.Random(4)
    for content in [train_kind("BoundlessBPE")._model.to_json(), path.read_bytes()]:
        for _ in range(40):
            damaged = bytearray(content)
            at = draw.randrange(len(damaged))
            match draw.randrange(3):
                case 0:
                    damaged[at] = draw.randrange(256)
                case 1:
                    del damaged[at : at + draw.randrange(1, 2000)]
                case _:
                    damaged[at:at] = damaged[at // 2 : at // 2 + draw.randrange(1, 50)]
            try:
                handle = engine.load(bytes(damaged), "damaged.json")["handle"]
            except ValueError as error:
                assert str(error).startswith("damaged.json: ")
                continue
            engine.encode(handle, "to be or not to be")
            json.loads(engine.call("inspect_model", handle, 3, 8192)[0])
            engine.call("free_model", handle)


def test_a_long_chain_of_merges_is_derived_without_recursion(engine: WasmEngine) -> None:
    tok = superword.train(["a" * 2**15], 271, pattern="(?s).+", min_count=1)
    rules = list(tok.rules)
    assert len(rules[-1].token) >= 2**14
    handle = engine.load(tok._model.to_json())["handle"]
    derived, spelled = engine.call("derive_token", handle, tok.token_id(rules[-1].token))
    assert len(json.loads(derived)) == 2 * len(spelled) - 1


def test_an_input_that_is_too_large_for_the_memory_gets_no_buffer(engine: WasmEngine) -> None:
    assert engine.run("reserve_input", 0, -1) == 0
    assert engine.run("reserve_input", 9, 1) == 0
    assert engine.run("reserve_input", 0, 1) != 0
