-- What was answered: what was asked, and marks of what came. Never content.
CREATE TABLE answers (
    owner      TEXT NOT NULL,
    answer_id  TEXT NOT NULL,
    tool       TEXT NOT NULL,
    arguments  TEXT NOT NULL,
    hash       TEXT NOT NULL,
    record     TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (owner, answer_id)
) STRICT;
CREATE INDEX answers_by_age ON answers (created_ms);

-- How far each resource of an owner was last followed.
CREATE TABLE sync_registry (
    owner            TEXT NOT NULL,
    resource         TEXT NOT NULL,
    synced_ms        INTEGER,
    platform_cursor  TEXT,
    item_count       INTEGER NOT NULL DEFAULT 0,
    source_latest_ms INTEGER,
    validators       TEXT,
    content_hash     TEXT,
    status           TEXT NOT NULL,
    checked_ms       INTEGER,
    PRIMARY KEY (owner, resource)
) STRICT;

-- The items that a resource had when it was last followed.
CREATE TABLE ephemeral_context (
    owner    TEXT NOT NULL,
    resource TEXT NOT NULL,
    item_id  TEXT NOT NULL,
    position INTEGER NOT NULL,
    item     TEXT NOT NULL,
    PRIMARY KEY (owner, resource, item_id)
) STRICT;

CREATE TABLE deliverables (
    owner      TEXT NOT NULL,
    name       TEXT NOT NULL,
    definition TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    removed_ms INTEGER,
    PRIMARY KEY (owner, name)
) STRICT;

-- Append-only: each version holds the hash of the one before it.
CREATE TABLE deliverable_versions (
    owner            TEXT NOT NULL,
    name             TEXT NOT NULL,
    version          INTEGER NOT NULL,
    hash             TEXT NOT NULL,
    predecessor_hash TEXT,
    body             TEXT NOT NULL,
    created_ms       INTEGER NOT NULL,
    PRIMARY KEY (owner, name, version)
) STRICT;
