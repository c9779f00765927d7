-- Events wait in a file of the process that took them, and are written again when nobody knows
-- whether they arrived: the name that each has there is here once. Older events have none.

ALTER TABLE audit_event ADD COLUMN event_id uuid;
CREATE UNIQUE INDEX audit_event_once ON audit_event (event_id);
