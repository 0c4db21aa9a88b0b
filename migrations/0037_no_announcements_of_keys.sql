-- API keys are looked up at each request, so instances need no announcement of their changes.
DROP TRIGGER api_keys_announce ON api_keys;
DROP TRIGGER service_accounts_announce ON service_accounts;
DROP TRIGGER organizations_announce ON organizations;
DROP TRIGGER service_account_assignments_announce_added ON service_account_assignments;
DROP TRIGGER service_account_assignments_announce_removed ON service_account_assignments;
DROP FUNCTION announce_authority_of_keys();
DROP FUNCTION announce_assignments_of_keys();
