"""Reads {"schema": {table: {column: type}}, "rows": {table: [row]}, "queries": [text]} from stdin, writes the rows that
each query gives.

Runs in the environment that has duckdb-kql, which refuses what it does not translate.
"""

import json
import sys

import duckdb_kql

TYPES = {"string": "VARCHAR", "int": "INTEGER", "long": "BIGINT", "real": "DOUBLE", "bool": "BOOLEAN"}
FURTHER = {"datetime": "TIMESTAMP", "dynamic": "JSON"}

asked = json.load(sys.stdin)
connection = duckdb_kql.connect()
for table, columns in asked["schema"].items():
    declared = ", ".join(f'"{name}" {(TYPES | FURTHER)[kind]}' for name, kind in columns.items())
    connection.execute(f'CREATE TABLE "{table}" ({declared})')
    for row in asked["rows"].get(table, []):
        values = [json.dumps(row[name]) if kind == "dynamic" else row[name] for name, kind in columns.items()]
        connection.execute(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(values))})', values)
found = []
for query in asked["queries"]:
    relation = duckdb_kql.kql(connection, query)
    found.append([dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()])
json.dump(found, sys.stdout, default=str)
