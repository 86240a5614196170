extension FleetSchema {
    /// Step 4: the server of the back office, which takes the role of a person for each request, and the tokens by
    /// which it knows people.
    ///
    /// A login with the office `server` may call `fleet.token_login` and take the roles of logins that have tokens
    /// (`SET LOCAL ROLE`), and sees nothing as itself: the role `fleet_server` inherits nothing. Rights and row-level
    /// security are then those of the person. No text is kept of a token, but its SHA-256 digest.
    static let access = #"""
        -- Who acts: the role that was taken, else the login. Only members of a role can take it, also here.
        CREATE FUNCTION fleet.caller() RETURNS text
        LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
            SELECT CASE current_setting('role') WHEN 'none' THEN session_user::text ELSE current_setting('role') END
        $body$;

        \#(ownShops("CREATE OR REPLACE", of: "fleet.caller()"))

        CREATE FUNCTION fleet.my_offices() RETURNS TABLE (office text, shop text)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT m.office, m.shop FROM fleet.member m WHERE m.login = fleet.caller()
        $body$;

        \#(managerCheck("CREATE OR REPLACE", of: "fleet.caller()"))

        ALTER TABLE fleet.event ALTER COLUMN login SET DEFAULT fleet.caller();

        CREATE TABLE fleet.token (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
            login text NOT NULL,
            note text,
            made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            expires_at timestamptz NOT NULL,
            revoked_at timestamptz
        );

        -- For the server alone: whose token it is, and what has become of it. No row for an unknown one.
        CREATE FUNCTION fleet.token_login(p_digest bytea, OUT login text, OUT state text) RETURNS SETOF record
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT t.login, CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked'
                WHEN t.expires_at <= clock_timestamp() THEN 'expired' ELSE 'valid' END
            FROM fleet.token t JOIN pg_roles r ON r.rolname = t.login WHERE t.digest = p_digest
        $body$;

        -- For the owner of the schema, whose rights they need.
        \#(tokenMaking("CREATE", refusing: mightyPerson))

        -- Returns the number of tokens that work no more. The server can no longer take the role of a login without one.
        CREATE FUNCTION fleet.revoke_token(p_login text, p_number bigint) RETURNS bigint
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            revoked bigint := 0;
            token record;
        BEGIN
            FOR token IN
                UPDATE fleet.token t SET revoked_at = clock_timestamp()
                WHERE t.revoked_at IS NULL AND (t.login = p_login OR t.number = p_number)
                RETURNING t.login, t.number
            LOOP
                revoked := revoked + 1;
                IF EXISTS (SELECT 1 FROM pg_roles r WHERE r.rolname = token.login)
                    AND NOT EXISTS (
                        SELECT 1 FROM fleet.token t WHERE t.login = token.login AND t.revoked_at IS NULL)
                THEN
                    EXECUTE format('REVOKE %I FROM fleet_server', token.login);
                END IF;
                INSERT INTO fleet.event (action, detail)
                VALUES ('token revoked', 'T' || token.number || ' ' || token.login);
            END LOOP;
            RETURN revoked;
        END $body$;


        \#(offices("CREATE OR REPLACE", shopless: ["lane", "server"], afterRevocation: endOfTokens))

        -- Roles belong to the server: another database of it may have this one, or make it at this moment.
        DO $body$
        BEGIN
            IF NOT EXISTS (SELECT 1 FROM pg_roles r WHERE r.rolname = 'fleet_server') THEN
                CREATE ROLE fleet_server NOLOGIN NOINHERIT;
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END $body$;

        REVOKE ALL ON FUNCTION fleet.caller, fleet.my_offices, fleet.token_login, fleet.make_token, fleet.revoke_token
            FROM PUBLIC;
        GRANT USAGE ON SCHEMA fleet TO fleet_server;
        GRANT EXECUTE ON FUNCTION fleet.token_login TO fleet_server;
        GRANT EXECUTE ON FUNCTION fleet.my_offices TO fleet_clerk, fleet_manager, fleet_auditor;
        """#

    /// Whether a login may do more than an office.
    private static let mightyPerson = """
        person.rolsuper OR person.rolcreaterole OR person.rolbypassrls OR pg_has_role(
            person.oid, (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'fleet'), 'MEMBER')
        """

    /// A login without an office has no use for its tokens.
    private static let endOfTokens = """
        IF NOT EXISTS (SELECT 1 FROM fleet.member m WHERE m.login = p_login) THEN
            PERFORM fleet.revoke_token(p_login, NULL);
        END IF;
        """
}
