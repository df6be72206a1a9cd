"""Tests of `retrieval/backends/model_studio`."""
