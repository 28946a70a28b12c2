"""The report's section on the paper's claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from superword.reproduction.verdicts import Case, CheckedClaim, ClaimTest, Outcome

__all__ = ["build_claims"]

# The CSS class and the mark of each verdict.
VERDICT_STYLES: dict[Outcome, tuple[str, str]] = {
    "holds": ("holds", "✓ "),
    "holds in a weaker form": ("weaker", "≈ "),
    "does not hold": ("fails", "✗ "),
    "not run": ("unknown", ""),
}


def build_claims(
    claims: Sequence[CheckedClaim], capped: Mapping[str, Sequence[CheckedClaim]]
) -> str:
    """Show the claims on the paper's models, and those on models with a cap on superwords."""
    parts = [
        "<p>Each claim has a numerical test, and a weaker test for when that does not pass. They "
        "alone decide the verdict. The corpus need not be the paper's.</p>",
        *map(build_claim, claims),
    ]
    for label, checked in capped.items():
        parts.append(
            f"<h3>{escape(label)}</h3><p class='note'>The paper has no cap on superwords. The "
            "claims that compare BoundlessBPE (4o) with the baselines, checked for this "
            "model:</p>"
        )
        parts += map(build_claim, checked)
    return "\n".join(parts)


def build_claim(checked: CheckedClaim) -> str:
    """Show a claim, its verdict, and the tests that gave it."""
    claim, verdict = checked
    kind, mark = VERDICT_STYLES[verdict.outcome]
    shown = build_test("Test", claim.test, verdict.cases)
    if verdict.weaker_cases:
        shown += build_test("Weaker test", claim.weaker_test, verdict.weaker_cases)
    return (
        f"<div class='claim {kind}'><div class='verdict'>{mark}{verdict.outcome}</div>"
        f"<div>{escape(claim.statement)}{shown}</div></div>"
    )


def build_test(name: str, test: ClaimTest, cases: Sequence[Case]) -> str:
    """Show a test and its cases, folded if they are many."""
    items = list_cases(cases)
    if len(cases) > 2:
        passed = sum(is_so for is_so, _ in cases)
        summary = f"<summary>passes in {passed} of {len(cases)} cases</summary>"
        items = f"<details>{summary}<ul>{items}</ul></details>"
    elif items:
        items = f"<ul>{items}</ul>"
    return f"<small>{name}: {escape(test.condition)}</small>{items}"


def list_cases(cases: Iterable[Case]) -> str:
    """List cases, each with a mark that says whether it is as the test asks."""
    return "".join(
        f"<li class='{'so' if is_so else 'not'}'>{escape(found)}</li>" for is_so, found in cases
    )
