"""Which ids of a text are scored, given its context: docs/evaluation.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from superword.integrations.transformers import SuperwordTokenizer

__all__ = ["ScoredPair", "encode_pair"]


class ScoredPair(NamedTuple):
    """The ids of a context and its continuation.

    Attributes:
        head: The ids that the model starts from; at least one.
        scored: All further ids of the text.
        held_back: The last bytes of the context, which are part of what is scored.
    """

    head: list[int]
    scored: list[int]
    held_back: bytes


def encode_pair(
    tokenizer: SuperwordTokenizer,
    context: str,
    continuation: str,
    prefix_id: int,
    *,
    add_special_tokens: bool = True,
) -> ScoredPair:
    """Encode a text to score its end: the certain ids of the context, and all the rest.

    The head depends on the context alone, so all continuations of a context are scored from the
    same ids.

    Args:
        tokenizer: The tokenizer.
        context: The text before the continuation.
        continuation: The text to score.
        prefix_id: The id to start from if no id of the context is certain.
        add_special_tokens: Whether to put the tokenizer's special tokens before the text.

    Raises:
        ValueError: If the continuation changes the ids of the context. That can happen only with a
            custom regex.

    Example:
        >>> import superword
        >>> from superword.transformers import SuperwordTokenizer
        >>> tok = superword.train(["one of the end of the"], 259, special_tokens=["<|end|>"])
        >>> tokenizer = SuperwordTokenizer(tok)
        >>> encode_pair(tokenizer, "end of", " the", 259)
        ScoredPair(head=[101, 110, 100], scored=[258], held_back=b' of')
        >>> encode_pair(tokenizer, "", "of", 259)
        ScoredPair(head=[259], scored=[111, 102], held_back=b'')
    """
    head, held_back = tokenizer.encode_prompt(context, add_special_tokens)
    before = tokenizer.encode_prompt("", add_special_tokens).ids
    whole = before + tokenizer.encode(context + continuation, add_special_tokens=False)
    if whole[: len(head)] != head:
        raise ValueError(
            f"the continuation {continuation[:40]!r} changes the ids of the context; encode_prompt "
            "cannot foresee what this model's custom regex does"
        )
    scored = whole[len(head) :]
    if head:
        return ScoredPair(head, scored, held_back)
    if scored[:1] == [prefix_id]:
        return ScoredPair(scored[:1], scored[1:], held_back)
    return ScoredPair([prefix_id], scored, held_back)
