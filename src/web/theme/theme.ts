import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";
import { foldedOptions } from "./fold.ts";

/** Removes the banner landmark of headers in dialogs: a page may have only one, which is the shell's header. */
const NO_LANDMARK = { role: "presentation" };

/** The shades of the accent color: primary buttons, selection and charts. Replace them to use another color. */
const accent: MantineColorsTuple = [
  "#eef2ff",
  "#e0e7ff",
  "#c7d2fe",
  "#a5b4fc",
  "#818cf8",
  "#6f74f5",
  "#6366f1",
  "#5851eb",
  "#4f46e5",
  "#4338ca",
];

const gray: MantineColorsTuple = [
  "#f7f8fa",
  "#f0f2f5",
  "#e5e8ed",
  "#d4d9e1",
  "#b3bac6",
  "#8b94a3",
  "#626b79",
  "#4c5563",
  "#333b48",
  "#1a2029",
];

/**
 * The shades of the dark color scheme, from text to the page background. Raised surfaces are lighter than the
 * background.
 */
const dark: MantineColorsTuple = [
  "#e4e7ec",
  "#b3bac6",
  "#8b94a3",
  "#5c6573",
  "#31353d",
  "#262a31",
  "#1d2026",
  "#16181d",
  "#0f1115",
  "#0a0b0e",
];

const SANS = '"Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const rem = (px: number) => `${px / 16}rem`;
const heading = (px: number, line: number) => ({ fontSize: rem(px), lineHeight: String(line / px) });

/**
 * The theme of the console. The build writes its CSS variables into the stylesheet, because the content security
 * policy forbids style elements. For the same reason styles.css, and not Mantine, prevents scrolling behind
 * dialogs.
 */
export const theme = createTheme({
  primaryColor: "accent",
  // White text on these shades has the contrast that WCAG AA requires.
  primaryShade: { light: 8, dark: 8 },
  colors: { accent, gray, dark },
  black: "#1a2029",
  fontFamily: SANS,
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(20) },
  headings: {
    fontFamily: SANS,
    fontWeight: "600",
    sizes: {
      h1: heading(22, 30),
      h2: heading(20, 28),
      h3: heading(16, 24),
      h4: heading(15, 22),
      h5: heading(14, 20),
      h6: heading(13, 20),
    },
  },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Components are configured by name, because importing them here would add them to the first load.
    Select: { defaultProps: { filter: foldedOptions } },
    MultiSelect: { defaultProps: { filter: foldedOptions } },
    Modal: { defaultProps: { lockScroll: false, attributes: { header: NO_LANDMARK } } },
    Drawer: { defaultProps: { lockScroll: false, attributes: { header: NO_LANDMARK } } },
    // The first item gets the focus, not an element without a role, which a menu must not contain.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none" } },
  },
});

/** Text colors whose contrast in Mantine's defaults is too low for WCAG AA. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-scheme": "light",
    "--mantine-color-dimmed": "var(--mantine-color-gray-6)",
    "--mantine-color-error": "var(--mantine-color-red-9)",
    "--mantine-color-placeholder": "var(--mantine-color-gray-6)",
    "--mantine-color-anchor": "var(--mantine-color-accent-9)",
    "--mantine-color-default-border": "var(--mantine-color-gray-2)",
    "--mantine-color-default-hover": "var(--mantine-color-gray-1)",
    "--surface-ground": "var(--mantine-color-gray-0)",
    "--surface-raised": "var(--mantine-color-white)",
    "--chart-main": "var(--mantine-color-accent-8)",
    "--chart-soft": "var(--mantine-color-accent-2)",
    "--chart-area": "var(--mantine-color-accent-0)",
    "--chart-warn": "#b45309",
    "--tone-bad-text": "#b91c1c",
    "--tone-bad-ground": "#fee2e2",
    "--tone-warn-text": "#92400e",
    "--tone-warn-ground": "#fef3c7",
    "--tone-good-text": "#166534",
    "--tone-good-ground": "#dcfce7",
    "--tone-info-text": "var(--mantine-color-accent-9)",
    "--tone-info-ground": "var(--mantine-color-accent-0)",
  },
  dark: {
    "--mantine-color-scheme": "dark",
    "--mantine-color-dimmed": "var(--mantine-color-dark-1)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-placeholder": "var(--mantine-color-dark-2)",
    "--mantine-color-anchor": "var(--mantine-color-accent-3)",
    "--mantine-color-default": "var(--mantine-color-dark-6)",
    "--mantine-color-default-border": "var(--mantine-color-dark-4)",
    "--mantine-color-default-hover": "var(--mantine-color-dark-5)",
    "--surface-ground": "var(--mantine-color-dark-8)",
    "--surface-raised": "var(--mantine-color-dark-6)",
    "--chart-main": "var(--mantine-color-accent-4)",
    "--chart-soft": "#3a3b78",
    "--chart-area": "#24254d",
    "--chart-warn": "#fdba74",
    "--tone-bad-text": "#fca5a5",
    "--tone-bad-ground": "#451a1e",
    "--tone-warn-text": "#fcd34d",
    "--tone-warn-ground": "#3f2d10",
    "--tone-good-text": "#86efac",
    "--tone-good-ground": "#123423",
    "--tone-info-text": "var(--mantine-color-accent-2)",
    "--tone-info-ground": "#24254d",
  },
});
