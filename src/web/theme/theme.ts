import { type CSSVariablesResolver, createTheme } from "@mantine/core";

/** A page may have only one banner landmark, which is the shell's header. */
const NO_LANDMARK = { role: "presentation" };

/**
 * The theme. The build writes its CSS variables into the stylesheet, because the content security policy forbids
 * style elements. For the same reason styles.css locks scrolling below dialogs, and not Mantine.
 */
export const theme = createTheme({
  primaryColor: "blue",
  // Shades on which white text has the contrast that WCAG AA requires.
  primaryShade: { light: 8, dark: 8 },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Referenced by name, because importing the components would add them to the first load.
    Modal: { defaultProps: { lockScroll: false, attributes: { header: NO_LANDMARK } } },
    Drawer: { defaultProps: { lockScroll: false, attributes: { header: NO_LANDMARK } } },
  },
});

/** Text colors whose contrast in Mantine's defaults is too low for WCAG AA. */
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
