extension FleetSchema {
    /// Defines `fleet.my_shops`, the shops of a person; all of them for a member without a shop.
    ///
    /// - Parameters:
    ///   - create: `CREATE`, or `CREATE OR REPLACE`.
    ///   - person: the SQL expression of who acts.
    /// - Returns: the statement.
    static func ownShops(_ create: String, of person: String) -> String {
        #"""
        \#(create) FUNCTION fleet.my_shops(p_office text DEFAULT NULL) RETURNS SETOF text
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT s.name FROM fleet.shop s WHERE EXISTS (
                SELECT 1 FROM fleet.member m WHERE m.login = \#(person) AND (m.shop IS NULL OR m.shop = s.name)
                AND (p_office IS NULL OR m.office = p_office))
        $body$;
        """#
    }

    /// Defines `fleet.check_manager`, which refuses a person who is not a manager of the shop. The owner of the schema
    /// may do everything.
    static func managerCheck(_ create: String, of person: String) -> String {
        #"""
        \#(create) FUNCTION fleet.check_manager(p_shop text) RETURNS void
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            IF NOT pg_has_role(\#(person)::name, current_user, 'USAGE')
                AND p_shop NOT IN (SELECT fleet.my_shops('manager'))
            THEN
                RAISE EXCEPTION 'only a manager of the shop may do this' USING ERRCODE = 'CP006';
            ELSIF NOT EXISTS (SELECT 1 FROM fleet.shop s WHERE s.name = p_shop) THEN
                RAISE EXCEPTION 'there is no such shop' USING ERRCODE = 'CP007';
            END IF;
        END $body$;
        """#
    }

    /// Defines `fleet.grant_office`, and `fleet.revoke_office`, which takes offices of a login away: without `p_office`
    /// all of them, and without `p_shop` those in all shops. It returns their number. An office that is given for all
    /// shops can't be taken away in one.
    ///
    /// - Parameters:
    ///   - create: `CREATE`, or `CREATE OR REPLACE`.
    ///   - shopless: the offices of programs, which belong to no shop and have no row in `fleet.member`.
    ///   - afterRevocation: statements that run when offices were taken away.
    /// - Returns: both statements.
    static func offices(_ create: String, shopless: [String], afterRevocation: String = "") -> String {
        let programs = shopless.map { "'\($0)'" }.joined(separator: ", ")
        return #"""
            \#(create) FUNCTION fleet.grant_office(p_login text, p_office text, p_shop text) RETURNS void
            LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
            BEGIN
                IF NOT EXISTS (SELECT 1 FROM pg_roles r WHERE r.rolname = p_login) THEN
                    RAISE EXCEPTION 'the server has no such login' USING ERRCODE = 'CP009';
                END IF;
                IF p_shop IS NOT NULL AND NOT EXISTS (SELECT 1 FROM fleet.shop s WHERE s.name = p_shop) THEN
                    RAISE EXCEPTION 'there is no such shop' USING ERRCODE = 'CP007';
                END IF;
                EXECUTE format('GRANT %I TO %I', 'fleet_' || p_office, p_login);
                IF p_office NOT IN (\#(programs)) THEN
                    INSERT INTO fleet.member (login, office, shop) VALUES (p_login, p_office, p_shop)
                    ON CONFLICT DO NOTHING;
                END IF;
                INSERT INTO fleet.event (action, shop, detail) VALUES ('grant', p_shop, p_office || ' ' || p_login);
            END $body$;

            \#(create) FUNCTION fleet.revoke_office(p_login text, p_office text, p_shop text) RETURNS bigint
            LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
            DECLARE
                revoked bigint;
                role text;
            BEGIN
                IF p_shop IS NOT NULL AND NOT EXISTS (SELECT 1 FROM fleet.shop s WHERE s.name = p_shop) THEN
                    RAISE EXCEPTION 'there is no such shop' USING ERRCODE = 'CP007';
                END IF;
                DELETE FROM fleet.member m WHERE m.login = p_login AND (p_office IS NULL OR m.office = p_office)
                    AND (p_shop IS NULL OR m.shop = p_shop);
                GET DIAGNOSTICS revoked = ROW_COUNT;
                FOREACH role IN ARRAY ARRAY[\#(programs), 'clerk', 'manager', 'auditor'] LOOP
                    CONTINUE WHEN p_office <> role OR (role IN (\#(programs)) AND p_shop IS NOT NULL)
                        OR EXISTS (SELECT 1 FROM fleet.member m WHERE m.login = p_login AND m.office = role)
                        OR NOT EXISTS (
                            SELECT 1 FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.roleid
                            JOIN pg_roles l ON l.oid = a.member
                            WHERE r.rolname = 'fleet_' || role AND l.rolname = p_login);
                    EXECUTE format('REVOKE %I FROM %I', 'fleet_' || role, p_login);
                    revoked := revoked + CASE WHEN role IN (\#(programs)) THEN 1 ELSE 0 END;
                END LOOP;
                IF revoked = 0 THEN
                    RAISE EXCEPTION 'the login has no such office' USING ERRCODE = 'CP013';
                END IF;
                \#(afterRevocation)
                INSERT INTO fleet.event (action, shop, detail)
                VALUES ('revoke', p_shop, coalesce(p_office || ' ', '') || p_login);
                RETURN revoked;
            END $body$;
            """#
    }

    /// Defines `fleet.make_token`, which keeps a token for a login with an office, and lets the server take its role.
    ///
    /// - Parameters:
    ///   - create: `CREATE`, or `CREATE OR REPLACE`.
    ///   - mighty: the SQL condition of a login that may do more than an office, and gets no token.
    /// - Returns: the statement.
    static func tokenMaking(_ create: String, refusing mighty: String) -> String {
        #"""
        \#(create) FUNCTION fleet.make_token(
            p_login text, p_digest bytea, p_days bigint, p_note text, OUT number bigint, OUT expires bigint
        ) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE person pg_roles;
        BEGIN
            SELECT r.* INTO person FROM pg_roles r WHERE r.rolname = p_login;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the server has no such login' USING ERRCODE = 'CP009';
            ELSIF NOT EXISTS (SELECT 1 FROM fleet.member m WHERE m.login = p_login) THEN
                RAISE EXCEPTION 'the login has no office' USING ERRCODE = 'CP016';
            ELSIF \#(mighty) THEN
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
        """#
    }
}
