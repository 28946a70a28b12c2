r"""Profiles: names for options of training that belong together.

`portable` trains a SuperBPE whose second pattern is a split that llama.cpp has, by the name
`superbpe`: it makes numbers pretokens, and everything between two numbers. Digits are grouped from
the right. llama.cpp first splits at `\p{N}+`, and then at every place where `(\d{3})+(?!\d)`
follows. `PORTABLE_PATTERN` is one regex that does the same, and a scanner runs it. Of llama.cpp's
splits that let words merge, it gives the fewest tokens and takes the longest texts:
docs/exporting.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from superword import _core

__all__ = ["PORTABLE_PATTERN", "PROFILES", "check_profile", "fill_profile"]

PORTABLE_PATTERN = _core.PORTABLE_PATTERN

PROFILES: Mapping[str, Mapping[str, object]] = {
    "portable": {"supermerges": False, "deletion": None, "second_pattern": PORTABLE_PATTERN},
}


def check_profile(given: Mapping[str, object]) -> None:
    """Reject options that contradict the profile among them.

    Raises:
        ValueError: If there is no such profile, or an option contradicts it.
    """
    profile = given["profile"]
    if profile not in PROFILES:
        raise ValueError(f"profile must be one of {', '.join(PROFILES)}, not {profile!r}")
    for name, value in PROFILES[str(profile)].items():
        if given.get(name, value) not in (value, None):
            raise ValueError(
                f"{name}={given[name]!r} contradicts the profile {profile}; leave out one of them"
            )


def fill_profile(profile: str, vocab_size: int, transition: int | None) -> dict[str, object]:
    """Return the options that a profile stands for.

    Example:
        >>> filled = fill_profile("portable", 4096, None)
        >>> filled["transition"], filled["deletion"], filled["second_pattern"] == PORTABLE_PATTERN
        (3072, None, True)
    """
    # The second stage learns a quarter of the vocabulary.
    begin = max(256, vocab_size * 3 // 4) if transition is None else transition
    return {**PROFILES[profile], "transition": begin}
