-- Context records that a caller asked for, as they were given out, with what was found out about their items since.
-- With content, where the caller had it.
CREATE TABLE kept_records (
    owner      TEXT NOT NULL,
    context_id TEXT NOT NULL,
    tool       TEXT NOT NULL,
    -- Which resource answered, and what it said then, as one hash; none where the records are of something else.
    state      TEXT,
    bundle     TEXT NOT NULL,
    -- One more with each change.
    revision   INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (owner, context_id)
) STRICT;
CREATE INDEX kept_records_by_age ON kept_records (created_ms);
CREATE INDEX kept_records_by_state ON kept_records (owner, state);

-- Which records hold an item: the same item has the same id in all of them.
CREATE TABLE kept_record_items (
    owner      TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    context_id TEXT NOT NULL,
    PRIMARY KEY (owner, item_id, context_id)
) STRICT;
CREATE INDEX kept_record_items_by_context ON kept_record_items (owner, context_id);
