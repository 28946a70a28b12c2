"""`superword.vllm` has what vLLM asks for, and streams text exactly."""

from __future__ import annotations

import importlib
import inspect
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pytest

from superword import Tokenizer
from superword.transformers import SuperwordTokenizer
from superword.vllm import VllmTokenizer, register

TEXT = "at the end of the day<|end|> of the naïve café 猫<tool>\n\n  1234 isn't 🐈‍⬛"
# The members of vllm.tokenizers.protocol.TokenizerLike in vLLM 0.32.0.
TOKENIZER_LIKE = [
    *["from_pretrained", "num_special_tokens_to_add", "all_special_tokens", "all_special_ids"],
    *["bos_token_id", "eos_token_id", "pad_token_id", "is_fast", "vocab_size", "max_token_id"],
    *["max_chars_per_token", "truncation_side", "__hash__", "__len__", "__call__", "get_vocab"],
    *["get_added_vocab", "encode", "apply_chat_template", "convert_tokens_to_ids"],
    *["convert_tokens_to_string", "decode", "convert_ids_to_tokens"],
]


@pytest.fixture
def tokenizer(core_of_kind: Tokenizer, tmp_path: Path) -> VllmTokenizer:
    """A tokenizer as vLLM loads it, with an added token that is not special."""
    saved = SuperwordTokenizer(core_of_kind, bos_token="<|bos|>", eos_token="<|end|>")
    saved.add_tokens(["<tool>"])
    saved.chat_template = "{% for m in messages %}<|bos|>{{ m.content }}<|end|>{% endfor %}"
    saved.save_pretrained(tmp_path)
    return VllmTokenizer.from_pretrained(
        tmp_path, trust_remote_code=False, revision=None, download_dir=None, truncation_side="left"
    )


class Registry:
    """Stands in for both registries of vLLM."""

    def __init__(self) -> None:
        self.registered: dict[str, tuple[str, str]] = {}
        self.tokenizers = self.renderers = self.registered

    def register(self, mode: str, module: str, class_name: str) -> None:
        assert mode not in self.registered, "vLLM would warn"
        self.registered[mode] = (module, class_name)


def test_the_entry_point_registers_the_tokenizer_and_its_renderer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    (entry,) = project["project"]["entry-points"]["vllm.general_plugins"].values()
    module, _, name = entry.partition(":")
    assert getattr(importlib.import_module(module), name) is register
    registries: dict[str, Registry] = {}
    for path, attribute in [
        ("vllm.tokenizers.registry", "TokenizerRegistry"),
        ("vllm.renderers.registry", "RENDERER_REGISTRY"),
    ]:
        registries[attribute] = Registry()
        stand_in = ModuleType(path)
        stand_in.__dict__[attribute] = registries[attribute]
        for parent in ("vllm", path.rpartition(".")[0]):
            monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
        monkeypatch.setitem(sys.modules, path, stand_in)
    register()
    register()
    module, name = registries["TokenizerRegistry"].registered["superword"]
    assert getattr(importlib.import_module(module), name) is VllmTokenizer
    assert registries["RENDERER_REGISTRY"].registered == {
        "superword": ("vllm.renderers.hf", "HfRenderer")
    }


def test_the_real_registries_know_the_mode() -> None:
    registry = pytest.importorskip("vllm.tokenizers.registry", reason="needs vllm")
    renderers = pytest.importorskip("vllm.renderers.registry", reason="needs vllm")
    register()
    assert registry.TokenizerRegistry.load_tokenizer_cls("superword") is VllmTokenizer
    assert renderers.RENDERER_REGISTRY.load_renderer_cls("superword").__name__ == "HfRenderer"


def test_without_vllm_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("vllm", "vllm.renderers.registry"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="pip install vllm"):
        register()


def test_the_tokenizer_has_the_members_of_the_protocol(tokenizer: VllmTokenizer) -> None:
    for name in TOKENIZER_LIKE:
        getattr(tokenizer, name)
    assert tokenizer.is_fast  # Otherwise vLLM puts spaces around added tokens.
    assert tokenizer.max_token_id == tokenizer.convert_tokens_to_ids("<tool>")
    assert len(tokenizer) == tokenizer.max_token_id + 1
    assert tokenizer.truncation_side == "left"
    assert tokenizer.num_special_tokens_to_add() == 0
    assert hash(tokenizer) == hash(tokenizer)
    assert tokenizer.encode(TEXT, truncation=True, max_length=4) == tokenizer.encode(TEXT)[-4:]
    parameters = inspect.signature(VllmTokenizer.from_pretrained).parameters
    assert {"trust_remote_code", "revision", "download_dir"} <= parameters.keys()


