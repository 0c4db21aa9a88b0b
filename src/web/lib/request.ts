import { useEffect, useRef, useState } from "react";

type State<Data> = { readonly data?: Data; readonly error: unknown };

/** Sends a request once, on the pages before sign-in, which have no cache. `retry` sends it again. */
export function useRequest<Data>(send: () => Promise<Data>, isEnabled = true) {
  const [state, setState] = useState<State<Data>>({ error: null });
  const [attempt, setAttempt] = useState(0);
  const first = useRef(send);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt sends the request again
  useEffect(() => {
    if (!isEnabled) return;
    let isCurrent = true;
    const show = (next: State<Data>) => isCurrent && setState(next);
    first.current().then(
      (data) => show({ data, error: null }),
      (error) => show({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [attempt, isEnabled]);
  function retry() {
    setState({ error: null });
    setAttempt(attempt + 1);
  }
  return { ...state, retry };
}
