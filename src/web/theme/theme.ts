import { type CSSVariablesResolver, createTheme } from "@mantine/core";

/**
 * The theme. Its CSS variables are written into the stylesheet by the build, because the page's policy forbids style
 * elements; for the same reason dialogs do not lock the page by one (styles.css does).
 */
export const theme = createTheme({
  primaryColor: "blue",
  // The shades at which white text on them has the contrast of WCAG's level AA.
  primaryShade: { light: 8, dark: 8 },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // By their names alone: the components would be part of the first load.
    Modal: { defaultProps: { lockScroll: false } },
    Drawer: { defaultProps: { lockScroll: false } },
  },
});

/** Colors of text that Mantine's defaults make too faint for level AA. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-scheme": "light",
    "--mantine-color-dimmed": "var(--mantine-color-gray-7)",
    "--mantine-color-error": "var(--mantine-color-red-9)",
    "--mantine-color-placeholder": "var(--mantine-color-gray-7)",
    "--mantine-color-anchor": "var(--mantine-color-blue-8)",
  },
  dark: {
    "--mantine-color-scheme": "dark",
    "--mantine-color-dimmed": "var(--mantine-color-dark-1)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-placeholder": "var(--mantine-color-dark-1)",
    "--mantine-color-anchor": "var(--mantine-color-blue-3)",
  },
});