def test_no_token_has_more_characters_than_the_bound(tokenizer: VllmTokenizer) -> None:
    lengths = [len(tokenizer.decode([id])) for id in range(len(tokenizer))]
    assert max(lengths) <= tokenizer.max_chars_per_token
    tokenizer.add_tokens(["<" + "x" * 500 + ">"])
    assert tokenizer.max_chars_per_token == 502
    assert tokenizer.get_vocab() == SuperwordTokenizer.get_vocab(tokenizer)
    assert tokenizer.get_vocab()["<tool>"] == tokenizer.max_token_id - 1


def test_chat_templates_give_the_ids_of_their_text(tokenizer: VllmTokenizer) -> None:
    messages = [{"role": "user", "content": "at the end<tool>"}]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    assert text == "<|bos|>at the end<tool><|end|>"
    ids = tokenizer.apply_chat_template(messages, return_dict=False)
    assert ids == tokenizer.encode(text, add_special_tokens=False)


def stream(tokenizer: VllmTokenizer, prompt: list[int], ids: list[int], skip: bool) -> str:
    """Decode ids one by one, as vLLM 0.32.0 does for tokenizers of other libraries.

    A text that ends inside a character is held back.
    """
    tokens = [token or "" for token in tokenizer.convert_ids_to_tokens(prompt[-7:], skip)]
    start, end, text = max(len(tokens) - 5, 0), len(tokens), ""
    for id in ids:
        known = tokenizer.convert_ids_to_tokens([id], skip) if id < len(tokenizer) else [""]
        tokens += [token or "" for token in known]
        before = tokenizer.convert_tokens_to_string(tokens[start:end])
        after = tokenizer.convert_tokens_to_string(tokens[start:])
        if len(after) > len(before) and not after.endswith("\ufffd"):
            text += after[len(before) :]
            start, end = end, len(tokens)
    return text


def stream_by_vllm(tokenizer: VllmTokenizer, prompt: list[int], ids: list[int], skip: bool) -> str:
    """Decode ids one by one with vLLM."""
    from vllm import SamplingParams
    from vllm.v1.engine import EngineCoreRequest
    from vllm.v1.engine.detokenizer import IncrementalDetokenizer

    names = inspect.signature(EngineCoreRequest).parameters
    settings = dict.fromkeys(names, None) | {
        "request_id": "0",
        "prompt_token_ids": prompt,
        "sampling_params": SamplingParams(skip_special_tokens=skip),
    }
    detokenizer = IncrementalDetokenizer.from_new_request(tokenizer, EngineCoreRequest(**settings))
    for id in ids:
        detokenizer.update([id], False)
    return str(detokenizer.get_next_output_text(finished=True, delta=False))


def ids_to_stream(tokenizer: VllmTokenizer) -> Iterable[list[int]]:
    """Superwords, added tokens, single bytes of characters, and ids of a padded embedding."""
    ids = tokenizer.encode(TEXT + " at the end of the day")
    yield ids
    yield [tokenizer.core.token_id(bytes([byte])) or 0 for byte in (TEXT + ".").encode()]
    beyond = len(tokenizer)
    yield [beyond, *ids[:5], beyond + 7, *ids[5:], 2**31, ids[0]]


@pytest.mark.parametrize("streamed", [stream, stream_by_vllm])
def test_streamed_text_is_the_decoded_text(
    tokenizer: VllmTokenizer, streamed: Callable[..., str]
) -> None:
    if streamed is stream_by_vllm:
        pytest.importorskip("vllm", reason="needs vllm")
    prompts = [tokenizer.encode("<|bos|>at the end 猫"), tokenizer.encode("<tool><|bos|>"), []]
    for ids in ids_to_stream(tokenizer):
        for prompt in prompts:
            for skip in (False, True):
                expected = tokenizer.decode(ids, skip_special_tokens=skip)
                assert streamed(tokenizer, prompt, ids, skip) == expected
    assert "猫<tool>\n" in stream(tokenizer, [], tokenizer.encode(TEXT), False)
