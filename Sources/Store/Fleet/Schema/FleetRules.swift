extension FleetSchema {
    /// A part of step 6: names, events of all shops, and who hears that a shop is not there.
    static let rules = #"""
        -- A name that a person types in one of two ways (U+00E9, or e with U+0301) is one name.
        CREATE FUNCTION fleet.lane_name(p_name text) RETURNS text
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            IF p_name IS NULL OR length(p_name) NOT BETWEEN 1 AND 100 OR btrim(p_name, E' \t\r\n') = '' THEN
                RAISE EXCEPTION 'a name of a shop or a lane is blank, too long, or has other characters'
                    USING ERRCODE = 'CP017';
            END IF;
            RETURN CASE WHEN current_setting('server_encoding') = 'UTF8' THEN normalize(p_name, NFC) ELSE p_name END;
        END $body$;

        CREATE OR REPLACE FUNCTION fleet.invite(p_shop text, p_lane text, p_token text, p_hours bigint) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE name text := fleet.lane_name(p_lane);
        BEGIN
            PERFORM fleet.check_manager(p_shop);
            INSERT INTO fleet.invitation (token_hash, shop, lane_name, expires_at)
            VALUES (sha256(convert_to(p_token, 'UTF8')), p_shop, name,
                clock_timestamp() + make_interval(hours => p_hours::int));
            INSERT INTO fleet.event (action, shop, detail) VALUES ('invite', p_shop, name);
        END $body$;

        CREATE OR REPLACE FUNCTION fleet.open_shop(p_shop text, p_time_zone text) RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            IF NOT EXISTS (SELECT 1 FROM pg_timezone_names z WHERE z.name = coalesce(p_time_zone, 'UTC')) THEN
                RAISE EXCEPTION 'there is no such time zone' USING ERRCODE = 'CP008';
            ELSIF coalesce(p_shop !~ '^[a-z0-9][a-z0-9-]{0,62}$', true) THEN
                RAISE EXCEPTION 'a name of a shop or a lane is blank, too long, or has other characters'
                    USING ERRCODE = 'CP017';
            END IF;
            INSERT INTO fleet.shop (name, time_zone) VALUES (p_shop, coalesce(p_time_zone, 'UTC'))
            ON CONFLICT DO NOTHING;
            UPDATE fleet.shop s SET time_zone = p_time_zone WHERE s.name = p_shop AND s.time_zone <> p_time_zone;
            IF FOUND THEN
                INSERT INTO fleet.event (action, shop, detail) VALUES ('time zone', p_shop, p_time_zone);
            END IF;
        END $body$;

        -- Who is a manager of all shops hears that a shop is not there.
        CREATE OR REPLACE FUNCTION fleet.check_manager(p_shop text) RETURNS void
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            IF NOT pg_has_role(fleet.caller()::name, current_user, 'USAGE') AND NOT EXISTS (
                SELECT 1 FROM fleet.member m WHERE m.login = fleet.caller() AND m.office = 'manager'
                AND (m.shop IS NULL OR m.shop = p_shop))
            THEN
                RAISE EXCEPTION 'only a manager of the shop may do this' USING ERRCODE = 'CP006';
            ELSIF NOT EXISTS (SELECT 1 FROM fleet.shop s WHERE s.name = p_shop) THEN
                RAISE EXCEPTION 'there is no such shop' USING ERRCODE = 'CP007';
            END IF;
        END $body$;

        -- What concerns all shops is for those who see all of them.
        CREATE FUNCTION fleet.sees_all_events() RETURNS boolean
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT EXISTS (SELECT 1 FROM fleet.member m WHERE m.login = fleet.caller() AND m.shop IS NULL
                AND m.office IN ('manager', 'auditor'))
        $body$;
        CREATE POLICY of_all_shops ON fleet.event FOR SELECT USING (shop IS NULL AND fleet.sees_all_events());
        """#

    /// A part of step 6: an erasure holds the lanes of the shop, so that none ships what it has just taken out.
    static let erasing = #"""
        CREATE OR REPLACE FUNCTION fleet.erase(p_shop text, p_lane text, p_payment bigint, p_days bigint)
        RETURNS bigint
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            erased bigint;
            names text;
        BEGIN
            PERFORM fleet.check_manager(p_shop);
            -- As fleet.ship does, which looks at what is erased after it has the lane.
            PERFORM 1 FROM fleet.lane l WHERE l.shop = p_shop ORDER BY l.id FOR UPDATE;
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
                UPDATE fleet.payment p SET erased_at = coalesce(p.erased_at, clock_timestamp()), erasure = 6,
                    last4 = NULL, content = fleet.stripped(p.content)
                FROM fleet.lane l
                -- Also what an earlier step, or a lane that shipped meanwhile, has left of an erased payment.
                WHERE l.id = p.lane_id AND p.shop = p_shop AND (p.erased_at IS NULL OR p.erasure IS NULL
                        OR p.last4 IS NOT NULL OR p.content <> fleet.stripped(p.content))
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
            -- After a restored backup, a number can name several payments: the event names each.
            SELECT count(*), CASE WHEN p_payment IS NOT NULL THEN string_agg(c.name, ', ' ORDER BY c.name) END
            INTO erased, names FROM chosen c;
            INSERT INTO fleet.event (action, shop, detail)
            VALUES ('erase', p_shop, erased || ' payments' || coalesce(' of ' || p_lane || ': ' || names, ''));
            RETURN erased;
        END $body$;
        """#
}
