let typed = "";
let stop = () => {};

/**
 * Keeps the letters that are typed while a text field is still being loaded, so that none is lost. `takeEarlyKeys` ends
 * this.
 * @param onEscape called if the Escape key is pressed, which ends it as well
 */
export function keepEarlyKeys(onEscape: () => void): void {
  takeEarlyKeys();
  function onKeyDown(event: KeyboardEvent) {
    const { key, ctrlKey, metaKey } = event;
    if (key === "Escape") {
      takeEarlyKeys();
      return onEscape();
    }
    if (ctrlKey || metaKey) return;
    if (key === "Backspace") typed = typed.slice(0, -1);
    else if ([...key].length === 1) typed += key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  addEventListener("keydown", onKeyDown, { capture: true });
  stop = () => removeEventListener("keydown", onKeyDown, { capture: true });
}

/** Returns the letters that were typed since `keepEarlyKeys`. Later letters go to the element that has the focus. */
export function takeEarlyKeys(): string {
  stop();
  const keys = typed;
  typed = "";
  return keys;
}
