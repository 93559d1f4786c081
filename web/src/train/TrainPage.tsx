import { IconBarbell } from "@tabler/icons-react";
import { Empty, Page } from "~/shell/Page";

export function TrainPage() {
  return (
    <Page title="Train">
      <Empty icon={IconBarbell} title="Your workouts will be here">
        The trainer answers over the API already; its page is being built.
      </Empty>
    </Page>
  );
}
