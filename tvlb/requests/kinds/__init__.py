"""The kinds of requests; every module declares one, as `KIND`."""
