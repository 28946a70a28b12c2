"""What a claim is, and the verdict that its tests give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeAlias

from superword.reproduction.results import Results

__all__ = ["Case", "CheckedClaim", "Claim", "ClaimTest", "Outcome", "Verdict", "check_claim"]

Outcome: TypeAlias = Literal["holds", "holds in a weaker form", "does not hold", "not run"]
# Whether a case is as the test asks, and the numbers found.
Case: TypeAlias = tuple[bool, str]


class ClaimTest(NamedTuple):
    """A numerical test: it passes if all its cases do.

    Attributes:
        condition: The condition in words.
        cases: Yields the cases; none if there is nothing to test.
    """

    condition: str
    cases: Callable[[Results], Iterable[Case]]


class Claim(NamedTuple):
    """A claim of the paper.

    Attributes:
        key: The name in files.
        statement: The claim.
        test: The test of the claim as it is stated.
        weaker_test: The test of its weaker form. It passes wherever `test` does.
        is_about_gain: Whether it compares BoundlessBPE (4o) with the baselines. Such a claim is
            also checked for models with a cap on superwords.
    """

    key: str
    statement: str
    test: ClaimTest
    weaker_test: ClaimTest
    is_about_gain: bool = False


class Verdict(NamedTuple):
    """The cases of a claim's test and, if it does not pass, of its weaker test."""

    cases: tuple[Case, ...] = ()
    weaker_cases: tuple[Case, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The verdict in words.

        Example:
            >>> Verdict(((False, "5%"),), ((True, "5%"),)).outcome
            'holds in a weaker form'
        """
        if not self.cases:
            return "not run"
        if passes(self.cases):
            return "holds"
        return "holds in a weaker form" if passes(self.weaker_cases) else "does not hold"


class CheckedClaim(NamedTuple):
    """A claim and its verdict."""

    claim: Claim
    verdict: Verdict


def check_claim(claim: Claim, results: Results) -> CheckedClaim:
    """Check a claim, and its weaker form if its test does not pass."""
    cases = run_test(claim.test, results)
    is_weaker_asked = bool(cases) and not passes(cases)
    weaker = run_test(claim.weaker_test, results) if is_weaker_asked else ()
    return CheckedClaim(claim, Verdict(cases, weaker))


def run_test(test: ClaimTest, results: Results) -> tuple[Case, ...]:
    """Return the cases of a test."""
    return tuple((bool(is_so), found) for is_so, found in test.cases(results))


def passes(cases: Iterable[Case]) -> bool:
    """Return whether there are cases, and all are as the test asks."""
    flags = [is_so for is_so, _ in cases]
    return bool(flags) and all(flags)
