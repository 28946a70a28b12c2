"""The fast way to continue a prompt from its held-back bytes in transformers: a mask."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from transformers import LogitsProcessor

from superword.integrations.token_prefixes import Ids, TokenPrefixes
from superword.tokenizer.encoding import list_tokens

if TYPE_CHECKING:
    from superword.integrations.transformers import SuperwordTokenizer

__all__ = ["HeldBackLogitsProcessor", "HeldBackMask", "check_size", "list_text_tokens"]


class HeldBackMask:
    """Says which ids may follow in each row, as long as held-back bytes are to be written.

    It knows nothing of tensors. What is still to be written follows from the ids of a row, so rows
    may be exchanged between the beams of a prompt.

    Args:
        tokens: The tokens that may be written.
        held_back: The held-back bytes of each prompt.
    """

    def __init__(self, tokens: TokenPrefixes, held_back: Sequence[bytes]) -> None:
        self._tokens = tokens
        self._held_back = list(held_back)
        self._find_allowed = lru_cache(maxsize=1024)(tokens.find_allowed)
        # No token is empty: after so many ids, nothing is left.
        self.longest = max(map(len, self._held_back), default=0)

    def find_allowed(self, rows: Sequence[Sequence[int]]) -> list[Ids | None]:
        """Return the allowed ids of each row; None if all are allowed.

        A row that does not agree with the held-back bytes has no allowed ids: it is a beam that had
        none before.

        Args:
            rows: The ids of each row after those of the prompt. If there are several rows for
                each prompt, as with beams, those of a prompt follow each other.

        Raises:
            ValueError: If the number of rows is not a multiple of the number of prompts.
        """
        each, rest = divmod(len(rows), len(self._held_back) or 1)
        if rest or not each:
            raise ValueError(
                f"there are {len(rows)} rows for {len(self._held_back)} prompts; pass the "
                "held-back bytes of every prompt of the batch, empty ones too"
            )
        allowed: list[Ids | None] = []
        for index, ids in enumerate(rows):
            left = self._tokens.find_rest(self._held_back[index // each], ids)
            if left is None:
                allowed.append(np.empty(0, np.int64))
            else:
                allowed.append(self._find_allowed(left) if left else None)
        return allowed


class HeldBackLogitsProcessor(LogitsProcessor):
    """Lets `generate` write the held-back bytes of prompts first, then go on freely.

    Until they are written, only tokens that begin with them, or that they begin with, may follow;
    no special token, so no end of text either. This is the fast way: it costs nothing, but a token
    is chosen without regard to whether the model would write the rest of the bytes after it.
    `find_covers` is the exact way, and seldom costs much: docs/transformers.md.

    Args:
        tokenizer: The tokenizer.
        held_back: The held-back bytes of each prompt of the batch; empty ones too.
        prompt_length: The number of ids in a row of the batch of prompts, with padding.
    """

    def __init__(
        self, tokenizer: SuperwordTokenizer, held_back: Sequence[bytes], prompt_length: int
    ) -> None:
        self._tokens = TokenPrefixes(list_text_tokens(tokenizer))
        self._mask = HeldBackMask(self._tokens, held_back)
        self._prompt_length = prompt_length

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Set the scores of all ids that are not allowed to minus infinity."""
        if input_ids.shape[1] - self._prompt_length >= self._mask.longest:
            return scores
        check_size(self._tokens, scores.shape[1])
        masked = scores.clone()
        rows = input_ids[:, self._prompt_length :].tolist()
        for row, allowed in enumerate(self._mask.find_allowed(rows)):
            if allowed is not None:
                ids = input_ids.new_tensor(allowed.tolist())
                masked[row] = float("-inf")
                masked[row, ids] = scores[row, ids]
        return masked


def check_size(tokens: TokenPrefixes, size: int) -> None:
    """Reject a model that has fewer logits than the tokenizer has ids."""
    if tokens.largest_id >= size:
        raise ValueError(
            f"the model has {size:,} logits, and the largest id of the tokenizer is "
            f"{tokens.largest_id:,}; resize the model's embeddings, or load its own tokenizer"
        )


def list_text_tokens(tokenizer: SuperwordTokenizer) -> list[tuple[int, bytes]]:
    """Return the ids and bytes of all tokens that stand for text: all but the special ones."""
    tokens = dict(list_tokens(tokenizer.core._model))
    for id, token in tokenizer.added_tokens_decoder.items():
        if token.special:
            tokens.pop(id, None)
        else:
            tokens[id] = token.content.encode()
    return list(tokens.items())
