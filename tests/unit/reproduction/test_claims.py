"""Verdicts follow from the figures by the tests of each claim, and each can come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superword.evaluation.alignment import Alignment
from superword.evaluation.measurement import Measurement
from superword.reproduction.claims import CLAIMS, check_capped_claims, check_claims
from superword.reproduction.figures import FIGURES
from superword.reproduction.lineup import Variations, build_lineup, cap_key
from superword.reproduction.outputs import claim_as_json
from superword.reproduction.report_claims import build_claim
from superword.reproduction.results import BOUNDLESS_4O, BOUNDLESS_B, Results, TrainingCurve
from superword.reproduction.tables import build_ablation
from superword.reproduction.verdicts import Claim, Verdict, run_test

SIZES = (40_960, 131_072)


def measurement(name: str, tokens: int, counts: list[int], single: int) -> Measurement:
    alignment = Alignment(pretokens=1000, single=single)
    numbers = np.array(counts, np.int64)
    return Measurement(name, "gpt4o", 300, 0, 10, 10_000, tokens, 0, numbers, alignment)


# Counts of 300 tokens; the first 250 are the head.
FLAT = [20] * 250 + [10] * 50
STEEP = [100] * 50 + [20] * 100 + [1] * 120 + [0] * 30


def make_curves(start: int) -> TrainingCurve:
    """Return a curve whose share of supermerges rises by 15 points a quarter."""
    flags = np.arange(3000) % 20 < start + 3 * (np.arange(3000) // 750)
    return TrainingCurve(np.arange(4000, 1000, -1), flags)


def make_supporting_results() -> Results:
    """Return results for which every claim holds."""
    found = {each.key: each for each in build_lineup()}
    measured = {}
    for key, each in found.items():
        for size in SIZES:
            if each.baseline:
                single = 720 if key == "unigram" else 930
                counts = [150, *STEEP[1:]]
                measured[key, size] = measurement(each.label, 2240, counts, single)
            elif each.pattern == "gpt4o":
                measured[key, size] = measurement(each.label, 2000, FLAT, 900)
            else:
                counts = [60] * 20 + FLAT[20:]
                measured[key, size] = measurement(each.label, 2100, counts, 900)
    fast = TrainingCurve(np.arange(3000, 0, -1), np.zeros(3000, bool))
    curves = {key: make_curves(4) if each.supermerges else fast for key, each in found.items()}
    return Results(found, SIZES, measured, curves, ("", {}))


def find_outcomes(results: Results) -> dict[str, str]:
    return {claim.key: verdict.outcome for claim, verdict in check_claims(results)}


def test_claims_hold_if_their_tests_pass() -> None:
    for claim, verdict in check_claims(make_supporting_results()):
        assert verdict.outcome == "holds", (claim.key, verdict)
        assert verdict.weaker_cases == ()


def test_the_report_shows_the_verdict_and_both_tests() -> None:
    results = WEAKENING["supermerges-a-third"](make_supporting_results())
    [checked] = [each for each in check_claims(results) if each.claim.key == "supermerges-a-third"]
    shown = build_claim(checked)
    assert "≈ holds in a weaker form" in shown and "✓ holds" not in shown
    assert "Test: At least 36.6%" in shown and "Weaker test: At least 25% of them." in shown
    as_json = claim_as_json(checked)
    assert as_json["verdict"] == "holds in a weaker form"
    assert [case["is_so"] for case in as_json["weaker_cases"]] == [True]


def test_captions_tell_open_marks_apart() -> None:
    """The paper's values and models of less text both have open marks, on different lines."""
    limited = build_lineup(["unigram"], {"unigram": 30_000_000})
    results = make_supporting_results()
    part = f"{BOUNDLESS_4O}-30000000"
    measured = {(part, size): results.measured[BOUNDLESS_4O, size] for size in SIZES}
    lineup = {each.key: each for each in limited}
    results = replace(results, lineup=lineup, measured={**results.measured, **measured})
    for figure in FIGURES[5:7]:
        assert "dashed lines are the paper's" in figure.caption
        assert "dotted lines, if any, are ours" in figure.caption
        (axis,) = figure.draw(results).figure.axes
        for line in axis.lines:
            if line.get_markerfacecolor() == "white":
                is_paper = "paper" in line.get_label()
                assert line.get_linestyle() == ("--" if is_paper else ":"), line.get_label()


def with_measured(results: Results, change: Callable[[str, Measurement], Measurement]) -> Results:
    measured = {at: change(at[0], each) for at, each in results.measured.items()}
    return replace(results, measured=measured)


