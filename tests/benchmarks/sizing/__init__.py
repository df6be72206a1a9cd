"""What a load takes of everything: instances, search units, calls of a model, time, dollars; and what ends first.

`figures` are what others publish, `load` what one retrieve takes here. `size` and `queues` are pure, so that the tables
of docs/operating/sizing.md follow from the numbers that stand in it; `measured` gets those of this machine.
"""
