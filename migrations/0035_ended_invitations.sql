-- The times in which an invitation was pending but held no seat: after it had expired, until it was sent again; and while its service
-- account was disabled. The usage of seats on earlier days is computed from it.
ALTER TABLE user_invitations ADD COLUMN without_seat tstzmultirange NOT NULL DEFAULT '{}';
UPDATE user_invitations i SET without_seat = tstzmultirange(tstzrange(now(), NULL))
FROM service_accounts s
WHERE s.id = i.invited_by_account_id AND NOT s.is_enabled AND NOT s.is_deleted
  AND i.accepted_at IS NULL AND NOT i.is_deleted AND i.expires_at > now();

-- Webhook endpoints are disabled when the last member leaves their organization.
ALTER TABLE webhook_endpoints DROP CONSTRAINT webhook_endpoints_reason_known, ADD CONSTRAINT webhook_endpoints_reason_known
  CHECK (disabled_reason IN ('MANUAL', 'FAILING', 'GONE', 'CREATOR_DELETED', 'NO_MEMBERS'));

-- Stored responses are deleted with their organization.
CREATE INDEX idempotency_keys_organization ON idempotency_keys (organization_id) WHERE organization_id IS NOT NULL;
