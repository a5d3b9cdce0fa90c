-- The index of vectors holds those of large tenants only. Of a small one all are compared, which is exact and as fast, so
-- putting them into the index (three fifths of the time that a memory took) was for nothing, and large ones walked past them.
-- With these settings a vector is put in 1.6 times as fast as with pgvector's own (16 and 64), and as many are found.
ALTER TABLE vectors ADD COLUMN is_indexed boolean NOT NULL DEFAULT false;
DROP INDEX idx_vectors_near_256, idx_vectors_near_384, idx_vectors_near_512, idx_vectors_near_768, idx_vectors_near_1024;
ALTER TABLE vectors NO FORCE ROW LEVEL SECURITY; -- its owner fills it for every tenant
UPDATE vectors SET is_indexed = true WHERE vector_dims(vector) IN (256, 384, 512, 768, 1024) AND (tenant_id, model_id) IN (
    SELECT tenant_id, model_id FROM vectors GROUP BY tenant_id, model_id HAVING COUNT(*) > 10000);
ALTER TABLE vectors FORCE ROW LEVEL SECURITY;
CREATE INDEX idx_vectors_indexed ON vectors (tenant_id, model_id, is_indexed, seq);
CREATE INDEX idx_vectors_near_256 ON vectors USING hnsw ((vector::halfvec(256)) halfvec_cosine_ops) WITH (m = 12, ef_construction = 32)
    WHERE is_indexed AND vector_dims(vector) = 256;
CREATE INDEX idx_vectors_near_384 ON vectors USING hnsw ((vector::halfvec(384)) halfvec_cosine_ops) WITH (m = 12, ef_construction = 32)
    WHERE is_indexed AND vector_dims(vector) = 384;
CREATE INDEX idx_vectors_near_512 ON vectors USING hnsw ((vector::halfvec(512)) halfvec_cosine_ops) WITH (m = 12, ef_construction = 32)
    WHERE is_indexed AND vector_dims(vector) = 512;
CREATE INDEX idx_vectors_near_768 ON vectors USING hnsw ((vector::halfvec(768)) halfvec_cosine_ops) WITH (m = 12, ef_construction = 32)
    WHERE is_indexed AND vector_dims(vector) = 768;
CREATE INDEX idx_vectors_near_1024 ON vectors USING hnsw ((vector::halfvec(1024)) halfvec_cosine_ops) WITH (m = 12, ef_construction = 32)
    WHERE is_indexed AND vector_dims(vector) = 1024;

-- Put a tenant's oldest vectors into the index, 1,000 at most, when more than `few` are not in it; a tenant of whom none
-- are may have `many` first.
CREATE FUNCTION index_vectors(model bigint, many bigint, few bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    most bigint := CASE WHEN EXISTS (SELECT 1 FROM vectors WHERE model_id = model AND is_indexed) THEN few ELSE many END;
    done bigint;
BEGIN
    IF (SELECT dims FROM embedding_models WHERE model_id = model) NOT IN (256, 384, 512, 768, 1024) OR (
            SELECT COUNT(*) FROM (SELECT 1 FROM vectors WHERE model_id = model AND NOT is_indexed LIMIT most + 1) AS new) <= most THEN
        RETURN 0;
    END IF;
    UPDATE vectors SET is_indexed = true WHERE seq IN (
        SELECT seq FROM vectors WHERE model_id = model AND NOT is_indexed ORDER BY seq LIMIT 1000);
    GET DIAGNOSTICS done = ROW_COUNT;
    RETURN done;
END $$;

-- The nearest of a tenant's vectors: by the index those that are in it, which is walked until enough rows of the tenant
-- were seen; the others are all compared.
DROP FUNCTION nearest_vectors(bigint, vector, bigint, bigint);
CREATE FUNCTION nearest_vectors(model bigint, asked vector, most bigint)
RETURNS TABLE (memory_id bigint, nearness double precision) LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.model_id = model AND v.is_indexed) THEN
        RETURN QUERY SELECT v.memory_id, 1.0 - (v.vector <=> asked) AS near FROM vectors AS v
            WHERE v.model_id = model ORDER BY near DESC LIMIT most;
        RETURN;
    END IF;
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '200', true),
        set_config('hnsw.max_scan_tuples', '200000', true), set_config('enable_sort', 'off', true),
        set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
    RETURN QUERY EXECUTE format(
        'SELECT found.memory_id, 1.0 - (found.vector <=> $1) AS near FROM (
            (SELECT v.memory_id, v.vector FROM vectors AS v
            WHERE v.model_id = $2 AND v.is_indexed AND vector_dims(v.vector) = %1$s
            ORDER BY v.vector::halfvec(%1$s) <=> $1::halfvec(%1$s) LIMIT $3)
            UNION ALL (SELECT v.memory_id, v.vector FROM vectors AS v WHERE v.model_id = $2 AND NOT v.is_indexed)) AS found
        ORDER BY near DESC LIMIT $3', vector_dims(asked)) USING asked, model, most;
    PERFORM set_config('enable_sort', 'on', true), set_config('enable_seqscan', 'on', true),
        set_config('enable_bitmapscan', 'on', true);
END $$;

-- The words of one memory, anew. Planned once: every call planned its two statements again, longer than they take.
CREATE OR REPLACE FUNCTION index_memory(number bigint, own bigint, first text[], second text[], third text[], weights real[])
RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    DELETE FROM memory_words WHERE memory_id = number AND is_own = own;
    INSERT INTO memory_words (word, memory_id, is_own, times)
    SELECT stem(said.word), number, own, SUM(said.weight) FROM (
        SELECT unnest(first), weights[1] UNION ALL SELECT unnest(second), weights[2]
        UNION ALL SELECT unnest(third), weights[3]) AS said (word, weight) GROUP BY 1;
    RETURN cardinality(first) + cardinality(second) + cardinality(third);
END $$;
