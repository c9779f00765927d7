-- The block, by its end, of which a refusal was recorded: the others behind it are no events.
ALTER TABLE throttle ADD COLUMN refused_until timestamptz;
