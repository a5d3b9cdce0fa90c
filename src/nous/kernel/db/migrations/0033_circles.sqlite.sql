-- Above a project: a team ("team:payments") and the organisation. What belongs to one of them holds in its projects,
-- `*` meaning every project; `writes` says whether this device may write for it. On a hub this says who sees what; a
-- device hears it from its hub.
CREATE TABLE circles (
    circle TEXT NOT NULL,
    member TEXT NOT NULL,
    writes INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (circle, member)
) WITHOUT ROWID;
CREATE INDEX idx_circles_member ON circles (member, circle);

-- Whose a chain is, and of which projects it tells: who does not see them all is not given it, nor one of which it is
-- not known, as that which this database writes itself.
ALTER TABLE devices ADD COLUMN author TEXT;
CREATE TABLE chain_projects (
    device INTEGER NOT NULL,
    project_id TEXT NOT NULL,
    PRIMARY KEY (device, project_id)
) WITHOUT ROWID;
INSERT INTO chain_projects (device, project_id)
SELECT device, project_id FROM learning_events WHERE absorbed = 1
UNION
SELECT link.device, one.project_id FROM chain_links AS link JOIN learning_events AS one ON one.event_uuid = link.event_uuid;
