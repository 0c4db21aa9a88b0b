-- Which types somebody has notifications of, how many of each, and those of a few types in their order.
CREATE INDEX notifications_types ON notifications (user_id, type, created_at DESC, id DESC) WHERE NOT is_deleted;
