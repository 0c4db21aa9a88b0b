-- Endpoints that respond slowly, though with success, share the slots of failing ones, so that they cannot take those of quick ones.

ALTER TABLE webhook_endpoints
  -- Whether one of the requests made last took more than two seconds.
  ADD COLUMN is_slow boolean NOT NULL DEFAULT false;
