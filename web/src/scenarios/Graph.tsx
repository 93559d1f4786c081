import { VisuallyHidden } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useId } from "react";
import { inWords, picture, type Box, type Way } from "./layout";
import classes from "./scenarios.module.css";

/** Who takes part and who hands over to whom. The same is said in words for those who do not see it. */
export function Graph(props: { boxes: Box[]; ways: Way[]; title: string }) {
  const { ref, width } = useElementSize();
  const id = useId();
  const drawn = picture(props.boxes, props.ways, Math.max(240, width));
  return (
    <div ref={ref} className={classes.graph}>
      <VisuallyHidden>
        <ul aria-label={props.title}>
          {inWords(props.boxes, props.ways).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </VisuallyHidden>
      {width > 0 ? (
        <svg width={drawn.width} height={drawn.height} aria-hidden data-testid="graph">
          <defs>
            <marker
              id={`${id}-head`}
              viewBox="0 0 10 10"
              refX="8"
              refY="5"
              markerWidth="5.5"
              markerHeight="5.5"
              orient="auto-start-reverse"
            >
              <path d="M0 0 L10 5 L0 10 z" className={classes.arrowHead} />
            </marker>
          </defs>
          {drawn.arrows.map((arrow) => (
            <path
              key={`${arrow.from} ${arrow.to}`}
              d={arrow.path}
              className={classes.arrow}
              markerEnd={`url(#${id}-head)`}
              markerStart={arrow.both ? `url(#${id}-head)` : undefined}
            />
          ))}
          {drawn.boxes.map((box) => (
            <foreignObject key={box.id} x={box.x} y={box.y} width={drawn.boxWidth} height={drawn.boxHeight}>
              <div className={classes.box} data-first={box.first || undefined} title={box.note}>
                <span className={classes.boxName}>{box.label}</span>
                <span className={classes.boxNote}>{box.note}</span>
              </div>
            </foreignObject>
          ))}
        </svg>
      ) : null}
    </div>
  );
}
