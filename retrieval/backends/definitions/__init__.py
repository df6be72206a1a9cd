"""Definitions, kept: one contract, three stores, and a cache before them.

memory  file  table      the stores                 seeded     a store with what is configured in it
document                 a definition as JSON text  entries    what a file keeps, readable or not
binding                  the source of a target     implied    agents and sources, kept together
cache                    lookups that ask seldom    first_look a process's first reading of its stores
"""
