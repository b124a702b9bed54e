"""The named traffic patterns: a module each, found by looking into this folder.

A module declares ``PATTERN``, a `tvlb.traffic.NamedPattern`. The parser, the schemas of requests,
help and documents read what is declared.
"""
