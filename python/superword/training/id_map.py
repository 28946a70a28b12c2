"""What the ids of an extended tokenizer are in terms of its base, for embeddings."""

from __future__ import annotations

from typing import TypedDict

from superword.tokenizer import Tokenizer

__all__ = ["IdMap", "map_ids"]


class IdMap(TypedDict):
    """The ids of two tokenizers, as in the file `id_map.json`.

    Attributes:
        kept: Each old id that is still there, and its new id.
        removed: Each old id that is gone, and the new ids that spell it.
        added: Each id that is new, and the old ids that spell it.
    """

    kept: list[tuple[int, int]]
    removed: list[tuple[int, list[int]]]
    added: list[tuple[int, list[int]]]


def map_ids(base: Tokenizer, extended: Tokenizer) -> IdMap:
    """Return how the ids of an extended tokenizer follow from those of its base.

    An embedding of a new id can start as the mean of those of the ids that spell it. These are the
    ids that the base gives where the new token is made for the first time.

    Args:
        base: The tokenizer that `extend` was given.
        extended: The tokenizer that it returned.

    Raises:
        ValueError: If the tokenizer does not extend the base.

    Example:
        >>> import superword
        >>> base = superword.train(["to be"], 257, supermerges=False, deletion=None, min_count=1)
        >>> tok = superword.extend(base, ["to be"], 2, kind="merges", min_count=1)
        >>> [tok.token_bytes(id) for id, _ in map_ids(base, tok)["added"]]
        [b' be', b'to']
        >>> map_ids(base, tok)["added"]
        [(257, [256, 101]), (258, [116, 111])]
    """
    old = dict(base._model.vocabulary())
    new = dict(extended._model.vocabulary())
    rules = extended.rules
    is_extension = (
        len(rules) >= len(base.rules)
        and all(new.get(id) == token for id, token in old.items())
        and base.pattern == extended.pattern
        and base.special_tokens.items() <= extended.special_tokens.items()
    )
    if not is_extension:
        raise ValueError("the tokenizer does not extend the base: its ids or rules are others")
    spelled = {token: [id] for id, token in old.items()}
    for index in range(len(base.rules), len(rules)):
        rule = rules[index]
        if rule.right is not None and rule.token not in spelled:
            spelled[rule.token] = spelled[rule.left] + spelled[rule.right]
    same = [*old, *base.special_tokens.values(), *base.added_tokens.values()]
    return {
        "kept": [(id, id) for id in sorted(set(same))],
        "removed": [],
        "added": [(id, spelled[token]) for id, token in new.items() if id not in old],
    }
