"""What was said and done: the log of events, the lease on a turn, and what can be read off them.

The log is the only record. Messages, transcripts, costs and open questions are folds over it; a turn that was
cut off anywhere is continued from it.
"""
