"""The recipes of docs/calling/recipes: the page links each, and each runs against `make run`."""
