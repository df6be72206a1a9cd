"""A function app whose answers are events, made by the skeleton that the product's routes go through."""

KEY = "events-key"
