"""Benchmarks: `make bench` runs them all, `python -m tests.benchmarks.wall` one of them; each prints its ratios.

Each has a process of its own, and so has the scripted Azure behind it. They report and do not judge: a target that was
missed is marked, and the exit code stays 0.
"""
