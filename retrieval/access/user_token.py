"""The token of the user on whose behalf a caller asks, and which agents need one."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from retrieval.errors import BadRequest, NotAuthorized
from retrieval.model.definitions import Agent

USER_TOKEN: Final = "x-ms-query-source-authorization"
LONGEST_USER_TOKEN: Final = 65_536

_USER_TOKEN: Final = re.compile(r"[\x20-\x7e]+")


def user_token_of(headers: Mapping[str, str], agent: Agent, *, needed_by: Collection[str]) -> str | None:
    """The token of the user. `headers` has lower-case names. Raises NotAuthorized where the agent needs one.

    `needed_by` are the names, in lower case, of the agents that do; `*` stands for all.
    """
    token = headers.get(USER_TOKEN, "").strip()
    if not token:
        if not {"*", agent.name.lower()}.isdisjoint(needed_by):
            raise NotAuthorized(f"The agent {agent.name!r} answers only calls that bring {USER_TOKEN}.")
        return None
    if len(token) > LONGEST_USER_TOKEN or not _USER_TOKEN.fullmatch(token):
        raise BadRequest(f"The header {USER_TOKEN} is not a token.", target=USER_TOKEN)
    return token
