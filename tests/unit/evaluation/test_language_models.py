"""Bits per byte of small random models of transformers, against plain sums."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: models cannot be run")

import transformers  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

import superword  # noqa: E402
from superword import Tokenizer  # noqa: E402
from superword.cli import app  # noqa: E402
from superword.errors import ModelFormatError  # noqa: E402
from superword.evaluation import (  # noqa: E402
    Window,
    bits_per_byte,
    load_bits_per_byte,
    open_language_model,
)
from superword.transformers import SuperwordTokenizer  # noqa: E402

# The libraries warn about themselves.
pytestmark = pytest.mark.filterwarnings("ignore")

CONTEXT = 48
SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": CONTEXT,
    "initializer_range": 0.3,
}
MODELS: dict[str, Any] = {
    "gpt2": lambda size: transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=size,
            n_embd=32,
            n_layer=2,
            n_head=2,
            n_positions=CONTEXT,
            initializer_range=0.3,
            bos_token_id=None,
            eos_token_id=size - 1,
        )
    ),
    "llama": lambda size: transformers.LlamaForCausalLM(
        transformers.LlamaConfig(vocab_size=size, **SMALL)
    ),
}
TEXTS = [
    *(text[100 * at : 300 * at] for at, text in enumerate(list(superword.sample())[:5])),
    *("x", "naïve 日本語 🙂"),
]


def save(folder: Path, tok: Tokenizer, kind: str, **named: str) -> Any:
    """Save a random model and its tokenizer; return the model."""
    SuperwordTokenizer(tok, **{"eos_token": "<|end|>", **named}).save_pretrained(folder)
    torch.manual_seed(5)
    model = MODELS[kind](tok.n_vocab).eval()
    model.save_pretrained(folder)
    return model


def count_bits(model: Any, ids: list[int]) -> float:
    """Return the bits of all ids but the first, in one run."""
    with torch.no_grad():
        rows = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), -1)
    return -sum(float(rows[at, id]) for at, id in enumerate(ids[1:])) / float(np.log(2))


@pytest.mark.parametrize("kind", MODELS)
def test_short_documents_have_the_bits_of_one_run(
    kind: str, core_of_kind: Tokenizer, tmp_path: Path
) -> None:
    model = save(tmp_path, core_of_kind, kind)
    end = core_of_kind.special_tokens["<|end|>"]
    texts = [core_of_kind.decode(core_of_kind.encode(text)[: CONTEXT // 2]) for text in TEXTS]
    texts = [text for text in texts if "\ufffd" not in text]
    found = bits_per_byte(tmp_path, texts, batch_size=3)
    for text, bits in zip(texts, found.document_bits, strict=True):
        ids = core_of_kind.encode_ordinary(text)
        assert len(ids) <= CONTEXT
        assert bits == pytest.approx(count_bits(model, [end, *ids]), rel=1e-5, abs=1e-5)
    assert (found.settings.context, found.settings.stride) == (CONTEXT, CONTEXT // 2)
    assert (found.settings.end_of_text, found.settings.dtype) == (end, "float32")
    assert found.name == tmp_path.name


@pytest.mark.parametrize("kind", MODELS)
def test_long_documents_are_scored_in_windows(kind: str, tok: Tokenizer, tmp_path: Path) -> None:
    tok = tok.with_special_tokens(["<|end|>"])
    model = save(tmp_path, tok, kind)
    context, stride = 20, 7
    found = bits_per_byte(tmp_path, TEXTS, context=context, stride=stride, batch_size=4)
    for text, bits in zip(TEXTS, found.document_bits, strict=True):
        ids = [tok.special_tokens["<|end|>"], *tok.encode_ordinary(text)]
        expected, scored = 0.0, 1
        for start in range(0, len(ids), stride):
            part = ids[start : start + context + 1]
            if start + len(part) > scored:
                before = ids[start:scored]
                expected += count_bits(model, part) - count_bits(model, before)
                scored = start + len(part)
        assert bits == pytest.approx(expected, rel=1e-4, abs=1e-3)


def test_a_model_in_memory_and_a_function_score_alike(tok: Tokenizer, tmp_path: Path) -> None:
    tok = tok.with_special_tokens(["<|end|>"])
    model = save(tmp_path, tok, "llama")

    def score(windows: list[Window]) -> list[Any]:
        rows = [model(torch.from_numpy(ids)[None, :-1]).logits[0].detach() for ids, _ in windows]
        probabilities = [torch.log_softmax(row, -1) for row in rows]
        return [
            row[torch.arange(first - 1, len(ids) - 1), torch.from_numpy(ids[first:])]
            for row, (ids, first) in zip(probabilities, windows, strict=True)
        ]

    expected = bits_per_byte(tmp_path, TEXTS, context=30)
    for form in (model, score):
        found = bits_per_byte(form, TEXTS, tokenizer=tok, context=30)
        assert found.document_bits == pytest.approx(expected.document_bits, rel=1e-5)
        assert found.settings.model is None


def test_documents_start_with_bos_if_there_is_one(tmp_path: Path, tok: Tokenizer) -> None:
    tok = tok.with_special_tokens(["<|bos|>", "<|end|>"])
    save(tmp_path, tok, "gpt2", bos_token="<|bos|>")
    found = bits_per_byte(tmp_path, TEXTS)
    assert found.settings.end_of_text == tok.special_tokens["<|bos|>"]
    other = bits_per_byte(tmp_path, TEXTS, end_of_text="<|end|>")
    assert other.settings.end_of_text == tok.special_tokens["<|end|>"]
    assert not np.array_equal(found.document_bits, other.document_bits)


def test_end_of_text_may_be_added_in_transformers(tmp_path: Path, tok: Tokenizer) -> None:
    SuperwordTokenizer(tok, eos_token="<|new|>").save_pretrained(tmp_path)
    MODELS["llama"](tok.n_vocab + 1).save_pretrained(tmp_path)
    assert bits_per_byte(tmp_path, TEXTS).settings.end_of_text == tok.n_vocab


def test_a_folder_of_another_tokenizer_is_scored(tmp_path: Path) -> None:
    plain: dict[str, Any] = {"supermerges": False, "deletion": None, "pattern": "gpt2"}
    tok = superword.train(superword.sample(), 400, special_tokens=["<|end|>"], **plain)
    superword.export(tok, tmp_path / "tokenizer.json", "tokenizer.json")
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(tmp_path / "tokenizer.json"), eos_token="<|end|>"
    )
    (tmp_path / "hf").mkdir()
    fast.save_pretrained(tmp_path / "hf")
    save(tmp_path / "ours", tok, "gpt2")
    MODELS["gpt2"](401)
    torch.manual_seed(5)
    MODELS["gpt2"](401).save_pretrained(tmp_path / "hf")
    theirs, ours = (bits_per_byte(tmp_path / name, TEXTS) for name in ("hf", "ours"))
    assert theirs.document_bits == pytest.approx(ours.document_bits, rel=1e-6)


def test_the_type_to_compute_in_is_chosen(tmp_path: Path, tok: Tokenizer) -> None:
    save(tmp_path, tok.with_special_tokens(["<|end|>"]), "llama")
    half = bits_per_byte(open_language_model(tmp_path, dtype="bfloat16"), TEXTS)
    full = bits_per_byte(tmp_path, TEXTS)
    assert half.settings.dtype == "bfloat16"
    assert half.bits_per_byte == pytest.approx(full.bits_per_byte, rel=0.02)
    assert half.bits_per_byte != full.bits_per_byte


def test_models_that_see_the_future_are_refused(tmp_path: Path, tok: Tokenizer) -> None:
    tok = tok.with_special_tokens(["<|end|>"])
    SuperwordTokenizer(tok, eos_token="<|end|>").save_pretrained(tmp_path)
    config = transformers.BertConfig(vocab_size=tok.n_vocab, **SMALL)
    transformers.BertLMHeadModel(config).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="not a causal language model: what it says of a token"):
        bits_per_byte(tmp_path, TEXTS)
    config.is_decoder = True
    transformers.BertLMHeadModel(config).save_pretrained(tmp_path)
    assert bits_per_byte(tmp_path, TEXTS).bits_per_byte > 0


def test_models_that_are_not_whole_are_refused(tmp_path: Path, tok: Tokenizer) -> None:
    SuperwordTokenizer(tok, eos_token="<|end|>").save_pretrained(tmp_path)
    config = transformers.LlamaConfig(vocab_size=tok.n_vocab + 1, **SMALL)
    transformers.LlamaModel(config).save_pretrained(tmp_path)
    with pytest.raises(ModelFormatError, match="not a whole causal .* it has no lm_head.weight"):
        bits_per_byte(tmp_path, TEXTS)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ModelFormatError, match="cannot be loaded as a language model"):
        bits_per_byte(tmp_path, TEXTS)


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path, tok: Tokenizer) -> None:
    SuperwordTokenizer(tok, eos_token="<|end|>").save_pretrained(tmp_path)
    MODELS["llama"](300).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="the model has 300 ids, and .* gives the id 1500"):
        bits_per_byte(tmp_path, TEXTS)
    with pytest.raises(ValueError, match=f"context must be from 1 to {CONTEXT}, which the model"):
        bits_per_byte(tmp_path, TEXTS, context=CONTEXT + 1)


def test_the_command_scores_and_compares_folders(tmp_path: Path, tok: Tokenizer) -> None:
    tok = tok.with_special_tokens(["<|end|>"])
    for kind in MODELS:
        save(tmp_path / kind, tok, kind)
    corpus = tmp_path / "corpus.jsonl"
    rows = [{"text": text, "source": "ab"[at % 2]} for at, text in enumerate(TEXTS)]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["bpb", str(tmp_path / "gpt2"), str(tmp_path / "llama"), "--corpus", str(corpus)]
    options = ["--context", "40", "--stride", "10", "--progress", "none"]
    output = tmp_path / "bits.json"
    done = CliRunner().invoke(app, [*arguments, *options, "--json", "-o", str(output)])
    assert (done.exit_code, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    saved = load_bits_per_byte(output)
    for each, kind, model in zip(saved, MODELS, found["models"], strict=True):
        expected = bits_per_byte(tmp_path / kind, rows, context=40, stride=10)
        assert np.array_equal(each.document_bits, expected.document_bits)
        assert model == each.as_json() == expected.as_json()
    (difference,) = found["differences"]
    rates = [model["bits_per_byte"] for model in found["models"]]
    assert difference["difference"] == pytest.approx(rates[1] - rates[0])
    done = CliRunner().invoke(app, [*arguments[:2], "--corpus", "-", "--progress", "none"], "to be")
    assert "gpt2: 1 document, 5 bytes; context 48 tokens, stride 24" in done.stdout
    done = CliRunner().invoke(app, [*arguments[:3], "--corpus", "-"])
    assert "each model reads the corpus, and standard input only once" in done.stderr
    done = CliRunner().invoke(app, arguments[:2])
    assert "nothing to score; pass --corpus" in done.stderr
