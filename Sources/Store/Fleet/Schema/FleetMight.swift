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
                    OR r.rolname IN ('pg_read_all_data', 'pg_write_all_data', 'pg_read_server_files',
                        'pg_write_server_files', 'pg_execute_server_program')
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

        \#(tokenMaking("CREATE OR REPLACE", refusing: "fleet.is_mighty(p_login)"))

        REVOKE ALL ON FUNCTION fleet.is_mighty FROM PUBLIC;
        """#
}
