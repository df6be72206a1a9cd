"""Drives the page in a browser and prints what it saw, as one JSON object.

Runs in an environment of its own with Playwright: `python -m tests.playground.drive BROWSER SCENARIO ADDRESS FOLDER`,
and the scenario's own words as JSON. Screenshots go into the folder. What a service cannot be made to do
is answered in its name (`Page.route`): it is away, silent, or late.
"""

import json
import sys
from pathlib import Path

from tests.playground.states import STATES
from tests.playground.truths import TRUTHS

SCENARIOS = {one.__name__: one for one in (*TRUTHS, *STATES)}

if __name__ == "__main__":
    print(json.dumps(SCENARIOS[sys.argv[2]](sys.argv[3], Path(sys.argv[4]), **json.loads(sys.argv[5]))))
