/** The path of workerd's binary, which the package for this machine's platform brings. */
declare module "workerd" {
  const path: string;
  export default path;
}
