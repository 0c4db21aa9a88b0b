import { useTexts } from "../lib/i18n.tsx";
import { shellTexts } from "./texts.ts";

/** The first thing that the keyboard reaches: past the menu. */
export function SkipLink() {
  const texts = useTexts(shellTexts);
  return (
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
