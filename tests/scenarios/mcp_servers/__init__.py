"""Bases with MCP servers, over HTTP: definitions, calls, failures, and requests that try to get out."""
