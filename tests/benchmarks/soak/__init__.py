"""Ten thousand requests by 64 callers while a fifth of everything behind the service fails, in all ways at once.

python -m tests.benchmarks.soak [--requests N] [--write]
"""
