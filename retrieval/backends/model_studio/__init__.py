"""Alibaba Cloud Model Studio.

index        a base as a search index               response     what Retrieve answers
sdk          Alibaba's package, loaded when it is first needed
"""
