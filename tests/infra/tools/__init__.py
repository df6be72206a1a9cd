"""Scripts that run in the environment that has the parser and the management models; never imported by a test."""
