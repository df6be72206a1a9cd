"""Alibaba's own SDKs against Model Studio's Retrieve."""
