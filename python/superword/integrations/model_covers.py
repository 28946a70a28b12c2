"""The exact way to continue a prompt from its held-back bytes in transformers."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from superword.integrations.covers import Covers, search_covers
from superword.integrations.held_back_logits import check_size, list_text_tokens
from superword.integrations.token_prefixes import TokenPrefixes
from superword.tokenizer import Prompt

if TYPE_CHECKING:
    from superword.integrations.transformers import SuperwordTokenizer

__all__ = ["find_covers"]


def find_covers(
    model: Any,
    tokenizer: SuperwordTokenizer,
    prompt: Prompt,
    *,
    max_error: float = 0.001,
    max_evaluations: int = 10_000,
    batch_size: int = 32,
) -> Covers:
    """Find the token sequences that cover the held-back bytes of a prompt, and their probabilities.

    This is the exact way to continue a prompt: draw a cover, or take the most probable, and
    generate from `prompt.ids + cover.ids`: docs/transformers.md. The model is run on `prompt.ids`
    once, and then on each sequence of tokens that the held-back bytes begin with.

    Args:
        model: A causal language model of transformers.
        tokenizer: Its tokenizer.
        prompt: What `encode_prompt` of the tokenizer returned. It needs at least one id.
        max_error: The total variation distance from the exact distribution that is allowed; with 0,
            every sequence is tried, and there are exponentially many.
        max_evaluations: How many sequences the model may be run on.
        batch_size: How many of them at a time.

    Raises:
        ValueError: If the prompt has no ids, or `max_error` is not reached in `max_evaluations`.
    """
    if not prompt.ids:
        raise ValueError(
            "the prompt has no ids for the model to start from; set a bos_token and "
            "special_tokens_pattern='bos', or put the id that texts start with before it"
        )
    tokens = TokenPrefixes(list_text_tokens(tokenizer))
    return search_covers(
        PromptContinuation(model, prompt.ids, tokens),
        tokens,
        prompt.held_back,
        max_error=max_error,
        max_evaluations=max_evaluations,
        batch_size=batch_size,
    )


class PromptContinuation:
    """Computes the log-probabilities of the next id after a prompt and further ids.

    The model is run on the prompt once. If it keeps no cache that can be copied to several rows, it
    is run on the prompt with each sequence.

    Args:
        model: A causal language model of transformers.
        prompt_ids: The ids of the prompt.
        tokens: The tokens of the tokenizer.
    """

    def __init__(self, model: Any, prompt_ids: list[int], tokens: TokenPrefixes) -> None:
        import torch

        self._torch = torch
        self._model = model
        self._prompt_ids = prompt_ids
        with torch.no_grad():
            output = model(input_ids=self._as_tensor([prompt_ids]), use_cache=True)
        check_size(tokens, output.logits.shape[-1])
        self._first = output.logits[:, -1]
        cache = getattr(output, "past_key_values", None)
        self._cache = cache if hasattr(cache, "batch_repeat_interleave") else None

    def __call__(self, batch: list[list[int]]) -> NDArray[np.floating]:
        """Return a row for each list of ids that follow the prompt."""
        if not any(batch):
            return self._normalize(self._first.expand(len(batch), -1))
        torch = self._torch
        kept = [] if self._cache else self._prompt_ids
        rows = [[*kept, *ids] for ids in batch]
        longest = max(map(len, rows))
        # Padding on the right: later ids do not change what a causal model says of earlier ones.
        padded = self._as_tensor([row + [0] * (longest - len(row)) for row in rows])
        cache = deepcopy(self._cache)
        if cache is not None:
            cache.batch_repeat_interleave(len(batch))
        with torch.no_grad():
            logits = self._model(input_ids=padded, past_key_values=cache, use_cache=True).logits
        at = self._as_tensor([len(row) - 1 for row in rows])
        return self._normalize(logits[torch.arange(len(rows), device=at.device), at])

    def _as_tensor(self, ids: Any) -> Any:
        return self._torch.tensor(ids, dtype=self._torch.long, device=self._model.device)

    def _normalize(self, logits: Any) -> NDArray[np.floating]:
        normalized: NDArray[np.floating] = (
            self._torch.log_softmax(logits.double(), -1).cpu().numpy()
        )
        return normalized
