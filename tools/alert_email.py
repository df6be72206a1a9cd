"""Asks for the address that alerts are mailed to, if they would reach nobody. A hook of azure.yaml runs it before azd
provisions:

    python3 -m tools.alert_email "$ALERT_EMAIL$ALERT_ACTION_GROUP_ID"

Without a terminal nobody is asked. It needs nothing but Python.
"""

import subprocess
import sys
from typing import Final

QUESTION: Final = "Address that alerts are mailed to (ALERT_EMAIL; Enter for nobody): "
NOBODY: Final = (
    "Alerts will reach nobody: azd env set ALERT_EMAIL <address>, or ALERT_ACTION_GROUP_ID, then azd provision."
)


def main(told: str) -> None:
    """Ask, and keep the answer in azd's environment, unless somebody is `told` already."""
    if told:
        return
    address = _answer() if sys.stdin.isatty() else ""
    if "@" not in address.strip("@"):
        print(NOBODY)
        return
    subprocess.run(["azd", "env", "set", "ALERT_EMAIL", "--", address], check=False)


def _answer() -> str:
    try:
        return input(QUESTION).strip()
    except EOFError:
        return ""


if __name__ == "__main__":
    main("".join(sys.argv[1:]))
