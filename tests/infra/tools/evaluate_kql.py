"""Answers each line of stdin, {"schema": {table: {column: type}}, "rows": {table: [row]}, "queries": [text]}, with a
line: {"found": the rows that each query gives}, or {"error": why there are none}.

Runs in the environment that has duckdb-kql, which refuses what it does not translate.
"""

import json
import sys
import traceback
from typing import Any

import duckdb_kql

TYPES = {"string": "VARCHAR", "int": "INTEGER", "long": "BIGINT", "real": "DOUBLE", "bool": "BOOLEAN"}
FURTHER = {"datetime": "TIMESTAMP", "dynamic": "JSON"}


def answered(asked: Any) -> list[list[dict[str, Any]]]:
    with duckdb_kql.connect() as connection:
        for table, columns in asked["schema"].items():
            fill(connection, table, columns, asked["rows"].get(table, []))
        relations = (duckdb_kql.kql(connection, query) for query in asked["queries"])
        return [[dict(zip(one.columns, row, strict=True)) for row in one.fetchall()] for one in relations]


def fill(connection: Any, table: str, columns: dict[str, str], rows: list[dict[str, Any]]) -> None:
    declared = ", ".join(f'"{name}" {(TYPES | FURTHER)[kind]}' for name, kind in columns.items())
    connection.execute(f'CREATE TABLE "{table}" ({declared})')
    for row in rows:
        values = [json.dumps(row[name]) if kind == "dynamic" else row[name] for name, kind in columns.items()]
        connection.execute(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(values))})', values)


for line in sys.stdin:
    try:
        reply: dict[str, Any] = {"found": answered(json.loads(line))}
    except Exception:
        reply = {"error": traceback.format_exc()}
    print(json.dumps(reply, default=str), flush=True)
