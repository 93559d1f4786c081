"""What most programmes are made of: the lifts and moves a coach reaches for first, by their ids."""

from typing import Final

_NAMES: Final = """
barbell-back-squat barbell-front-squat goblet-squat leg-press bodyweight-squat deadlift
trap-bar-deadlift barbell-romanian-deadlift dumbbell-romanian-deadlift kettlebell-deadlift
kettlebell-swing barbell-hip-thrust dumbbell-hip-thrust glute-bridge single-leg-glute-bridge
reverse-lunge split-squat bulgarian-split-squat dumbbell-reverse-lunge
dumbbell-bulgarian-split-squat dumbbell-split-squat barbell-bench-press dumbbell-bench-press
incline-dumbbell-press incline-barbell-press machine-chest-press
band-chest-press push-up low-incline-push-up knee-push-up diamond-push-up decline-push-up dip
overhead-press dumbbell-shoulder-press seated-dumbbell-shoulder-press kettlebell-press pike-push-up
band-overhead-press barbell-row one-arm-dumbbell-row dumbbell-bent-over-row
chest-supported-dumbbell-row seated-cable-row machine-row standing-band-row horizontal-row
incline-row pull-up chin-up neutral-grip-pull-up weighted-pull-up lat-pulldown band-pulldown
band-assisted-pull-up lying-leg-curl seated-leg-curl sliding-leg-curl leg-extension hip-abduction-machine
machine-hip-thrust cable-fly pec-deck dumbbell-fly
cable-lateral-raise barbell-curl machine-standing-calf-raise lateral-raise face-pull band-face-pull
reverse-fly dumbbell-curl hammer-curl ez-bar-curl cable-curl band-curl cable-pushdown band-pushdown
overhead-dumbbell-triceps-extension plank side-plank dead-bug bird-dog pallof-press
hanging-knee-raise farmers-carry standing-calf-raise dumbbell-calf-raise
"""

STAPLES: Final = frozenset(_NAMES.split())
