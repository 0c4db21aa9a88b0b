-- Requests of people with an address of a verified domain to join its organization (rules 40). All writes are under the organization's lock.

CREATE TABLE join_requests (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  user_id uuid NOT NULL REFERENCES users (id),
  domain text NOT NULL,
  -- The address of the account at the request: with another address the request has ended.
  email text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL DEFAULT now() + interval '30 days',
  decided_at timestamptz(3),
  decision text CONSTRAINT join_requests_decision_known CHECK (decision IN ('approved', 'denied')),
  decided_by_id uuid REFERENCES users (id),
  CONSTRAINT join_requests_decided_whole CHECK ((decided_at IS NULL) = (decision IS NULL))
);

CREATE UNIQUE INDEX join_requests_one_open ON join_requests (organization_id, user_id) WHERE decided_at IS NULL;
CREATE INDEX join_requests_list ON join_requests (organization_id, created_at, id);
CREATE INDEX join_requests_user ON join_requests (user_id, organization_id);
CREATE INDEX join_requests_expiry ON join_requests (expires_at);
CREATE INDEX join_requests_decider ON join_requests (decided_by_id) WHERE decided_by_id IS NOT NULL;

-- When the members who may decide were last told of requests: once an hour.
CREATE TABLE join_notices (
  organization_id uuid PRIMARY KEY REFERENCES organizations (id),
  told_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Finds the organizations whose domain is that of an address.
CREATE INDEX organization_domains_joinable ON organization_domains (domain) WHERE status = 'VERIFIED' AND join_mode <> 'off';

-- Open requests that have not ended: not by time, another address, the domain, or a membership.
CREATE VIEW open_join_requests AS
SELECT r.id, r.organization_id, r.user_id, r.domain, r.email, r.created_at, r.expires_at
FROM join_requests r
JOIN users u ON u.id = r.user_id AND NOT u.is_deleted AND u.email = r.email
JOIN organization_domains d ON d.organization_id = r.organization_id AND d.domain = r.domain
  AND d.status = 'VERIFIED' AND d.join_mode <> 'off'
WHERE r.decided_at IS NULL AND r.expires_at > now() AND NOT EXISTS (
  SELECT FROM memberships m WHERE m.organization_id = r.organization_id AND m.user_id = r.user_id AND NOT m.is_deleted);
