import { createTheme, type MantineColorsTuple } from "@mantine/core";

/** One accent: the green of a pine. Everything else is warm grey, so that it stands out where it is used. */
const pine: MantineColorsTuple = [
  "#ecf8f5",
  "#d9efe9",
  "#b0ded3",
  "#83ccbb",
  "#5dbca7",
  "#3fae98",
  "#17806e",
  "#0f6f5f",
  "#0b5b4e",
  "#06463c",
];

const gray: MantineColorsTuple = [
  "#faf9f6",
  "#f3f1ec",
  "#e8e5de",
  "#dcd8cf",
  "#c6c1b6",
  "#a39d91",
  "#746f65",
  "#57534b",
  "#35322d",
  "#1d1b18",
];

/** Deeper than Mantine's from the sixth on: white words are read on them. */
const red: MantineColorsTuple = [
  "#fff5f5",
  "#ffe3e3",
  "#ffc9c9",
  "#ffa8a8",
  "#ff8787",
  "#f25f5c",
  "#cb3229",
  "#b42318",
  "#971c13",
  "#7a150e",
];

const dark: MantineColorsTuple = [
  "#d7d6d1",
  "#bdbcb6",
  "#98978f",
  "#6c6b65",
  "#3e3e3a",
  "#30312d",
  "#242522",
  "#1a1b19",
  "#151614",
  "#0e0f0d",
];

export const theme = createTheme({
  colors: { pine, gray, red, dark },
  primaryColor: "pine",
  // White is readable on both: Mantine decides the colour of the words on a button by the light one alone.
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  fontFamily: "'Figtree Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, monospace",
  defaultRadius: "md",
  radius: { xs: "4px", sm: "6px", md: "10px", lg: "16px", xl: "24px" },
  respectReducedMotion: true,
  cursorType: "pointer",
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.75rem", lineHeight: "1.2" },
      h2: { fontSize: "1.25rem", lineHeight: "1.3" },
      h3: { fontSize: "1.0625rem", lineHeight: "1.35" },
    },
  },
  components: {
    Paper: { defaultProps: { radius: "lg" } },
    Card: { defaultProps: { radius: "lg" } },
    Modal: {
      defaultProps: { radius: "lg", centered: true, closeButtonProps: { "aria-label": "Close" } },
      styles: { title: { fontWeight: 650 } },
    },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Tooltip: { defaultProps: { openDelay: 400 } },
  },
});
