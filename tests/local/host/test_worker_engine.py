"""The same app in the code that Azure runs: azure-functions-runtime on Python 3.13, over loopback."""

import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

from tests.conftest import KEY, RETRIEVE, Post, ask
from tests.environments import needs
from tests.running import served
from tests.test_readme import without_times
from tests.third_parties import AZURE_PYTHON, worker


def exchange(address: str, body: object) -> tuple[int, bytes]:
    connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
    connection.request("POST", RETRIEVE, json.dumps(body), {"api-key": KEY, "content-type": "application/json"})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, content


async def test_the_worker_code_gives_the_same_answers(post: Post) -> None:
    needs(AZURE_PYTHON)
    python = worker()
    asked = ask("Why is the street grid of Phoenix visible?", filterAddOn="page_number eq '105'")
    with served(python, program="tests.local.host.serve_in_worker") as address:
        status, content = exchange(address, asked)
        refused = exchange(address, [])
    assert status == 200
    assert without_times(content.decode()) == without_times((await post(asked)).body.decode())
    assert refused == (400, (await post([])).body)
