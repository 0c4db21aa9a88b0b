/** The path of the workerd binary in the package for this platform. */
declare module "workerd" {
  const path: string;
  export default path;
}
