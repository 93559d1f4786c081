"""Work nobody waits for: what a job is, the worker that runs them, the rescue of abandoned ones, retention.

A job's effect and its receipt commit in one transaction, so a job that was interrupted anywhere can simply be
run again. Jobs are registered in `jobs.py` and nowhere else.
"""
