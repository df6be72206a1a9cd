"""Makes the environments that tests run other programs in, all at the same time.

    python -m tests.prepare          what `make test` needs
    python -m tests.prepare --all    what `make test-all` needs

Each is made once and kept under `.cache/`. What cannot be made is said, and the tests that need it say it again: they
are skipped, or fail where CI=true.
"""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias, get_args

from tests import third_parties as made
from tests.environments import NoEnvironment

Make: TypeAlias = Callable[[], Path]

OFTEN: Final[Sequence[Make]] = (
    made.bicep_tools,
    made.microsoft_client,
    lambda: made.knowledge_client("11.7.0b1"),
    lambda: made.knowledge_client("12.1.0b2"),
    lambda: made.alibaba_client("2.14.5"),
    made.mcp_client,
    made.worker,
    made.worker_alone,
    made.azurite,
    made.actionlint,
    made.kusto,
    made.duckdb_kql,
    made.markdown_renderers,
    made.minilm,
)
"""What `make test` runs."""

SELDOM: Final[Sequence[Make]] = (
    made.checkov,
    *(partial(made.search_tests, version) for version in made.KNOWLEDGE_CONFORMANCE),
    lambda: made.knowledge_client("11.7.0b2"),
    lambda: made.knowledge_client("12.0.0"),
    lambda: made.knowledge_client("12.1.0b1"),
    *(partial(made.knowledge_client_in_process, version) for version in get_args(made.KnowledgeClient)),
    *(partial(made.knowledge_client_for_node, version) for version in get_args(made.KnowledgeClientForNode)),
    made.microsoft_client_in_process,
    lambda: made.search_client("11.6.0"),
    lambda: made.search_client("12.1.0b2"),
    made.semantic_kernel,
    lambda: made.alibaba_client("1.11.2"),
    made.alibaba_client_for_node,
    made.alibaba_client_for_java,
    made.mcp_clients_for_node,
    made.mcp_servers_for_node,
    made.mcp_servers_for_python,
    made.smolagents,
    made.worker_of_core_tools,
    made.bill_checker,
    made.openapi_tools,
    made.go_generator,
    made.bare_python,
    made.browser,
    lambda: made.language_model("smallest"),
    lambda: made.language_model("usual"),
    made.schema_checker,
    *(partial(made.recipe, file) for file in made.RECIPES),
    made.mcp_remote,
    *(partial(made.peer, name) for name in made.PEERS),
)
"""What `make test-all` runs besides."""

AT_ONCE: Final = 4
"""Of two cores; installing waits for the network half of the time."""


def failure(make: Make) -> str | None:
    """Why the environment cannot be made; None when it is there."""
    try:
        make()
    except NoEnvironment as reason:
        return str(reason)
    return None


def main(arguments: Sequence[str]) -> int:
    wanted = (*OFTEN, *SELDOM) if "--all" in arguments else OFTEN
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for said in filter(None, pool.map(failure, wanted)):
            print(said)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
