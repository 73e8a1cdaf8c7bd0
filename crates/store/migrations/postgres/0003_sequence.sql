-- As many answers may be kept as take longer than a statement may.
SET LOCAL statement_timeout = 0;

-- What was written later is told by the order of writing. Moments are wall clocks of several machines: they differ, and jump.
-- Of what is there already only the moments are known.
ALTER TABLE answers ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
UPDATE answers AS a SET seq = n.seq
FROM (SELECT owner, answer_id, ROW_NUMBER() OVER (ORDER BY created_ms, answer_id) AS seq FROM answers) AS n
WHERE n.owner = a.owner AND n.answer_id = a.answer_id;
CREATE INDEX answers_by_seq ON answers (seq);

ALTER TABLE kept_records ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
UPDATE kept_records AS k SET seq = n.seq
FROM (SELECT owner, context_id, ROW_NUMBER() OVER (ORDER BY created_ms, context_id) AS seq FROM kept_records) AS n
WHERE n.owner = k.owner AND n.context_id = k.context_id;
CREATE INDEX kept_records_by_seq ON kept_records (seq);

-- Of each sync one more than of the last one of any resource: a writer names the revision that it read.
ALTER TABLE sync_registry ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;

-- Figures of the store as a whole, by name.
CREATE TABLE store_state (
    name  TEXT NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO store_state (name, value) VALUES ('revision', 0);
