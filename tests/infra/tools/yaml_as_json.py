"""Reads YAML from stdin, writes it as JSON to stdout; a duplicate key is an error, as it is for those who read it."""

import json
import sys
from typing import Any

import yaml


class Strict(yaml.SafeLoader):  # type: ignore[misc]
    """YAML 1.2 where it matters: `on` is a key of workflows, not a boolean."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        if len(keys) != len(set(keys)):
            raise ValueError(f"a duplicate key among {keys}")
        return dict(super().construct_mapping(node, deep))


Strict.yaml_implicit_resolvers = {
    letter: [(tag, form) for tag, form in forms if tag != "tag:yaml.org,2002:bool" or letter in "tTfF"]
    for letter, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


if __name__ == "__main__":
    json.dump(yaml.load(sys.stdin, Strict), sys.stdout)
