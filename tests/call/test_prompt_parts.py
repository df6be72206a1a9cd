"""Which texts name a time that depends on today's date."""

import pytest

from retrieval.call.prompt_parts import has_relative_date

RELATIVE = """What happened last year?|the last three months|Who is the current president?|since Monday of this week
    |Was kostete es letztes Jahr|in den letzten drei Monaten|vor zwei Jahren|l'année dernière|ce mois-ci|il y a 3 ans
    |el año pasado|hace dos años|il mese scorso|no ano passado|上个月的销售额|昨日のニュース|작년 매출|YESTERDAY"""
OTHERS = """What year did Ada Lovelace die?|the first day of school|Which magazine was started first?|the last emperor
    |zwei Jahre alt|street grid of Phoenix|12 May 2019|Is a whale an animal?|le prix du billet|人口の多い都市|"""


@pytest.mark.parametrize("text", [text.strip() for text in RELATIVE.split("|")])
def test_a_time_that_depends_on_the_day_is_recognised(text: str) -> None:
    assert has_relative_date(text)


@pytest.mark.parametrize("text", [text.strip() for text in OTHERS.split("|")])
def test_other_texts_and_dates_do_not_depend_on_it(text: str) -> None:
    assert not has_relative_date(text)
