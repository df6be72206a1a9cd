"""This service beside its peers, in one run: `make bench-peers`.

Every peer does the same work in its own way, by its own components: one planning call, five searches of 50 documents,
one merged list. Behind all of them is one scripted upstream. A peer is a program that runs in an environment of its
own (`environments.py`), with `measure.py` beside it: `python floor.py ADDRESS MEASURE` prints one line of JSON.
"""
