"""Tests of `retrieval/text/languages`."""
