-- What was written later is told by the order of writing. Moments are wall clocks of several machines: they differ, and jump.
ALTER TABLE answers ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
UPDATE answers SET seq = rowid;
CREATE INDEX answers_by_seq ON answers (seq);

ALTER TABLE kept_records ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
UPDATE kept_records SET seq = rowid;
CREATE INDEX kept_records_by_seq ON kept_records (seq);

-- Of each sync one more than of the last one of any resource: a writer names the revision that it read.
ALTER TABLE sync_registry ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

-- Figures of the store as a whole, by name.
CREATE TABLE store_state (
    name  TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT;
INSERT INTO store_state (name, value) VALUES ('revision', 0);
