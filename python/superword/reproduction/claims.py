"""The paper's claims: the test of each, and the test of a weaker form."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from superword.reproduction import paper
from superword.reproduction.claim_tests import (
    HEAD_SIZE,
    compare_bytes_per_token,
    compare_deletion_modes,
    compare_heads,
    compare_last_counts,
    compare_patterns,
    compare_renyi_efficiency,
    compare_tails,
    compare_unigram_share,
    compare_vocabulary_used,
    measure_single_share,
    measure_supermerge_rise,
    measure_supermerge_share,
)
from superword.reproduction.results import Results
from superword.reproduction.verdicts import CheckedClaim, Claim, ClaimTest, check_claim

__all__ = ["CLAIMS", "check_capped_claims", "check_claims"]


def check_claims(results: Results) -> list[CheckedClaim]:
    """Check all claims."""
    return [check_claim(claim, results) for claim in CLAIMS]


def check_capped_claims(results: Results) -> dict[str, list[CheckedClaim]]:
    """Check the claims on gains for each model with a cap on superwords, by its label."""
    return {
        results.label(key): [
            check_claim(claim, replace(results, subject=key))
            for claim in CLAIMS
            if claim.is_about_gain
        ]
        for key in results.capped_keys
    }


CLAIMS = (
    Claim(
        "single-share",
        "BPE and WordPiece make 90 to 95% of pretokens a single token (Section 2).",
        ClaimTest("The share is from 90% to 95%, for both at every size.", measure_single_share),
        ClaimTest(
            "It is, for both at the largest size.",
            partial(measure_single_share, is_largest_only=True),
        ),
    ),
    Claim(
        "unigram-lower",
        "UnigramLM makes fewer of them one token, 72 to 73% (Section 2).",
        ClaimTest(
            "Its share is below those of BPE and WordPiece, and at most "
            f"{paper.UNIGRAM_SINGLE_SHARE:.0%}, at every size.",
            partial(compare_unigram_share, most=paper.UNIGRAM_SINGLE_SHARE),
        ),
        ClaimTest("It is below those of both at every size.", compare_unigram_share),
    ),
    Claim(
        "counts-fall-slower",
        "With supermerges, the counts of selected rules fall more slowly (Section 3.4).",
        ClaimTest(
            "The last rule's count is above plain BPE's, for both patterns.", compare_last_counts
        ),
        ClaimTest("It is, for one of them.", partial(compare_last_counts, is_one_enough=True)),
    ),
    Claim(
        "supermerges-a-third",
        f"Supermerges are {paper.SUPERMERGE_SHARE:.1%} of all merges (Section 3.4).",
        ClaimTest(
            f"At least {paper.SUPERMERGE_SHARE:.1%} of the rules to the largest vocabulary, "
            "BoundlessBPE (B).",
            partial(measure_supermerge_share, least=paper.SUPERMERGE_SHARE),
        ),
        ClaimTest("At least 25% of them.", partial(measure_supermerge_share, least=0.25)),
    ),
    Claim(
        "supermerges-rise",
        "Their share grows along training, to "
        f"{paper.LAST_SUPERMERGE_SHARE:.1%} at the end (Section 3.4).",
        ClaimTest(
            "It is higher in each quarter of the rules than in the one before, and at least "
            f"{paper.LAST_SUPERMERGE_SHARE:.1%} in the last group.",
            partial(measure_supermerge_rise, least_at_end=paper.LAST_SUPERMERGE_SHARE),
        ),
        ClaimTest("It is higher in each quarter than in the one before.", measure_supermerge_rise),
    ),
    Claim(
        "bytes-per-token",
        "BoundlessBPE (4o) has 9 to 15% more bytes per token than BPE and WordPiece (Section 4).",
        ClaimTest(
            "The gain over each is at least 9% at every size.",
            partial(compare_bytes_per_token, least=0.09),
        ),
        ClaimTest(
            "It has more than each at every size.", partial(compare_bytes_per_token, least=0)
        ),
        is_about_gain=True,
    ),
    Claim(
        "renyi-efficiency",
        "Its Rényi efficiency is at least 3% above that of the baselines (Section 4).",
        ClaimTest(
            "The gain over each is at least 3% at every size, α = 2.5.",
            partial(compare_renyi_efficiency, least=0.03),
        ),
        ClaimTest(
            "It is above each baseline's at every size.", partial(compare_renyi_efficiency, least=0)
        ),
        is_about_gain=True,
    ),
    Claim(
        "higher-tail",
        "The tail of its distribution is substantially higher (Section 4).",
        ClaimTest(
            "The counts at 50%, 75% and 90% of the ranks are above each baseline's at every size.",
            compare_tails,
        ),
        ClaimTest(
            "The count at 50% is above each baseline's, and the other two are not below.",
            partial(compare_tails, are_ties_allowed=True),
        ),
        is_about_gain=True,
    ),
    Claim(
        "lower-head",
        "The most common tokens are less common (Section 4).",
        ClaimTest(
            f"The {HEAD_SIZE} most frequent tokens together occur less often than each "
            "baseline's, at every size.",
            compare_heads,
        ),
        ClaimTest("They do at the largest size.", partial(compare_heads, is_largest_only=True)),
        is_about_gain=True,
    ),
    Claim(
        "vocabulary-used",
        "More of the vocabulary is used at least once (Section 4).",
        ClaimTest(
            "At least as large a share as of each baseline's at every size, with both patterns.",
            compare_vocabulary_used,
        ),
        ClaimTest(
            "At least as large a share at the largest size.",
            partial(compare_vocabulary_used, is_largest_only=True),
        ),
        is_about_gain=True,
    ),
    Claim(
        "deletion-matters-little",
        "The style of deletion has only a very small effect (Section 5).",
        ClaimTest(
            "Bytes per token within 0.5%, Rényi efficiency within 0.002, over the three styles.",
            partial(compare_deletion_modes, spread=0.005, apart=0.002),
        ),
        ClaimTest(
            "Within 1% and 0.005.", partial(compare_deletion_modes, spread=0.01, apart=0.005)
        ),
    ),
    Claim(
        "gpt4o-ahead",
        "With the pattern gpt4o, bytes per token are 0.15 to 0.23 higher than with boundless, and "
        "Rényi efficiency about 0.025 (Section 5).",
        ClaimTest(
            "At least 0.15 and 0.025 higher at every size.",
            partial(compare_patterns, least_rate=0.15, least_renyi=0.025),
        ),
        ClaimTest(
            "Both are higher at every size.", partial(compare_patterns, least_rate=0, least_renyi=0)
        ),
    ),
)
