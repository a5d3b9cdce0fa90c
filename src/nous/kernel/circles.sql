-- name: listing
SELECT circle, member, writes FROM circles ORDER BY circle, member;

-- name: add
INSERT INTO circles (circle, member, writes) VALUES (:circle, :member, :writes) ON CONFLICT (circle, member) DO NOTHING;

-- name: remove: Take a project from a circle, or the circle away; how many rows went.
DELETE FROM circles WHERE circle = :circle AND (:member IS NULL OR member = :member);

-- name: clear
DELETE FROM circles;

-- name: of_project
-- The teams that have a project, and the organisation; with `teams` only those that whoever looks may see.
SELECT DISTINCT circle FROM circles WHERE member IN (:project_id, '*')
    AND (:teams IS NULL OR circle IN (SELECT value FROM json_each(:teams))) ORDER BY circle;
