"""What the files of a working environment may hold, as far as this project uses it.

Sources: https://containers.dev/implementors/json_schema/, https://code.visualstudio.com/docs/reference/tasks-appendix,
https://code.visualstudio.com/docs/debugtest/debugging-configuration and, for debugpy's own members,
https://code.visualstudio.com/docs/python/debugging.
"""

from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

TEXT: Final[Schema] = {"type": "string", "minLength": 1}
TEXTS: Final[Schema] = {"type": "array", "items": TEXT}
EXTENSIONS: Final[Schema] = {
    "type": "array",
    "items": {"type": "string", "pattern": r"^[A-Za-z0-9-]+\.[A-Za-z0-9-]+$"},
    "uniqueItems": True,
}


def record(members: Schema, *required: str) -> Schema:
    """An object of these members and no others."""
    return {"type": "object", "properties": members, "required": list(required), "additionalProperties": False}


DEV_CONTAINER: Final = record(
    {
        "name": TEXT,
        "image": {"type": "string", "pattern": r"^[a-z0-9.-]+(/[a-z0-9.-]+)+:[A-Za-z0-9.-]+$"},
        "features": {
            "type": "object",
            "patternProperties": {r"^ghcr\.io/[a-z0-9-]+/[a-z0-9-]+/[a-z0-9-]+:[a-z0-9.]+$": {"type": "object"}},
            "additionalProperties": False,
        },
        "forwardPorts": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 65_535}},
        "portsAttributes": {
            "type": "object",
            "patternProperties": {
                r"^\d+$": record(
                    {
                        "label": TEXT,
                        "onAutoForward": {
                            "enum": ["notify", "openBrowser", "openBrowserOnce", "openPreview", "silent", "ignore"]
                        },
                    }
                )
            },
            "additionalProperties": False,
        },
        "onCreateCommand": TEXT,
        "postCreateCommand": TEXT,
        "customizations": record({"vscode": record({"extensions": EXTENSIONS})}),
    },
    "name",
    "image",
)

RECOMMENDATIONS: Final = record({"recommendations": EXTENSIONS}, "recommendations")

SETTINGS: Final = record(
    {
        "azureFunctions.projectLanguage": {"const": "Python"},
        "azureFunctions.projectLanguageModel": {"const": 2},
        "azureFunctions.projectRuntime": {"const": "~4"},
        "azureFunctions.pythonVenv": TEXT,
        "azureFunctions.scmDoBuildDuringDeployment": {"type": "boolean"},
        "azureFunctions.showProjectWarning": {"type": "boolean"},
        "python.testing.pytestEnabled": {"type": "boolean"},
        "python.testing.pytestArgs": TEXTS,
        "[python]": record({"editor.defaultFormatter": TEXT, "editor.formatOnSave": {"type": "boolean"}}),
    }
)

_GROUP: Final[Schema] = {
    "oneOf": [
        {"enum": ["build", "test"]},
        record({"kind": {"enum": ["build", "test"]}, "isDefault": {"type": "boolean"}}, "kind"),
    ]
}
_SHELL: Final = record({"command": TEXT, "options": record({"shell": record({"executable": TEXT}, "executable")})})
_TASK: Final = record(
    {
        "label": TEXT,
        "detail": TEXT,
        "type": {"enum": ["shell", "process", "func"]},
        "command": TEXT,
        "windows": _SHELL,
        "problemMatcher": {"oneOf": [{"type": "string", "pattern": r"^\$"}, {"type": "array"}]},
        "isBackground": {"type": "boolean"},
        "dependsOn": TEXT,
        "group": _GROUP,
    },
    "label",
    "type",
    "command",
)
TASKS: Final = record({"version": {"const": "2.0.0"}, "tasks": {"type": "array", "items": _TASK}}, "version", "tasks")

_USUAL: Final[Schema] = {
    "name": TEXT,
    "type": {"const": "debugpy"},
    "preLaunchTask": TEXT,
    "justMyCode": {"type": "boolean"},
}
_LAUNCH: Final = record(
    {
        **_USUAL,
        "request": {"const": "launch"},
        "module": TEXT,
        "args": TEXTS,
        "console": {"enum": ["internalConsole", "integratedTerminal", "externalTerminal"]},
    },
    "name",
    "type",
    "request",
    "module",
)
_ATTACH: Final = record(
    {**_USUAL, "request": {"const": "attach"}, "connect": record({"host": TEXT, "port": {"type": "integer"}}, "port")},
    "name",
    "type",
    "request",
    "connect",
)
_INPUT: Final = record(
    {"id": TEXT, "type": {"const": "promptString"}, "description": TEXT, "default": TEXT}, "id", "type", "description"
)
LAUNCH: Final = record(
    {
        "version": {"const": "0.2.0"},
        "configurations": {"type": "array", "items": {"oneOf": [_LAUNCH, _ATTACH]}},
        "inputs": {"type": "array", "items": _INPUT},
    },
    "version",
    "configurations",
)
