import { ActionIcon, Button, Group, Text } from "@mantine/core";
import { IconPlayerSkipForward } from "@tabler/icons-react";
import { useCallback } from "react";
import classes from "./train.module.css";
import { clock, extendTimer, ring, setTimer, useLeft, useTimer, type Timer } from "./timer";

/** Rest after a set, or the time of a hold. Tells by sound and vibration that it is over. */
export function TimerBar(props: { onWorkDone: (timer: Timer) => void; onRestDone: (timer: Timer) => void }) {
  const { onWorkDone, onRestDone } = props;
  const timer = useTimer();
  const ended = useCallback(
    (over: Timer) => {
      setTimer(null);
      ring(over.kind === "rest" ? 2 : 3);
      if (over.kind === "work") onWorkDone(over);
      else onRestDone(over);
    },
    [onWorkDone, onRestDone],
  );
  const left = useLeft(timer, ended);
  if (timer === null) return null;
  const part = Math.min(1, Math.max(0, left / timer.seconds));
  const work = timer.kind === "work";
  return (
    <div
      className={classes.timer}
      role="timer"
      aria-label={work ? `${timer.label}, hold` : "Rest"}
      data-work={work || undefined}
    >
      <svg viewBox="0 0 44 44" width="48" height="48" aria-hidden="true">
        <circle
          cx="22"
          cy="22"
          r="19"
          fill="none"
          stroke="currentColor"
          strokeOpacity="0.2"
          strokeWidth="4"
        />
        <circle
          cx="22"
          cy="22"
          r="19"
          fill="none"
          stroke="currentColor"
          strokeWidth="4"
          strokeLinecap="round"
          strokeDasharray={`${part * 119.4} 119.4`}
          transform="rotate(-90 22 22)"
        />
      </svg>
      <div className={classes.timerText}>
        <Text component="div" fz={26} fw={700} lh={1} className="tabular">
          {clock(left)}
        </Text>
        <Text component="div" size="xs" truncate>
          {work ? timer.label : `Rest, then set ${timer.setNumber}`}
        </Text>
      </div>
      <Group gap={6} wrap="nowrap">
        {work ? null : (
          <Button size="compact-md" variant="white" color="dark" onClick={() => extendTimer(15)}>
            +15 s
          </Button>
        )}
        <ActionIcon
          size={40}
          variant="white"
          color="dark"
          aria-label={work ? "Stop the timer" : "Skip the rest"}
          onClick={() => setTimer(null)}
        >
          <IconPlayerSkipForward size={18} />
        </ActionIcon>
      </Group>
    </div>
  );
}
