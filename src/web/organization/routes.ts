/** The pages of this area; each is loaded on demand. */
export const organizationRoutes = [] as const;
