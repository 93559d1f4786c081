import {
  IconBarbell,
  IconBuildingStore,
  IconChartDots3,
  IconMessages,
  IconReceipt2,
  IconSettings,
  IconSitemap,
  IconUsers,
  type Icon,
} from "@tabler/icons-react";

export interface Place {
  to: string;
  label: string;
  icon: Icon;
  /** For the command palette: other words people look for it by. */
  words: string;
  /** The least role that has a use for it. */
  role?: "member" | "staff" | "admin" | "owner";
  section: "train" | "build" | "gym" | "account";
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
    to: "/chat",
    label: "Chat",
    icon: IconMessages,
    words: "conversations sessions agents scenarios tool calls approvals log cost build",
    role: "staff",
    section: "build",
    onPhone: true,
  },
  {
    to: "/scenarios",
    label: "Scenarios",
    icon: IconSitemap,
    words: "agents build builder tools handoffs stages instructions prompts versions try",
    role: "staff",
    section: "build",
  },
  {
    to: "/usage",
    label: "Usage",
    icon: IconReceipt2,
    words: "cost money spend billing caps limits credits tokens forecast csv export",
    role: "staff",
    section: "build",
  },
  {
    to: "/people",
    label: "People",
    icon: IconUsers,
    words: "members invite invitation team staff roles",
    role: "admin",
    section: "gym",
  },
  {
    to: "/gym",
    label: "Gym",
    icon: IconBuildingStore,
    words:
      "organisation front desk facts opening hours prices widget dock website embed chat guests time zone keys models",
    role: "admin",
    section: "gym",
  },
  {
    to: "/settings",
    label: "Settings",
    icon: IconSettings,
    words: "profile password name time zone dark mode theme sign-ins devices account",
    section: "account",
    onPhone: true,
  },
];

export const SECTIONS: Record<Place["section"], string> = {
  train: "Training",
  build: "Build",
  gym: "Your gym",
  account: "You",
};
