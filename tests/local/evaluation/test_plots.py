"""Plots are well-formed SVG whatever the values and the names."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from retrieval.local.evaluation import plots
from retrieval.local.evaluation.results import Estimate

NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn"]), max_size=30)
shares = st.floats(-1, 1)
times = st.floats(0, 1000)


@st.composite
def estimates(draw: st.DrawFn) -> Estimate:
    low, value, high = sorted([draw(shares), draw(shares), draw(shares)])
    alone = draw(st.booleans())
    return Estimate(value=value, low=None if alone else low, high=None if alone else high, n=3)


@given(title=NAMES, named=st.dictionaries(NAMES, estimates(), max_size=4), zero=st.booleans())
def test_intervals_are_within_the_plot(title: str, named: dict[str, Estimate], zero: bool) -> None:
    svg = ElementTree.fromstring(plots.intervals(title, named, zero=zero))
    dots = [float(one.attrib["cx"]) for one in svg.iter("{http://www.w3.org/2000/svg}circle")]
    assert len(dots) == len(named)
    assert all(plots.LEFT <= x <= plots.WIDTH - plots.RIGHT for x in dots)


@given(title=NAMES, named=st.dictionaries(NAMES, st.lists(times, max_size=300), max_size=4))
def test_a_cumulative_curve_rises_to_all_values(title: str, named: dict[str, list[float]]) -> None:
    curves = {name: plots.cumulative(values) for name, values in named.items()}
    for name, curve in curves.items():
        assert list(curve) == sorted(curve)
        assert len(curve) <= 100
        assert not named[name] or curve[-1] == (max(named[name]), 1.0)
    svg = ElementTree.fromstring(plots.curves(title, curves, across="seconds"))
    assert len(list(svg.iter("{http://www.w3.org/2000/svg}polyline"))) == len(named)
