/** A hidden field that tells password managers which account a form is for. */
export function Username({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}
