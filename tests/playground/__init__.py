"""Tests of `retrieval/playground`: its files as they are served, and the page in a browser (slow)."""
