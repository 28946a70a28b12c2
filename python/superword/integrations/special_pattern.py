"""Which special tokens are put around a text, as `add_bos_token` and `add_eos_token`."""

from __future__ import annotations

__all__ = ["SpecialPattern"]

# By whether there is a token before the text, and one after it.
PATTERNS = {
    (False, False): None,
    (True, False): "bos",
    (False, True): "eos",
    (True, True): "bos_eos",
}


class SpecialPattern:
    """The attributes `add_bos_token` and `add_eos_token` of a tokenizer.

    Setting them changes `special_tokens_pattern`, which is what the base class reads and saves.
    """

    special_tokens_pattern: str | None
    bos_token: str | None
    eos_token: str | None

    @property
    def add_bos_token(self) -> bool:
        """Whether `bos_token` is put before each text."""
        return self.special_tokens_pattern in ("bos", "bos_eos")

    @add_bos_token.setter
    def add_bos_token(self, is_added: bool) -> None:
        if is_added and self.bos_token is None:
            raise ValueError("add_bos_token needs a bos_token; pass bos_token too")
        self._set_pattern(bool(is_added), self.add_eos_token)

    @property
    def add_eos_token(self) -> bool:
        """Whether `eos_token` is put after each text."""
        return self.special_tokens_pattern in ("eos", "bos_eos")

    @add_eos_token.setter
    def add_eos_token(self, is_added: bool) -> None:
        if is_added and self.eos_token is None:
            raise ValueError("add_eos_token needs an eos_token; pass eos_token too")
        self._set_pattern(self.add_bos_token, bool(is_added))

    def _set_pattern(self, bos: bool, eos: bool) -> None:
        if (bos, eos) == (self.add_bos_token, self.add_eos_token):
            return
        if self.special_tokens_pattern not in (None, "none", *PATTERNS.values()):
            raise ValueError(
                "add_bos_token and add_eos_token do not go with special_tokens_pattern="
                f"{self.special_tokens_pattern!r}"
            )
        self.special_tokens_pattern = PATTERNS[bos, eos]
