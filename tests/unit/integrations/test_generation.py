"""Generating from held-back bytes with models of transformers; the weights are random."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: models cannot be run")

from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM  # noqa: E402

import superword  # noqa: E402
from superword import Prompt  # noqa: E402
from superword.integrations.held_back_logits import list_text_tokens  # noqa: E402
from superword.transformers import (  # noqa: E402
    HeldBackLogitsProcessor,
    SuperwordTokenizer,
    find_covers,
)

SPECIAL = ["<|bos|>", "<|end|>"]
TEXTS = ["It was the end of the", "of", "He said that it was", "naïve caf", "<|bos|>"]


@pytest.fixture(scope="module")
def tokenizer() -> SuperwordTokenizer:
    tok = superword.train(list(superword.sample())[::4], 900, special_tokens=SPECIAL)
    named = {"bos_token": "<|bos|>", "eos_token": "<|end|>", "pad_token": "<|end|>"}
    return SuperwordTokenizer(tok, special_tokens_pattern="bos", padding_side="left", **named)


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(7)
    # More rows than the tokenizer has ids, as of a padded embedding.
    sizes: dict[str, Any] = {"vocab_size": 960, "bos_token_id": 900, "eos_token_id": 901}
    if request.param == "gpt2":
        config = GPT2Config(
            n_embd=32, n_layer=2, n_head=2, n_positions=256, initializer_range=0.5, **sizes
        )
        return GPT2LMHeadModel(config).eval()
    config = LlamaConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        initializer_range=0.5,
        **sizes,
    )
    return LlamaForCausalLM(config).eval()


def prepare(tokenizer: SuperwordTokenizer, texts: list[str]) -> tuple[Any, list[Prompt]]:
    prompts = [tokenizer.encode_prompt(text) for text in texts]
    return tokenizer.pad({"input_ids": [p.ids for p in prompts]}, return_tensors="pt"), prompts


@pytest.mark.parametrize(
    "options",
    [
        {"do_sample": False},
        {"do_sample": True, "num_return_sequences": 4, "top_k": 0},
        {"do_sample": True, "temperature": 0.5, "top_p": 0.9, "num_return_sequences": 2},
        {"num_beams": 4, "do_sample": False, "num_return_sequences": 3},
        {"num_beams": 3, "do_sample": True},
    ],
    ids=["greedy", "sampling", "top-p", "beams", "beam sampling"],
)
def test_every_row_begins_with_its_held_back_bytes(
    tokenizer: SuperwordTokenizer, model: Any, options: dict[str, Any]
) -> None:
    torch.manual_seed(1)
    batch, prompts = prepare(tokenizer, TEXTS)
    held_back = [prompt.held_back for prompt in prompts]
    assert len({len(prompt.ids) for prompt in prompts}) > 1
    width = batch["input_ids"].shape[1]
    processor = HeldBackLogitsProcessor(tokenizer, held_back, width)
    for _ in range(2):  # A processor has no state: it can be used again.
        rows = model.generate(
            **batch, logits_processor=[processor], max_new_tokens=40, pad_token_id=901, **options
        )
        each = options.get("num_return_sequences", 1)
        assert len(rows) == each * len(TEXTS)
        tokens = dict(list_text_tokens(tokenizer))
        for index, row in enumerate(rows[:, width:].tolist()):
            written = b"".join(tokens.get(id, b"\0") for id in row)
            assert written.startswith(held_back[index // each])
    # Without the processor, random models write something else.
    plain = model.generate(**batch, max_new_tokens=40, pad_token_id=901, **options)
    others = [b"".join(tokens.get(id, b"\0") for id in row) for row in plain[:, width:].tolist()]
    assert not all(text.startswith(held_back[index // each]) for index, text in enumerate(others))


def test_rows_are_left_alone_once_the_bytes_are_written(tokenizer: SuperwordTokenizer) -> None:
    processor = HeldBackLogitsProcessor(tokenizer, [b" of the", b""], 1)
    (of_the,) = tokenizer.core.encode(" of the")
    scores = torch.randn(2, 960)
    done = processor(torch.tensor([[900, of_the], [900, 901]]), scores)
    assert torch.equal(done, scores)
    first = processor(torch.tensor([[900], [900]]), scores)
    assert torch.equal(first[1], scores[1])
    assert torch.isinf(first[0, 900:]).all()  # Special tokens, and ids without a token.
    assert first[0, of_the] == scores[0, of_the]
    with pytest.raises(ValueError, match="the model has 600 logits, and the largest id of the"):
        processor(torch.tensor([[900], [900]]), scores[:, :600])


def next_chances(model: Any, ids: list[int]) -> Any:
    with torch.no_grad():
        return torch.softmax(model(torch.tensor([ids])).logits[0, -1].double(), -1)


def test_covers_of_a_model_have_its_probabilities(
    tokenizer: SuperwordTokenizer, model: Any
) -> None:
    prompt = Prompt(tokenizer.encode("It was the end"), b" of")
    covers = find_covers(model, tokenizer, prompt, max_error=0, batch_size=3)
    tokens = dict(list_text_tokens(tokenizer))
    ranked = covers.rank(10**6)
    assert sum(exp(cover.log_probability) for cover in ranked) == pytest.approx(1)
    for cover in [*ranked[:20], *ranked[-20:]]:
        written = [tokens[id] for id in cover.ids]
        assert b"".join(written).startswith(b" of")
        assert len(b"".join(written[:-1])) < 3
        chance = 1.0
        for at, id in enumerate(cover.ids):
            chance *= float(next_chances(model, prompt.ids + cover.ids[:at])[id])
        joint = exp(cover.log_probability + covers.log_probability)
        assert joint == pytest.approx(chance, rel=1e-3)
    total = sum(
        float(chance)
        for id, chance in enumerate(next_chances(model, prompt.ids))
        if tokens.get(id, b"").startswith(b" of")
    )
    one = sum(exp(c.log_probability) for c in ranked if len(c.ids) == 1)
    assert one * exp(covers.log_probability) == pytest.approx(total, rel=1e-3)


def test_a_model_without_a_cache_gives_the_same(tokenizer: SuperwordTokenizer, model: Any) -> None:
    class WithoutCache:
        device = model.device

        def __call__(self, input_ids: Any, **options: Any) -> Any:
            output = model(input_ids)
            output.past_key_values = None
            return output

    prompt = Prompt(tokenizer.encode("It was the end"), b" of")
    first = find_covers(model, tokenizer, prompt, max_error=0).rank(50)
    second = find_covers(WithoutCache(), tokenizer, prompt, max_error=0).rank(50)
    np.testing.assert_allclose(
        [cover.log_probability for cover in first],
        [cover.log_probability for cover in second],
        atol=1e-3,
    )


def test_a_prompt_without_ids_needs_something_to_start_from(
    tokenizer: SuperwordTokenizer, model: Any
) -> None:
    with pytest.raises(ValueError, match="the prompt has no ids for the model to start from"):
        find_covers(model, tokenizer, Prompt([], b"of"))


def test_stop_strings_inside_a_superword_end_the_text(tokenizer: SuperwordTokenizer) -> None:
    """Transformers finds a stop string that a token runs past; the text is trimmed after it."""
    from transformers import StopStringCriteria

    (of_the,) = tokenizer.core.encode(" of the")
    for stop in ("of", " of", "f t", "the", "f"):
        criteria = StopStringCriteria(tokenizer, [stop])
        assert criteria(torch.tensor([[97, of_the]]), None).all(), stop
    assert not StopStringCriteria(tokenizer, ["off"])(torch.tensor([[97, of_the]]), None).any()
