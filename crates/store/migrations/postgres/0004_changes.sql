-- What changed in deliverables, for those who listen and for webhooks: one queue.
ALTER TABLE deliverables ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;

-- The newest changes of each deliverable, numbered from 1 without gaps in the order of writing.
CREATE TABLE deliverable_changes (
    owner      TEXT NOT NULL,
    name       TEXT NOT NULL,
    number     BIGINT NOT NULL,
    change_id  TEXT NOT NULL,
    body       TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (owner, name, number)
);

-- Where the changes of a deliverable are posted, and how far that is. One process at a time holds a webhook.
CREATE TABLE webhooks (
    owner         TEXT NOT NULL,
    name          TEXT NOT NULL,
    url           TEXT NOT NULL,
    -- None: the secret is the operator's, from the settings.
    secret        TEXT,
    -- Number of the last change that was delivered or given up.
    position      BIGINT NOT NULL,
    attempts      BIGINT NOT NULL DEFAULT 0,
    next_ms       BIGINT NOT NULL DEFAULT 0,
    holder        TEXT,
    held_until_ms BIGINT NOT NULL DEFAULT 0,
    delivered     BIGINT NOT NULL DEFAULT 0,
    delivered_ms  BIGINT,
    given_up      BIGINT NOT NULL DEFAULT 0,
    failure       TEXT,
    failed_ms     BIGINT,
    PRIMARY KEY (owner, name)
);

-- Changes that were given up.
CREATE TABLE webhook_failures (
    owner       TEXT NOT NULL,
    name        TEXT NOT NULL,
    number      BIGINT NOT NULL,
    change_id   TEXT NOT NULL,
    attempts    BIGINT NOT NULL,
    failure     TEXT NOT NULL,
    given_up_ms BIGINT NOT NULL,
    PRIMARY KEY (owner, name, number)
);
