"""The first call of every route in this process, and how long each held the loop: JSON, seconds by the route's name."""

import json
import os
import tempfile
from pathlib import Path

from tests.scenarios.hostile.deployment import deployed
from tests.scenarios.hostile.test_held import FIRST, usual

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, deployed(Path(folder), os.environ.__setitem__) as deployment:
        usual(deployment)
        print(json.dumps({route: deployment.held(sent).loop for route, sent in FIRST.items()}))
