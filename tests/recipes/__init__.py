"""The recipes of docs/calling/recipes: the page shows each as it is, and each runs against `make run`."""
