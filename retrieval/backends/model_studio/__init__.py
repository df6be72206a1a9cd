"""Alibaba Cloud Model Studio.

index     a base as a search index     request   a call of Retrieve, signed     response   its answers
"""
