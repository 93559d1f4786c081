import { BACK, FRONT, label, OUTLINE } from "./body";
import classes from "./progress.module.css";

/** How much each muscle got, on a body: the fuller the colour, the nearer to the week's target. */
export function BodyMap({ sets, target }: { sets: Record<string, number>; target: number }) {
  const trained = Object.entries(sets)
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([muscle, count]) => `${label(muscle)} ${count}`)
    .join(", ");
  return (
    <div
      className={classes.bodies}
      role="img"
      aria-label={`Sets this week by muscle: ${trained || "none yet"}`}
    >
      <Side shapes={FRONT} sets={sets} target={target} name="Front" />
      <Side shapes={BACK} sets={sets} target={target} name="Back" />
    </div>
  );
}

function Side(props: { shapes: typeof FRONT; sets: Record<string, number>; target: number; name: string }) {
  const half = (
    <>
      <path d={OUTLINE} className={classes.outline} />
      {props.shapes.map(({ muscle, path }) => {
        const part = Math.min(1, (props.sets[muscle] ?? 0) / props.target);
        return (
          <path
            key={path}
            d={path}
            className={classes.muscle}
            fillOpacity={part === 0 ? 0 : 0.2 + part * 0.8}
            data-muscle={muscle}
          >
            <title>{`${label(muscle)}: ${props.sets[muscle] ?? 0} sets`}</title>
          </path>
        );
      })}
    </>
  );
  return (
    <figure className={classes.side}>
      <svg viewBox="14 0 92 248" aria-hidden="true">
        <g>{half}</g>
        <g transform="translate(120 0) scale(-1 1)">{half}</g>
      </svg>
      <figcaption>{props.name}</figcaption>
    </figure>
  );
}
