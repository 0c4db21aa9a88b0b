import { ApiError, ConnectionError } from "../../client/index.ts";
import { errorTexts } from "./error-texts.ts";
import { useTexts } from "./i18n.tsx";

/** Returns a function from anything that was thrown to a sentence in the current language. */
export function useErrorText(): (error: unknown) => string {
  const texts: Partial<Record<string, string>> = useTexts(errorTexts);
  return (error) => {
    const known =
      error instanceof ApiError || error instanceof ConnectionError ? texts[error.code] : undefined;
    return known ?? texts.INTERNAL_ERROR ?? "";
  };
}
