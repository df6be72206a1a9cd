"""The queries that are deployed, of alerts and of the workbook, ask for tables and columns that there are."""

import json
from collections.abc import Iterator, Sequence

import pytest

from tests.environments import needs_node
from tests.infra import kql
from tests.infra.test_template import deployed
from tests.infra.values import Resource, at, of
from tests.infra.watching import LOG


def queries(resources: Sequence[Resource]) -> dict[str, str]:
    alerts = {str(one.body["name"]): at(one.properties, "criteria.allOf")[0]["query"] for one in of(resources, LOG)}
    return alerts | {name: query for one in of(resources, "Microsoft.Insights/workbooks") for name, query in shown(one)}


def shown(workbook: Resource) -> Iterator[tuple[str, str]]:
    for item in json.loads(workbook.properties["serializedData"])["items"]:
        if "query" in item["content"]:
            yield item["name"], item["content"]["query"]


def test_every_query_is_read_by_the_language_service() -> None:
    needs_node()
    asked = queries(deployed())
    assert len(asked) >= 15
    found = kql.problems(list(asked.values()))
    assert {name: problems for name, problems in zip(asked, found, strict=True) if problems} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"), [("itemCount", "itemsCount"), ("resultCode", "statusCode"), ("requests", "request")]
)
def test_a_column_that_is_not_there_would_be_found(old: str, new: str) -> None:
    needs_node()
    query = next(query for query in queries(deployed()).values() if "requests" in query and "resultCode" in query)
    assert kql.problems([query.replace(old, new)]) != [[]]
