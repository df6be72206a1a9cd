"""Alibaba Cloud Model Studio.

index        a base as a search index               response     the answers of Retrieve
sdk          Alibaba's package, loaded when it is first needed
"""
