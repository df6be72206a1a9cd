"""The queries of alerts, of the workbook and of the pages: read by Kusto's own language service against the tables that
this service fills, and answered over rows by DuckDB.

Columns: https://learn.microsoft.com/azure/azure-monitor/reference/tables-index, those that are read here.
"""

import atexit
import json
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from tests import third_parties

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Mapping[str, Sequence[Row]]
Table: TypeAlias = Mapping[str, str]

TOOLS: Final = Path(__file__).parent / "tools"
_ALL: Final[Table] = {"TimeGenerated": "datetime", "_ResourceId": "string"}

WORKSPACE: Final[Mapping[str, Table]] = {
    "AppRequests": {
        **_ALL, "Name": "string", "ResultCode": "string", "Success": "bool", "DurationMs": "real", "ItemCount": "int",
        "OperationId": "string", "Properties": "dynamic",
    },
    "AppMetrics": {
        **_ALL, "Name": "string", "Sum": "real", "Min": "real", "Max": "real", "ItemCount": "int",
        "Properties": "dynamic",
    },
    "AppDependencies": {
        **_ALL, "Id": "string", "Name": "string", "Success": "bool", "DurationMs": "real", "ItemCount": "int",
        "Target": "string", "OperationId": "string", "Properties": "dynamic",
    },
    "AppTraces": {**_ALL, "Message": "string", "SeverityLevel": "int", "ItemCount": "int", "Properties": "dynamic"},
    "Usage": {"TimeGenerated": "datetime", "DataType": "string", "Quantity": "real", "IsBillable": "bool"},
}  # fmt: skip
"""As alerts and the runbook name them, in the workspace."""

_INSIGHTS: Final[Table] = {
    "timestamp": "datetime", "name": "string", "itemCount": "int", "customDimensions": "dynamic", "success": "bool",
    "duration": "real", "operation_Id": "string", "id": "string",
}  # fmt: skip
INSIGHTS: Final[Mapping[str, Table]] = {
    "requests": {**_INSIGHTS, "resultCode": "string"},
    "dependencies": {**_INSIGHTS, "target": "string"},
    "customMetrics": {**_INSIGHTS, "valueSum": "real", "valueCount": "int"},
    "traces": {**_INSIGHTS, "message": "string", "severityLevel": "int"},
    "exceptions": {**_INSIGHTS, "outerMessage": "string", "severityLevel": "int"},
}
"""As the workbook and docs/telemetry.md name them, in Application Insights."""

SCHEMA: Final = {**WORKSPACE, **INSIGHTS}


def problems(queries: Sequence[str]) -> list[list[str]]:
    """What the language service finds wrong with each."""
    schema = {table: f"({', '.join(f'{n}: {t}' for n, t in columns.items())})" for table, columns in SCHEMA.items()}
    folder = third_parties.kusto() / "node_modules" / "@kusto" / "language-service-next"
    command: list[str | Path] = ["node", TOOLS / "kql.mjs", folder]
    found: list[list[str]] = _said(command, {"schema": schema, "queries": queries})
    return found


def answers(queries: Sequence[str], rows: Rows) -> list[list[dict[str, Any]]]:
    """The rows that each query gives over these; a column that a row does not have is null."""
    whole = {table: [{**dict.fromkeys(SCHEMA[table]), **row} for row in each] for table, each in rows.items()}
    asked = {"schema": WORKSPACE, "rows": whole, "queries": queries}
    process = _evaluator()
    assert process.stdin is not None and process.stdout is not None
    print(json.dumps(asked), file=process.stdin, flush=True)
    reply = json.loads(process.stdout.readline())
    assert "error" not in reply, reply["error"][-2_000:]
    found: list[list[dict[str, Any]]] = reply["found"]
    return found


@cache
def _evaluator() -> subprocess.Popen[str]:
    """It stays until this process ends: to start it takes longer than to answer."""
    command = [third_parties.duckdb_kql(), TOOLS / "evaluate_kql.py"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


def _said(command: Sequence[str | Path], asked: object) -> Any:
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return json.loads(done.stdout)
