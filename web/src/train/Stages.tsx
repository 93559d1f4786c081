import classes from "./train.module.css";

const STAGES = [
  { id: "intake", label: "You" },
  { id: "planning", label: "Plan" },
  { id: "workout", label: "Workout" },
  { id: "logging", label: "Log" },
  { id: "complete", label: "Done" },
];

/** Where a coach's session stands. A plain trainer has no stages, and then there is nothing to show. */
export function Stages({ stage }: { stage: string | null }) {
  const reached = STAGES.findIndex((one) => one.id === stage);
  if (reached < 0) return null;
  return (
    <ol className={classes.stages} aria-label="Stage" style={{ listStyle: "none", margin: 0 }}>
      {STAGES.map((one, place) => (
        <li
          key={one.id}
          className={classes.stage}
          data-reached={place <= reached || undefined}
          aria-current={place === reached ? "step" : undefined}
        >
          {one.label}
        </li>
      ))}
    </ol>
  );
}
