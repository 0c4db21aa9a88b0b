/**
 * First words of variable names that do not identify a variable of the service, because other programs use them too.
 */
const COMMON = new Set(["API", "APP", "DEFAULT", "HOST", "LOG", "MAX", "NODE", "OTEL", "PORT", "WEB"]);
/**
 * The suffixes of variables that Kubernetes sets for each service of a namespace: for a service named `storage` it
 * sets STORAGE_PORT and others.
 */
const OF_KUBERNETES = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT(_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)?$/;

/**
 * Returns one sentence for each variable that nothing reads, but whose name has the first word of a service's
 * variable. No sentence contains a value.
 */
export function unknownVariables(environment: object, known: ReadonlySet<string>): string[] {
  const words = new Set([...known].map(firstWord).filter((word) => !COMMON.has(word)));
  return Object.keys(environment)
    .filter((name) => words.has(firstWord(name)) && !known.has(name) && !OF_KUBERNETES.test(name))
    .map((name) => `${name} is no variable of the service`);
}

const firstWord = (name: string) => name.split("_")[0] ?? "";
