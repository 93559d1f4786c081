import { Button, Loader } from "@mantine/core";
import { lookNow, useConnection } from "~/api/connection";
import classes from "./Shell.module.css";

export function ServerAway() {
  const connection = useConnection();
  return (
    <div role="status" aria-live="polite">
      {connection === "away" ? (
        <div className={classes.away}>
          <Loader size={14} color="white" />
          <span>Spotter cannot be reached. What you do here is kept and sent when it is back.</span>
          <Button size="compact-xs" variant="white" color="dark" onClick={lookNow}>
            Try now
          </Button>
        </div>
      ) : null}
    </div>
  );
}
