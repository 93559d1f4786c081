import { IconBarbell, IconChartDots3, IconSettings, type Icon } from "@tabler/icons-react";

export interface Place {
  to: string;
  label: string;
  icon: Icon;
  /** For the command palette: other words people look for it by. */
  words: string;
  /** The least role that has a use for it. */
  role?: "member" | "staff" | "admin" | "owner";
  section: "train" | "build" | "account";
  /** In the bar at the bottom of a phone; there is room for five. */
  onPhone?: boolean;
}

/** Every page that can be gone to. A page that is added here is in the navigation, the bottom bar and the palette. */
export const PLACES: Place[] = [
  {
    to: "/train",
    label: "Train",
    icon: IconBarbell,
    words: "workout coach trainer chat exercise home",
    section: "train",
    onPhone: true,
  },
  {
    to: "/progress",
    label: "Progress",
    icon: IconChartDots3,
    words: "history records streak goals calendar schedule injuries preferences import muscles",
    section: "train",
    onPhone: true,
  },
  {
    to: "/settings",
    label: "Settings",
    icon: IconSettings,
    words: "profile password name dark mode theme sign-ins devices account",
    section: "account",
    onPhone: true,
  },
];

export const SECTIONS: Record<Place["section"], string> = {
  train: "Training",
  build: "Build",
  account: "You",
};
