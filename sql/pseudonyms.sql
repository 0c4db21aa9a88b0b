/* Accounts that were deleted long ago (migrations/0034_pseudonyms.sql). */

/* @name pseudonymiseDeletedAccounts */
SELECT pseudonymise_deleted_accounts(:days!, :max!) AS "done!";
