extension FleetSchema {
    /// Step 3: what people may see and call, by their office and by the shops that they are members of.
    static let people = #"""
        \#(ownShops("CREATE", of: "session_user"))

        ALTER TABLE fleet.shop ENABLE ROW LEVEL SECURITY;
        ALTER TABLE fleet.lane ENABLE ROW LEVEL SECURITY;
        ALTER TABLE fleet.payment ENABLE ROW LEVEL SECURITY;
        ALTER TABLE fleet.attempt ENABLE ROW LEVEL SECURITY;
        ALTER TABLE fleet.receipt ENABLE ROW LEVEL SECURITY;
        ALTER TABLE fleet.change ENABLE ROW LEVEL SECURITY;
        ALTER TABLE fleet.event ENABLE ROW LEVEL SECURITY;
        CREATE POLICY of_shop ON fleet.shop FOR SELECT USING (name IN (SELECT fleet.my_shops()));
        CREATE POLICY of_shop ON fleet.lane FOR SELECT USING (shop IN (SELECT fleet.my_shops()));
        CREATE POLICY of_shop ON fleet.payment FOR SELECT USING (shop IN (SELECT fleet.my_shops()));
        CREATE POLICY of_shop ON fleet.attempt FOR SELECT USING (shop IN (SELECT fleet.my_shops()));
        CREATE POLICY of_shop ON fleet.receipt FOR SELECT USING (shop IN (SELECT fleet.my_shops()));
        CREATE POLICY of_shop ON fleet.change FOR SELECT USING (lane_id IN (SELECT l.id FROM fleet.lane l));
        CREATE POLICY of_shop ON fleet.event FOR SELECT USING (shop IN (SELECT fleet.my_shops()));

        \#(managerCheck("CREATE", of: "session_user"))

        CREATE FUNCTION fleet.invite(p_shop text, p_lane text, p_token text, p_hours bigint) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            PERFORM fleet.check_manager(p_shop);
            INSERT INTO fleet.invitation (token_hash, shop, lane_name, expires_at)
            VALUES (sha256(convert_to(p_token, 'UTF8')), p_shop, p_lane,
                clock_timestamp() + make_interval(hours => p_hours::int));
            INSERT INTO fleet.event (action, shop, detail) VALUES ('invite', p_shop, p_lane);
        END $body$;

        -- Erases personal data. Amounts, states, brands, and times stay, so that totals do not change.
        CREATE FUNCTION fleet.erase(p_shop text, p_lane text, p_payment bigint, p_days bigint) RETURNS bigint
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE erased bigint;
        BEGIN
            PERFORM fleet.check_manager(p_shop);
            IF p_lane IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM fleet.lane l WHERE l.shop = p_shop AND l.name = p_lane)
            THEN
                RAISE EXCEPTION 'the shop has no such lane' USING ERRCODE = 'CP011';
            ELSIF p_payment IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM fleet.payment p JOIN fleet.lane l ON l.id = p.lane_id
                WHERE p.shop = p_shop AND (p_lane IS NULL OR l.name = p_lane) AND p.number = p_payment)
            THEN
                RAISE EXCEPTION 'the lane has no such payment' USING ERRCODE = 'CP012';
            END IF;
            WITH chosen AS (
                UPDATE fleet.payment p SET erased_at = clock_timestamp(), last4 = NULL,
                    content = fleet.stripped(p.content)
                FROM fleet.lane l
                WHERE l.id = p.lane_id AND p.shop = p_shop AND p.erased_at IS NULL
                    AND (p_lane IS NULL OR l.name = p_lane) AND (p_payment IS NULL OR p.number = p_payment)
                    AND (p_days IS NULL OR p.created_at < clock_timestamp() - make_interval(days => p_days::int))
                RETURNING p.lane_id, p.name
            ), attempts AS (
                UPDATE fleet.attempt a SET content = fleet.stripped(a.content)
                FROM chosen c WHERE a.lane_id = c.lane_id AND a.payment = c.name
            ), receipts AS (
                UPDATE fleet.receipt r SET content = fleet.stripped(r.content)
                FROM chosen c WHERE r.lane_id = c.lane_id AND r.payment = c.name
            ), changes AS (
                UPDATE fleet.change h SET content = fleet.stripped(h.content)
                FROM chosen c WHERE h.lane_id = c.lane_id AND h.payment = c.name
            )
            SELECT count(*) INTO erased FROM chosen;
            INSERT INTO fleet.event (action, shop, detail) VALUES ('erase', p_shop, erased || ' payments');
            RETURN erased;
        END $body$;

        -- For the owner of the schema, whose rights they need.
        CREATE FUNCTION fleet.open_shop(p_shop text, p_time_zone text) RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            IF NOT EXISTS (SELECT 1 FROM pg_timezone_names z WHERE z.name = coalesce(p_time_zone, 'UTC')) THEN
                RAISE EXCEPTION 'there is no such time zone' USING ERRCODE = 'CP008';
            END IF;
            INSERT INTO fleet.shop (name, time_zone) VALUES (p_shop, coalesce(p_time_zone, 'UTC'))
            ON CONFLICT DO NOTHING;
            UPDATE fleet.shop s SET time_zone = p_time_zone WHERE s.name = p_shop AND s.time_zone <> p_time_zone;
            IF FOUND THEN
                INSERT INTO fleet.event (action, shop, detail) VALUES ('time zone', p_shop, p_time_zone);
            END IF;
        END $body$;

        \#(offices("CREATE", shopless: ["lane"]))

        -- Roles belong to the server: another database of it may have them, or make them at this moment.
        DO $body$
        DECLARE role text;
        BEGIN
            FOREACH role IN ARRAY ARRAY['fleet_lane', 'fleet_clerk', 'fleet_manager', 'fleet_auditor'] LOOP
                BEGIN
                    IF NOT EXISTS (SELECT 1 FROM pg_roles r WHERE r.rolname = role) THEN
                        EXECUTE format('CREATE ROLE %I NOLOGIN', role);
                    END IF;
                EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
                END;
            END LOOP;
        END $body$;

        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA fleet FROM PUBLIC;
        GRANT USAGE ON SCHEMA fleet TO fleet_lane, fleet_clerk, fleet_manager, fleet_auditor;
        GRANT EXECUTE ON FUNCTION fleet.ship, fleet.enroll, fleet.renew TO fleet_lane;
        GRANT EXECUTE ON FUNCTION fleet.my_shops TO fleet_clerk, fleet_manager, fleet_auditor;
        GRANT EXECUTE ON FUNCTION fleet.invite, fleet.erase TO fleet_manager;
        GRANT SELECT ON fleet.step, fleet.shop, fleet.payment, fleet.attempt
            TO fleet_clerk, fleet_manager, fleet_auditor;
        GRANT SELECT (id, shop, name, epoch, applied, written, lag, clock_difference, refused, enrolled_at, heard_at,
            applied_at, retired_at) ON fleet.lane TO fleet_clerk, fleet_manager, fleet_auditor;
        GRANT SELECT ON fleet.receipt TO fleet_clerk, fleet_manager, fleet_auditor;
        GRANT SELECT ON fleet.change, fleet.event TO fleet_manager, fleet_auditor;
        """#
}
