-- Teams and the organisation above projects, whose a chain is, and of which projects it tells.
CREATE TABLE circles (
    circle text COLLATE "C" NOT NULL,
    member text COLLATE "C" NOT NULL,
    writes bigint NOT NULL DEFAULT 1,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, circle, member)
);
CREATE INDEX idx_circles_member ON circles (tenant_id, member, circle);
ALTER TABLE devices ADD COLUMN author text COLLATE "C";
CREATE TABLE chain_projects (
    device bigint NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL DEFAULT current_setting('nous.tenant'),
    PRIMARY KEY (tenant_id, device, project_id)
);
ALTER TABLE learning_events NO FORCE ROW LEVEL SECURITY; -- their owner reads them for every tenant
ALTER TABLE chain_links NO FORCE ROW LEVEL SECURITY;
INSERT INTO chain_projects (device, project_id, tenant_id)
SELECT device, project_id, tenant_id FROM learning_events WHERE absorbed = 1
UNION
SELECT link.device, one.project_id, one.tenant_id FROM chain_links AS link
JOIN learning_events AS one ON one.event_uuid = link.event_uuid AND one.tenant_id = link.tenant_id;
ALTER TABLE learning_events FORCE ROW LEVEL SECURITY;
ALTER TABLE chain_links FORCE ROW LEVEL SECURITY;
