import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "./texts.ts";

/** The skip link: the first element in the tab order, which lets keyboard users skip the menu. */
export function SkipLink() {
  const texts = useTexts(shellTexts);
  return (
    // biome-ignore lint/a11y/useValidAnchor: the focus is moved by script, because a fragment would change the page's URL
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
