"""How an agent thinks: one loop over the log, tools with exactly-once effects, a context that only grows.

`turns.py` is the way in: it opens a turn, runs the loop as a task of its own, and takes over turns whose process
died. Everybody else (HTTP, jobs, other protocols) only watches the log.
"""
