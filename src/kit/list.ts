/* A page of rows with its total. */

export { list, organizationScope } from "../core/api/list.ts";
export {
  filter,
  flag,
  idFilter,
  intersection,
  listQuery,
  pageOf,
  pageSize,
  peopleSearch,
  search,
  sorting,
  unpagedList,
  unpagedListQuery,
  wholeNumber,
} from "../core/api/paging.ts";
