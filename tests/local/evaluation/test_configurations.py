"""What `--run` says."""

import pytest

from retrieval.local.evaluation.configurations import Configuration, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auto", Configuration(name="auto", kind="auto")),
        ("single=minimal", Configuration(name="single", kind="minimal")),
        ("strict=medium,threshold=2.2", Configuration(name="strict", kind="medium", threshold=2.2)),
        ("medium,threshold=2.2", Configuration(name="medium threshold 2.2", kind="medium", threshold=2.2)),
        (
            "rules=answer, model=none, followups=0",
            Configuration(name="rules", kind="answer", model=False, follow_ups=0),
        ),
        ("other=low,base=handbook", Configuration(name="other", kind="low", base="handbook")),
    ],
)
def test_a_configuration_is_read(text: str, expected: Configuration) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "much",
        "a=",
        "=auto",
        "a=auto,threshold=5",
        "a=auto,threshold=x",
        "a=auto,followups=0",
        "<b>=auto",
        "a=auto,x=1",
    ],
)
def test_what_is_no_configuration_is_refused(text: str) -> None:
    with pytest.raises(ValueError) as raised:
        parse(text)
    assert str(raised.value)


@pytest.mark.parametrize("text", ["minimal", "medium,threshold=2.2", "answer,threshold=0.0,followups=0,model=none"])
def test_a_configuration_is_told_as_it_was_said(text: str) -> None:
    assert parse(f"name={text}").told == text
