"""The recipes of docs/recipes: the page shows each as it is, and each runs against `make run`."""
