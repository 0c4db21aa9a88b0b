import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "./texts.ts";

/** The skip link: the first element in the tab order, which leads past the menu. */
export function SkipLink() {
  const texts = useTexts(shellTexts);
  return (
    // biome-ignore lint/a11y/useValidAnchor: the address of a page below a path has no fragment of its own
    <a
      className="skip-link"
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}
    >
      {texts.skip}
    </a>
  );
}
