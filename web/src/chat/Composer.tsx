import { ActionIcon, Textarea, Tooltip } from "@mantine/core";
import { IconPlayerStopFilled, IconSend2 } from "@tabler/icons-react";
import { forwardRef, useEffect, useState } from "react";
import classes from "./chat.module.css";

export const Composer = forwardRef<
  HTMLTextAreaElement,
  {
    running: boolean;
    asked: boolean;
    to: string;
    onSay: (text: string) => void;
    onStop: () => void;
  }
>(function Composer({ running, asked, to, onSay, onStop }, box) {
  const [text, setText] = useState("");
  /** Sent while an answer is still coming, or the page is still loading: it is said when that is over. */
  const [waits, setWaits] = useState(false);
  const send = () => {
    const said = text.trim();
    if (said === "") return;
    setWaits(running);
    if (running) return;
    onSay(said);
    setText("");
  };
  useEffect(() => {
    if (waits && !running) send();
  });
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        ref={box}
        size="md"
        aria-label={`Message to ${to}`}
        placeholder={asked ? "Your answer" : `Message ${to}`}
        description={
          waits
            ? "It is sent when the answer is over."
            : "Enter sends, Shift and Enter makes a new line, Escape stops."
        }
        descriptionProps={{ className: classes.hint, size: "sm" }}
        inputWrapperOrder={["input", "description"]}
        autosize
        minRows={1}
        maxRows={8}
        flex={1}
        maxLength={32000}
        value={text}
        onChange={(event) => {
          setWaits(false);
          setText(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            send();
          }
        }}
      />
      {running ? (
        <Tooltip label="Stop (Escape)">
          <ActionIcon size={42} variant="light" aria-label="Stop" onClick={onStop}>
            <IconPlayerStopFilled size={18} />
          </ActionIcon>
        </Tooltip>
      ) : (
        <ActionIcon size={42} type="submit" aria-label="Send" disabled={text.trim() === ""}>
          <IconSend2 size={19} />
        </ActionIcon>
      )}
    </form>
  );
});
