"""The kinds of requests; every module, named by its command, declares one as `KIND`.

Other packages have theirs at entry points, named by their commands.
"""
