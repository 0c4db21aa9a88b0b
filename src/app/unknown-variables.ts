/**
 * First words of variable names that do not identify a variable of the service, because other programs use them too.
 */
const COMMON = new Set(["API", "APP", "DEFAULT", "HOST", "LOG", "MAX", "NODE", "OTEL", "PORT", "WEB"]);
/**
 * The suffixes of variables that Kubernetes sets for each service of a namespace: for a service named `storage` it
 * sets STORAGE_PORT and others.
 */
const OF_KUBERNETES = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT(_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)?$/;
const MAX_DISTANCE = 2;

/**
 * Returns one sentence for each variable that nothing reads, but whose name looks like that of a service's
 * variable: it has the same first word, or differs by a single character. No sentence contains a value.
 */
export function unknownVariables(environment: object, known: ReadonlySet<string>): string[] {
  const words = new Set([...known].map(firstWord).filter((word) => !COMMON.has(word)));
  return Object.keys(environment)
    .filter((name) => !known.has(name) && !OF_KUBERNETES.test(name))
    .flatMap((name) => {
      const { nearest, distance } = nearestOf(name, known);
      if (!words.has(firstWord(name)) && distance > 1) return [];
      return distance <= MAX_DISTANCE
        ? [`${name} is no variable of the service; did you mean ${nearest}?`]
        : [`${name} is no variable of the service`];
    });
}

const firstWord = (name: string) => name.split("_")[0] ?? "";

function nearestOf(name: string, known: ReadonlySet<string>) {
  let [nearest, least] = ["", Number.POSITIVE_INFINITY];
  for (const other of known) {
    if (Math.abs(other.length - name.length) > MAX_DISTANCE) continue;
    const distance = distanceBetween(name, other);
    if (distance < least) [nearest, least] = [other, distance];
  }
  return { nearest, distance: least };
}

/** Returns the number of characters to insert, delete or replace (Levenshtein distance). */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
