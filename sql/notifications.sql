/* @name insertNotification */
INSERT INTO notifications (user_id, type, data) VALUES (:userId!, :type!, :data!) RETURNING id;

/* One NOTIFY a transaction, ids only: NOTIFY serializes commits, and its payload ends at 8,000 bytes. */
/* @name announceNotifications */
SELECT pg_notify('notifications', :payload!) IS NULL AS "sent";
