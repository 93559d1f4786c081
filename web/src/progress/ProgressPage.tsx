import { IconChartDots3 } from "@tabler/icons-react";
import { Empty, Page } from "~/shell/Page";

export function ProgressPage() {
  return (
    <Page title="Progress">
      <Empty icon={IconChartDots3} title="Your progress will be here">
        The trainer tells you over the API already; its page is being built.
      </Empty>
    </Page>
  );
}
