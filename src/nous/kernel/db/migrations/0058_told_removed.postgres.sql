-- Episodes are worded by readings; what single questions about them had written goes (docs/decisions/0203).
DROP TABLE IF EXISTS told_episodes;
