-- What changed in deliverables, for those who listen and for webhooks: one queue.
ALTER TABLE deliverables ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;

-- The newest changes of each deliverable, numbered from 1 without gaps in the order of writing.
CREATE TABLE deliverable_changes (
    owner      TEXT NOT NULL,
    name       TEXT NOT NULL,
    number     INTEGER NOT NULL,
    change_id  TEXT NOT NULL,
    body       TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (owner, name, number)
) STRICT;

-- Where the changes of a deliverable are posted, and how far that is. One process at a time holds a webhook.
CREATE TABLE webhooks (
    owner         TEXT NOT NULL,
    name          TEXT NOT NULL,
    url           TEXT NOT NULL,
    -- None: the secret is the operator's, from the settings.
    secret        TEXT,
    -- Number of the last change that was delivered or given up.
    position      INTEGER NOT NULL,
    attempts      INTEGER NOT NULL DEFAULT 0,
    next_ms       INTEGER NOT NULL DEFAULT 0,
    holder        TEXT,
    held_until_ms INTEGER NOT NULL DEFAULT 0,
    delivered     INTEGER NOT NULL DEFAULT 0,
    delivered_ms  INTEGER,
    given_up      INTEGER NOT NULL DEFAULT 0,
    failure       TEXT,
    failed_ms     INTEGER,
    PRIMARY KEY (owner, name)
) STRICT;

-- Changes that were given up.
CREATE TABLE webhook_failures (
    owner       TEXT NOT NULL,
    name        TEXT NOT NULL,
    number      INTEGER NOT NULL,
    change_id   TEXT NOT NULL,
    attempts    INTEGER NOT NULL,
    failure     TEXT NOT NULL,
    given_up_ms INTEGER NOT NULL,
    PRIMARY KEY (owner, name, number)
) STRICT;
