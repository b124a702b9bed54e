"""The kinds of path sets that expressions are made of: a module each, found by looking here.

A module declares ``PATH_SET``, a `tvlb.paths.ExpressionSet`. The parser, the schemas of requests,
help and messages read what is declared.
"""
