import { Indicator, SegmentedControl, VisuallyHidden } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { answered, api } from "~/api/client";
import classes from "./train.module.css";
import { NAMES, sayIn, useTrainer, type Who } from "./useTrainer";
import { Suggestions } from "./Suggestions";
import { useFinished } from "./ticks";
import { useWorkout, WorkoutCard } from "./WorkoutCard";

const Celebration = lazy(() => import("./Celebration").then((module) => ({ default: module.Celebration })));
const Welcome = lazy(() => import("./Welcome").then((module) => ({ default: module.Welcome })));
const Chat = lazy(() => import("./Chat").then((module) => ({ default: module.Chat })));

const PLACE = "spotter.talks-with";

function keptChoice(): Who | null {
  try {
    const kept = localStorage.getItem(PLACE);
    return kept === "coach" || kept === "trainer" ? kept : null;
  } catch {
    return null;
  }
}

/** Who is talked to: as chosen last, else whoever the workout on the table is from. */
function useWho(owner: string | null): [Who, (who: Who) => void, Who] {
  const [chosen, setChosen] = useState<Who | null>(keptChoice);
  const session = useQuery({
    queryKey: ["session", owner],
    queryFn: () =>
      answered(api.GET("/api/sessions/{session_id}", { params: { path: { session_id: owner ?? "" } } })),
    enabled: owner !== null,
    staleTime: Infinity,
  });
  const makers: Who = session.data?.scenario === "coach" ? "coach" : "trainer";
  const choose = (who: Who) => {
    setChosen(who);
    try {
      localStorage.setItem(PLACE, who);
    } catch {
      // Then it holds for this visit.
    }
  };
  return [chosen ?? makers, choose, makers];
}

export function TrainPage() {
  const queries = useQueryClient();
  const workout = useWorkout();
  const owner = workout.data?.session_id ?? null;
  const [who, choose, makers] = useWho(owner);
  const trainer = useTrainer(who);
  const { conversation } = trainer;
  const finished = useFinished();
  const [side, setSide] = useState<"workout" | "chat">("workout");
  const [seen, setSeen] = useState(0);
  const talk = (text: string) => {
    void trainer.say(text);
    if (workout.data?.workout === null || who === "coach") setSide("chat");
  };
  /** A wish about the workout goes to the one who made it. */
  const change = (text: string) => {
    if (owner === null || owner === trainer.sessionId) return talk(text);
    choose(makers);
    void sayIn(makers, owner, text).then(() => queries.invalidateQueries({ queryKey: [makers, "session"] }));
  };
  useEffect(() => {
    document.title = "Train · Spotter";
  }, []);
  if (trainer.problem !== null && conversation.entries.length === 0) throw trainer.problem;
  const said = conversation.entries.filter(
    (one) => one.kind === "agent" && Number(one.id) > trainer.openedAt,
  ).length;
  if (side === "chat" && seen !== said) setSeen(said);
  const suggestions = <Suggestions who={who} say={talk} />;
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
              { value: "chat", label: said > seen && side !== "chat" ? `${NAMES[who]} (new)` : NAMES[who] },
            ]}
          />
        </Indicator>
      </div>
      <div data-hidden={side === "chat" || undefined}>
        <WorkoutCard say={change} working={conversation.working} suggestions={suggestions} />
      </div>
      <div className={classes.side} data-hidden={side === "workout" || undefined}>
        <Suspense fallback={<section className={`surface ${classes.chat}`} aria-busy="true" />}>
          <Chat trainer={trainer} suggestions={suggestions} choose={choose} />
        </Suspense>
      </div>
      <Suspense fallback={null}>
        {finished !== null ? <Celebration finished={finished} /> : null}
        {who === "trainer" && trainer.ready && trainer.sessionId === null ? <Welcome say={talk} /> : null}
      </Suspense>
    </div>
  );
}
