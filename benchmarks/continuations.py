"""Measure how far the mask for held-back bytes is from the exact way, with a small language model.

    python benchmarks/continuations.py

It needs torch and transformers. A small GPT-2 is trained on the training corpus. For prompts of the
evaluation corpus that hold bytes back, the distribution over covers that the mask gives is compared
with that of `find_covers`: docs/transformers.md.
"""

from __future__ import annotations

import argparse
import random
from itertools import islice
from typing import Any

import numpy as np
import torch
from transformers import GPT2Config, GPT2LMHeadModel

import results
import superword
from benchmark_text import parse_options, read_documents
from harness import prepare_corpus, read_evaluation_texts
from superword.integrations.covers import search_covers
from superword.integrations.held_back_logits import list_text_tokens
from superword.integrations.model_covers import PromptContinuation
from superword.integrations.token_prefixes import TokenPrefixes
from superword.transformers import SuperwordTokenizer

Figures = dict[str, Any]

VOCAB_SIZE = 4096
END = "<|end|>"
BATCH, LENGTH = 16, 128
MAX_ERROR = 0.001
MAX_RUNS = 2000


def train_model(tok: superword.Tokenizer, steps: int) -> tuple[GPT2LMHeadModel, float]:
    """Train a GPT-2 of about a million parameters; return it and its last loss."""
    torch.manual_seed(0)
    texts = list(islice(read_documents("corpus"), 4000))
    encoded = tok.encode_ordinary_batch(texts)
    end = tok.special_tokens[END]
    ids = torch.tensor([id for document in encoded for id in [*document, end]])
    config = GPT2Config(
        vocab_size=tok.n_vocab,
        n_embd=128,
        n_layer=2,
        n_head=4,
        n_positions=512,
        bos_token_id=end,
        eos_token_id=end,
        resid_pdrop=0,
        embd_pdrop=0,
        attn_pdrop=0,
    )
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3, betas=(0.9, 0.95), weight_decay=0.1)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * min(1, (step + 1) / 50) * max(0.05, 1 - step / steps)
        starts = torch.randint(0, len(ids) - LENGTH, (BATCH,))
        rows = ids[starts[:, None] + torch.arange(LENGTH)]
        loss = model(input_ids=rows, labels=rows).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model.eval(), loss.item()


def draw_prompts(
    tokenizer: SuperwordTokenizer, texts: list[str], count: int, after_words: bool
) -> list[superword.Prompt]:
    """Cut texts at random, or after words, until so many prompts hold bytes back."""
    generator = random.Random(5)
    prompts: list[superword.Prompt] = []
    while len(prompts) < count:
        text = generator.choice(texts)
        end = generator.randrange(100, 1200)
        if after_words:
            end = text.find(" ", end)
            if end < 0 or not text[end - 1].isalpha():
                continue
        prompt = tokenizer.encode_prompt(text[:end])
        if prompt.ids and prompt.held_back and len(prompt.ids) <= 400:
            prompts.append(prompt)
    return prompts


def measure_mask(
    model: GPT2LMHeadModel, tokens: TokenPrefixes, prompt: superword.Prompt
) -> tuple[float, int] | None:
    """Return the total variation distance of the mask, and the runs of the exact way.

    Return None if the exact way needs too many runs.
    """
    continuation = PromptContinuation(model, prompt.ids, tokens)
    rows: dict[tuple[int, ...], Any] = {}

    def run(batch: list[list[int]]) -> Any:
        found = continuation(batch)
        rows.update(zip(map(tuple, batch), found, strict=True))
        return found

    try:
        covers = search_covers(
            run, tokens, prompt.held_back, max_error=MAX_ERROR, max_evaluations=MAX_RUNS
        )
    except ValueError:
        return None
    distance = seen = 0.0
    for group in covers._groups:
        # What the mask gives the beginning, and then each last token.
        path = list(group.first_ids)
        rest, mask = prompt.held_back, 0.0
        for at, id in enumerate(path):
            row = rows[tuple(path[:at])]
            mask += row[id] - np.logaddexp.reduce(row[tokens.find_allowed(rest)])
            rest = tokens.find_rest(rest, [id]) or b""
        row = rows[tuple(path)]
        mask -= np.logaddexp.reduce(row[tokens.find_allowed(rest)])
        masked = np.exp(mask + row[group.last_ids[:, 0]])
        exact = np.exp(group.log_probabilities - covers.log_probability)
        distance += np.abs(masked - exact).sum()
        seen += masked.sum()
    return (distance + 1 - seen) / 2, covers.evaluations


def main() -> None:
    """Measure and write `results/continuations`."""
    parser = argparse.ArgumentParser(description="Measure the mask for held-back bytes.")
    parser.add_argument("--steps", type=int, default=400, help="of training the language model")
    parser.add_argument("--prompts", type=int, default=300, help="of each kind")
    options = parse_options(parser)
    tok = superword.train(prepare_corpus(20), VOCAB_SIZE, max_superwords=None, special_tokens=[END])
    tokenizer = SuperwordTokenizer(tok, eos_token=END, pad_token=END)
    model, loss = train_model(tok, options.steps)
    tokens = TokenPrefixes(list_text_tokens(tokenizer))
    texts = [text for text in read_evaluation_texts() if len(text) > 1200]
    found: dict[str, Figures] = {}
    for name, after_words in (("after a word", True), ("anywhere", False)):
        prompts = draw_prompts(tokenizer, texts, options.prompts, after_words)
        each = [measure_mask(model, tokens, prompt) for prompt in prompts]
        measured = np.array([one for one in each if one is not None])
        found[name] = {
            "bytes": float(np.mean([len(prompt.held_back) for prompt in prompts])),
            "distance": float(measured[:, 0].mean()),
            "median distance": float(np.median(measured[:, 0])),
            "runs": float(measured[:, 1].mean()),
            "median runs": float(np.median(measured[:, 1])),
            "most runs": int(measured[:, 1].max()),
            "given up": each.count(None),
        }
    rows: list[list[object]] = [
        [
            "prompts end",
            "bytes held back",
            "distance",
            "median",
            "runs",
            "median",
            "most",
            "given up",
        ]
    ]
    for name, one in found.items():
        distances = [f"{one[key]:.2f}" for key in ("distance", "median distance")]
        runs = [f"{one['runs']:.1f}", f"{one['median runs']:.0f}", f"{one['most runs']:,}"]
        rows.append([name, f"{one['bytes']:.1f}", *distances, *runs, one["given up"]])
    parameters = sum(parameter.numel() for parameter in model.parameters())
    results.save(
        "continuations",
        "Continuing from held-back bytes: the mask and the covers",
        {"parameters": parameters, "steps": options.steps, "loss": loss, "found": found},
        [
            f"A GPT-2 of {parameters / 1e6:.1f} million parameters, with a BoundlessBPE of "
            f"{VOCAB_SIZE:,} tokens, after {options.steps} steps of {BATCH * LENGTH:,} tokens; "
            f"{options.prompts} prompts of each kind that hold bytes back. The distance is "
            "the total variation distance of what the mask gives from what the covers give, which "
            f"are exact within {MAX_ERROR}; the runs are those of the model for the covers. "
            f"Prompts that need more than {MAX_RUNS:,} runs are given up.",
            results.format_table(rows),
        ],
    )


if __name__ == "__main__":
    main()
