import { Indicator, SegmentedControl, VisuallyHidden } from "@mantine/core";
import { lazy, Suspense, useEffect, useState } from "react";
import classes from "./train.module.css";
import { useTrainer } from "./useTrainer";
import { Suggestions } from "./Suggestions";
import { useFinished } from "./ticks";
import { useWorkout, WorkoutCard } from "./WorkoutCard";

const Celebration = lazy(() => import("./Celebration").then((module) => ({ default: module.Celebration })));
const Welcome = lazy(() => import("./Welcome").then((module) => ({ default: module.Welcome })));
const Chat = lazy(() => import("./Chat").then((module) => ({ default: module.Chat })));

export function TrainPage() {
  const trainer = useTrainer();
  const { conversation } = trainer;
  const workout = useWorkout();
  const finished = useFinished();
  const [side, setSide] = useState<"workout" | "chat">("workout");
  const [seen, setSeen] = useState(0);
  const talk = (text: string) => {
    void trainer.say(text);
    if (workout.data?.workout === null) setSide("chat");
  };
  useEffect(() => {
    document.title = "Train · Spotter";
  }, []);
  if (trainer.problem !== null && conversation.entries.length === 0) throw trainer.problem;
  const said = conversation.entries.filter(
    (one) => one.kind === "agent" && Number(one.id) > trainer.openedAt,
  ).length;
  if (side === "chat" && seen !== said) setSeen(said);
  const suggestions = <Suggestions say={talk} />;
  return (
    <div className={classes.page}>
      <VisuallyHidden>
        <h1>Train</h1>
      </VisuallyHidden>
      <div className={classes.switch}>
        <Indicator
          disabled={side === "chat" || said <= seen}
          offset={8}
          position="top-end"
          w="100%"
          zIndex={2}
        >
          <SegmentedControl
            fullWidth
            aria-label="What to show"
            value={side}
            onChange={(value) => setSide(value as "workout" | "chat")}
            data={[
              { value: "workout", label: "Workout" },
              { value: "chat", label: said > seen && side !== "chat" ? "Trainer (new)" : "Trainer" },
            ]}
          />
        </Indicator>
      </div>
      <div data-hidden={side === "chat" || undefined}>
        <WorkoutCard say={talk} working={conversation.working} suggestions={suggestions} />
      </div>
      <div className={classes.side} data-hidden={side === "workout" || undefined}>
        <Suspense fallback={<section className={`surface ${classes.chat}`} aria-busy="true" />}>
          <Chat trainer={trainer} suggestions={suggestions} />
        </Suspense>
      </div>
      <Suspense fallback={null}>
        {finished !== null ? <Celebration finished={finished} /> : null}
        {trainer.ready && trainer.sessionId === null ? <Welcome say={talk} /> : null}
      </Suspense>
    </div>
  );
}
