"""What the coach's four agents can do: the questions before, the plan, the workout set by set, and what it earned.

Each asks `scenarios.coach` whether it may be done where the visit stands now. What a model says of somebody's health
decides nothing: only what that person confirmed does.
"""

from spotter.tools.coach import finishing, intake, leading, planning, visiting

TOOLS = (*visiting.TOOLS, *intake.TOOLS, *planning.TOOLS, *leading.TOOLS, *finishing.TOOLS)
