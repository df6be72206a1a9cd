"""Indexes that change while the service runs, aliases, and fields within complex fields."""
