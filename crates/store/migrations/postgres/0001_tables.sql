-- What was answered: what was asked, and marks of what came. Never content.
CREATE TABLE answers (
    owner      TEXT NOT NULL,
    answer_id  TEXT NOT NULL,
    tool       TEXT NOT NULL,
    arguments  TEXT NOT NULL,
    hash       TEXT NOT NULL,
    record     TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (owner, answer_id)
);
CREATE INDEX answers_by_age ON answers (created_ms);

-- How far each resource of an owner was last followed.
CREATE TABLE sync_registry (
    owner            TEXT NOT NULL,
    resource         TEXT NOT NULL,
    synced_ms        BIGINT,
    platform_cursor  TEXT,
    item_count       BIGINT NOT NULL DEFAULT 0,
    source_latest_ms BIGINT,
    validators       TEXT,
    content_hash     TEXT,
    status           TEXT NOT NULL,
    checked_ms       BIGINT,
    PRIMARY KEY (owner, resource)
);

-- The items that a resource had when it was last followed.
CREATE TABLE ephemeral_context (
    owner    TEXT NOT NULL,
    resource TEXT NOT NULL,
    item_id  TEXT NOT NULL,
    position BIGINT NOT NULL,
    item     TEXT NOT NULL,
    PRIMARY KEY (owner, resource, item_id)
);

CREATE TABLE deliverables (
    owner      TEXT NOT NULL,
    name       TEXT NOT NULL,
    definition TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    removed_ms BIGINT,
    PRIMARY KEY (owner, name)
);

-- Append-only: each version holds the hash of the one before it.
CREATE TABLE deliverable_versions (
    owner            TEXT NOT NULL,
    name             TEXT NOT NULL,
    version          BIGINT NOT NULL,
    hash             TEXT NOT NULL,
    predecessor_hash TEXT,
    body             TEXT NOT NULL,
    created_ms       BIGINT NOT NULL,
    PRIMARY KEY (owner, name, version)
);
