// All styles of the console in one stylesheet. Later ones win.
import "@fontsource-variable/inter";
import "@mantine/core/styles.css";
import "virtual:theme.css";
import "./styles.css";

import.meta.glob(["../*/**/*.css", "../../product/*/web/**/*.css"], { eager: true });
