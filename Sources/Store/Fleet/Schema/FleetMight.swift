extension FleetSchema {
    /// Step 5: a token counts only as long as its login may do no more than an office. Step 4 looked at that when the
    /// token was made.
    static let might = #"""
        -- Whether a login may do more than an office, itself or by a role that it can take.
        CREATE FUNCTION fleet.is_mighty(p_login text) RETURNS boolean
        LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
            SELECT EXISTS (
                SELECT 1 FROM pg_roles p JOIN pg_roles r ON pg_has_role(p.oid, r.oid, 'MEMBER')
                WHERE p.rolname = p_login AND (r.rolsuper OR r.rolcreaterole OR r.rolbypassrls
                    OR r.oid = (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'fleet')))
        $body$;

        CREATE OR REPLACE FUNCTION fleet.token_login(p_digest bytea, OUT login text, OUT state text)
        RETURNS SETOF record
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT t.login, CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked'
                WHEN t.expires_at <= clock_timestamp() THEN 'expired'
                WHEN fleet.is_mighty(t.login) THEN 'mighty' ELSE 'valid' END
            FROM fleet.token t JOIN pg_roles r ON r.rolname = t.login WHERE t.digest = p_digest
        $body$;

        CREATE OR REPLACE FUNCTION fleet.make_token(
            p_login text, p_digest bytea, p_days bigint, p_note text, OUT number bigint, OUT expires bigint
        ) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE person pg_roles;
        BEGIN
            SELECT r.* INTO person FROM pg_roles r WHERE r.rolname = p_login;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the server has no such login' USING ERRCODE = 'CP009';
            ELSIF NOT EXISTS (SELECT 1 FROM fleet.member m WHERE m.login = p_login) THEN
                RAISE EXCEPTION 'the login has no office' USING ERRCODE = 'CP016';
            ELSIF fleet.is_mighty(p_login) THEN
                RAISE EXCEPTION 'the login may do more than an office' USING ERRCODE = 'CP014';
            END IF;
            IF NOT pg_has_role('fleet_server', person.oid, 'MEMBER') THEN
                EXECUTE format('GRANT %I TO fleet_server', p_login);
            END IF;
            INSERT INTO fleet.token AS t (digest, login, note, expires_at)
            VALUES (p_digest, p_login, p_note, clock_timestamp() + make_interval(days => p_days::int))
            RETURNING t.number, (extract(epoch FROM t.expires_at) * 1000)::bigint INTO number, expires;
            INSERT INTO fleet.event (action, detail) VALUES ('token', 'T' || number || ' ' || p_login);
        END $body$;

        REVOKE ALL ON FUNCTION fleet.is_mighty FROM PUBLIC;
        """#
}