def only(key: str, **changes: object) -> Callable[[str, Measurement], Measurement]:
    def change(at: str, each: Measurement) -> Measurement:
        return replace(each, **changes) if at == key else each  # type: ignore[arg-type]

    return change


def counts(values: list[int]) -> dict[str, object]:
    return {"counts": np.array(values, np.int64)}


def at_smallest(key: str, **changes: object) -> Callable[[Results], Results]:
    """Change a measurement at the smallest size only."""

    def change(results: Results) -> Results:
        at = key, SIZES[0]
        changed = replace(results.measured[at], **changes)  # type: ignore[arg-type]
        return replace(results, measured={**results.measured, at: changed})

    return change


def with_curve(key: str, curve: TrainingCurve) -> Callable[[Results], Results]:
    return lambda results: replace(results, curves={**results.curves, key: curve})


def of_pretokens(single: int) -> dict[str, object]:
    return {"alignment": Alignment(pretokens=1000, single=single)}


FALLEN = TrainingCurve(np.arange(3000, 0, -1), np.zeros(3000, bool))
RARE = [20] * 250 + [10] * 20 + [0] * 30

# Changes of results for which every claim holds, such that one holds in a weaker form only.
WEAKENING: dict[str, Callable[[Results], Results]] = {
    "single-share": at_smallest("bpe", **of_pretokens(870)),
    "unigram-lower": lambda r: with_measured(r, only("unigram", **of_pretokens(738))),
    "counts-fall-slower": with_curve(BOUNDLESS_4O, FALLEN),
    "supermerges-a-third": with_curve(BOUNDLESS_B, make_curves(1)),
    "supermerges-rise": with_curve(BOUNDLESS_B, make_curves(1)),
    "bytes-per-token": lambda r: with_measured(r, only("wordpiece", tokens=2100)),
    "renyi-efficiency": lambda r: with_measured(
        r, only("bpe", **counts([25] * 100 + [20] * 150 + [9] * 50))
    ),
    "higher-tail": lambda r: with_measured(r, only(BOUNDLESS_4O, **counts(RARE))),
    "lower-head": at_smallest("wordpiece", **counts([19] * 250 + [1] * 50)),
    "vocabulary-used": at_smallest(BOUNDLESS_B, **counts([1] * 200 + [0] * 100)),
    "deletion-matters-little": lambda r: with_measured(
        r, only("boundless-gpt4o-none", tokens=1985)
    ),
    "gpt4o-ahead": lambda r: with_measured(r, only(BOUNDLESS_B, tokens=2010)),
}
# Changes such that it does not hold.
BREAKING: dict[str, Callable[[Results], Results]] = {
    "single-share": lambda r: with_measured(r, only("bpe", **of_pretokens(960))),
    "unigram-lower": lambda r: with_measured(r, only("unigram", **of_pretokens(940))),
    "counts-fall-slower": lambda r: with_curve(BOUNDLESS_B, FALLEN)(
        with_curve(BOUNDLESS_4O, FALLEN)(r)
    ),
    "supermerges-a-third": with_curve(BOUNDLESS_B, FALLEN),
    "supermerges-rise": with_curve(
        BOUNDLESS_B, TrainingCurve(FALLEN.counts, make_curves(4).is_supermerge[::-1])
    ),
    "bytes-per-token": lambda r: with_measured(r, only("wordpiece", tokens=2000)),
    "renyi-efficiency": lambda r: with_measured(r, only("unigram", **counts(FLAT))),
    "higher-tail": lambda r: with_measured(r, only("bpe", **counts([100] * 300))),
    "lower-head": lambda r: with_measured(r, only("wordpiece", **counts([19] * 250 + [1] * 50))),
    "vocabulary-used": lambda r: with_measured(
        r, only(BOUNDLESS_B, **counts([1] * 200 + [0] * 100))
    ),
    "deletion-matters-little": lambda r: with_measured(
        r, only("boundless-gpt4o-none", tokens=1900)
    ),
    "gpt4o-ahead": lambda r: with_measured(r, only(BOUNDLESS_B, tokens=1900)),
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_each_claim_can_hold_in_a_weaker_form_and_can_fail(claim: Claim) -> None:
    weaker = find_outcomes(WEAKENING[claim.key](make_supporting_results()))
    assert weaker[claim.key] == "holds in a weaker form"
    broken = find_outcomes(BREAKING[claim.key](make_supporting_results()))
    assert broken[claim.key] == "does not hold"


@st.composite
def invented_results(draw: st.DrawFn) -> Results:
    """Draw figures near those for which claims hold, so that every verdict comes out."""
    results = make_supporting_results()
    shapes = [FLAT, STEEP, RARE, [60] * 20 + FLAT[20:], [25] * 100 + [20] * 150 + [9] * 50]
    for key in draw(st.lists(st.sampled_from(sorted(results.lineup)), max_size=6)):
        changes = {
            "tokens": draw(st.integers(1800, 2400)),
            **of_pretokens(draw(st.integers(650, 1000))),
            **counts(draw(st.sampled_from(shapes))),
        }
        if draw(st.booleans()):
            results = at_smallest(key, **changes)(results)
        else:
            results = with_measured(results, only(key, **changes))
    for key in draw(st.lists(st.sampled_from([BOUNDLESS_4O, BOUNDLESS_B]), max_size=2)):
        results = with_curve(key, draw(st.sampled_from([FALLEN, make_curves(1)])))(results)
    return results


@settings(max_examples=40)
@given(invented_results())
def test_verdicts_follow_from_the_tests(results: Results) -> None:
    for claim, verdict in check_claims(results):
        is_so = [case for case, _ in run_test(claim.test, results)]
        is_so_weaker = [case for case, _ in run_test(claim.weaker_test, results)]
        if all(is_so):
            assert verdict.outcome == "holds"
            # A weaker form of a claim that holds holds too.
            assert all(is_so_weaker), claim.key
        else:
            expected = "holds in a weaker form" if all(is_so_weaker) else "does not hold"
            assert verdict.outcome == expected


def test_claims_on_gains_are_checked_for_models_with_a_cap() -> None:
    results = make_supporting_results()
    varied = build_lineup(variations=Variations(max_superwords=[1 / 16]))
    key = cap_key(1 / 16)
    measured = {(key, size): results.measured["bpe", size] for size in SIZES}
    results = replace(
        results,
        lineup={each.key: each for each in varied},
        measured={**results.measured, **measured},
    )
    [(label, checked)] = check_capped_claims(results).items()
    assert label == "BoundlessBPE (4o), cap 1/16"
    assert [claim.key for claim, _ in checked] == [c.key for c in CLAIMS if c.is_about_gain]
    # As many bytes per token as BPE is no gain.
    assert checked[0].verdict.outcome == "does not hold"
    assert find_outcomes(results)["bytes-per-token"] == "holds"


def test_claims_about_baselines_need_baselines() -> None:
    results = make_supporting_results()
    ours = {key: each for key, each in results.lineup.items() if not each.baseline}
    outcomes = find_outcomes(replace(results, lineup=ours))
    assert outcomes["single-share"] == outcomes["bytes-per-token"] == "not run"
    assert outcomes["gpt4o-ahead"] == "holds"


def test_a_baseline_is_compared_with_a_model_of_the_same_text() -> None:
    limited = build_lineup(["bpe", "unigram"], {"unigram": 5_000_000})
    results = replace(make_supporting_results(), lineup={each.key: each for each in limited})
    assert results.counterpart("bpe") == BOUNDLESS_4O
    assert results.counterpart("unigram") == f"{BOUNDLESS_4O}-5000000"
    assert results.label(f"{BOUNDLESS_4O}-5000000") == "BoundlessBPE (4o), 5 MB"


def test_a_claim_holds_if_all_its_cases_do() -> None:
    so, not_so = (True, "a"), (False, "b")
    assert Verdict((so, so)).outcome == "holds"
    assert Verdict((so, not_so), (so,)).outcome == "holds in a weaker form"
    assert Verdict((so, not_so), (not_so, so)).outcome == "does not hold"
    assert Verdict((so, not_so)).outcome == "does not hold"
    assert Verdict().outcome == "not run"


def test_the_ablation_has_the_papers_rows_and_values() -> None:
    table = build_ablation(make_supporting_results(), 1, SIZES)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert len(rows) == 12
    assert list(rows[5].values())[:3] == [40_960, "GPT4o", "ours"]
    assert rows[5]["paper_bytes_per_token"] == 4.416
    assert rows[5]["bytes_per_token"] == 5
    assert rows[-1]["paper_renyi_efficiency"] == 0.43


def test_the_papers_values_are_drawn_at_its_sizes() -> None:
    for number, expected in ((6, [0.4926, 0.43]), (7, [4.416, 4.991])):
        (axis,) = FIGURES[number - 1].draw(make_supporting_results()).figure.axes
        (line,) = [
            line for line in axis.lines if line.get_label() == "BoundlessBPE (4o), paper's corpus"
        ]
        assert list(line.get_ydata()) == expected
