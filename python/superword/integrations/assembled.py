"""An example as a row of ids, before padding."""

from __future__ import annotations

from typing import Any

from superword.integrations.model_inputs import SequenceIds

__all__ = ["Assembled"]


class Assembled:
    """An example as a row of ids, before padding."""

    __slots__ = ("_has_special", "_parts", "_tokenizer", "ids", "sequences")

    def __init__(
        self,
        tokenizer: Any,
        sequences: list[tuple[SequenceIds, range]],
        parts: list[list[int]],
        ids: list[int],
        has_special: bool,
    ) -> None:
        self._tokenizer = tokenizer
        self._parts = parts
        self._has_special = has_special
        self.sequences = sequences
        self.ids = ids

    def mask(self) -> list[int]:
        """Return 1 for each special token around the example, 0 for the others."""
        if not self._has_special:
            return [0] * len(self.ids)
        mask: list[int] = self._tokenizer.get_special_tokens_mask(*self._parts)
        return mask

    def token_types(self) -> list[int]:
        """Return 0 for tokens of the first sequence, 1 for the second."""
        if not self._has_special:
            return [which for which, ids in enumerate(self._parts) for _ in ids]
        types: list[int] = self._tokenizer.create_token_type_ids_from_sequences(*self._parts)
        return types
