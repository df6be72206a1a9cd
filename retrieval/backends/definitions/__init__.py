"""Definitions, kept: one contract, three stores, and a cache before them.

memory  file  table      the stores                 cache      lookups that ask a store seldom
document                 a definition as JSON text  entries    what a store keeps, readable or not
implied                  sources that agents imply  first_look a process's first look at its stores
"""
