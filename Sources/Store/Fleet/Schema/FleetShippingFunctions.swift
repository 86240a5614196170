extension FleetSchema {
    /// Step 2: what a lane may call. Each function is one transaction, with the check of the lane's numbers and the
    /// rows together, so that an entry is applied once however often it is sent.
    ///
    /// Their parameters never change: a lane of an older program goes on to ship. No message has a value.
    static let shippingFunctions = #"""
        CREATE FUNCTION fleet.known_lane(p_lane text, p_secret text) RETURNS fleet.lane
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE known fleet.lane;
        BEGIN
            SELECT l.* INTO known FROM fleet.lane l
            WHERE l.id = p_lane AND l.secret_hash = sha256(convert_to(p_secret, 'UTF8')) FOR UPDATE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the back office does not know this lane' USING ERRCODE = 'CP001';
            ELSIF known.retired_at IS NOT NULL THEN
                RAISE EXCEPTION 'another lane has taken the place of this lane' USING ERRCODE = 'CP002';
            END IF;
            RETURN known;
        END $body$;

        -- What is left of a row after its personal data were erased.
        CREATE FUNCTION fleet.stripped(p_content jsonb) RETURNS jsonb
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT p_content - ARRAY['last4', 'authCode', 'orderID', 'cryptogram', 'atc', 'issuerApplicationData',
                'errorMessage', 'lastError', 'messageIdentity', 'advice', 'refundLines', 'content']
        $body$;

        -- A time of a lane by the server's clock. Small differences are those of the network.
        CREATE FUNCTION fleet.moment(p_milliseconds bigint, p_difference bigint) RETURNS timestamptz
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT to_timestamp(
                (p_milliseconds + CASE WHEN abs(p_difference) < 30000 THEN 0 ELSE p_difference END) / 1000.0)
        $body$;

        -- What the clock of a lane shows now, in milliseconds; NULL while its difference is not known.
        CREATE FUNCTION fleet.lane_clock(p_difference bigint) RETURNS bigint
        LANGUAGE sql VOLATILE AS $body$
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint - p_difference
        $body$;

        \#(adopting)

        CREATE FUNCTION fleet.ship(
            p_lane text, p_secret text, p_epoch bigint, p_acknowledged bigint, p_written bigint, p_clock bigint,
            p_entries text, OUT verdict text, OUT office_epoch bigint, OUT office_applied bigint
        ) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            known fleet.lane := fleet.known_lane(p_lane, p_secret);
            batch jsonb := p_entries::jsonb;
            last bigint;
            is_whole boolean;
            -- By the lane's own clock, it has sent others since: something on the way has held this one up.
            is_late boolean := coalesce(p_clock < known.heard_clock
                AND (p_epoch < known.epoch OR p_epoch = known.epoch AND p_written <= known.written), false);
            difference bigint := CASE WHEN is_late THEN known.clock_difference
                ELSE (extract(epoch FROM clock_timestamp()) * 1000)::bigint - p_clock END;
            zone text := (SELECT s.time_zone FROM fleet.shop s WHERE s.name = known.shop);
        BEGIN
            verdict := CASE
                WHEN p_epoch <> known.epoch THEN 'epoch'
                WHEN known.applied > p_written THEN 'restored'
                WHEN known.applied < p_acknowledged THEN 'lost'
                ELSE 'applied' END;
            SELECT count(*) = coalesce(max(e.s), p_acknowledged) - p_acknowledged
                    AND coalesce(min(e.s) = p_acknowledged + 1, true) AND count(DISTINCT e.s) = count(*)
                    AND coalesce(max(e.s), p_acknowledged) <= p_written,
                coalesce(max(e.s), p_acknowledged)
            INTO is_whole, last FROM jsonb_to_recordset(batch) AS e (s bigint);
            IF NOT is_whole THEN
                RAISE EXCEPTION 'the entries of a batch are not the next ones' USING ERRCODE = 'CP003';
            END IF;
            -- What was shipped before must be what is shipped now.
            IF (verdict = 'applied' OR is_late AND verdict = 'restored') AND EXISTS (
                SELECT 1 FROM jsonb_to_recordset(batch) AS e (s bigint, k text, n text, c jsonb)
                LEFT JOIN fleet.change c ON c.lane_id = known.id AND c.epoch = known.epoch AND c.sequence = e.s
                WHERE e.s <= known.applied AND (c.kind, c.name, c.digest)
                    IS DISTINCT FROM (e.k, e.n, sha256(convert_to(e.c::text, 'UTF8'))))
            THEN
                verdict := 'restored';
                is_late := false;
            END IF;
            IF verdict <> 'applied' THEN
                -- Kept until a person has enrolled the lane again, also while another copy of it ships. A late batch
                -- is what the lane itself has sent, and says nothing about its records.
                IF known.refused IS DISTINCT FROM verdict AND NOT is_late THEN
                    INSERT INTO fleet.event (action, shop, detail)
                    VALUES ('refuse', known.shop, known.name || ': ' || verdict);
                END IF;
                UPDATE fleet.lane SET refused = CASE WHEN is_late THEN refused ELSE verdict END,
                    heard_at = clock_timestamp() WHERE id = known.id;
                office_epoch := known.epoch;
                office_applied := known.applied;
                RETURN;
            END IF;

            PERFORM fleet.adopt(known.id, known.shop, e.n, e.c)
            FROM jsonb_to_recordset(batch) AS e (s bigint, k text, n text, c jsonb)
            WHERE e.k = 'attempt' AND e.s > known.applied;

            INSERT INTO fleet.change (lane_id, epoch, sequence, kind, name, payment, digest, content)
            SELECT known.id, known.epoch, e.s, e.k, e.n, coalesce(e.c->>'payment', e.n),
                sha256(convert_to(e.c::text, 'UTF8')),
                CASE WHEN EXISTS (
                    SELECT 1 FROM fleet.payment p WHERE p.lane_id = known.id
                    AND p.name = coalesce(e.c->>'payment', e.n) AND p.erased_at IS NOT NULL)
                THEN fleet.stripped(e.c) ELSE e.c END
            FROM jsonb_to_recordset(batch) AS e (s bigint, k text, n text, c jsonb) WHERE e.s > known.applied;

            INSERT INTO fleet.payment AS p (lane_id, name, shop, epoch, sequence, number, amount, currency, state,
                refunded_amount, brand, last4, created_at, updated_at, received_at, content)
            SELECT DISTINCT ON (c.name) known.id, c.name, known.shop, known.epoch, c.sequence,
                (c.content->>'id')::bigint, (c.content->>'amount')::bigint, c.content->>'currency',
                c.content->>'state', (c.content->>'refundedAmount')::bigint, c.content->>'brand', c.content->>'last4',
                fleet.moment((c.content->>'createdAt')::bigint, difference),
                fleet.moment((c.content->>'updatedAt')::bigint, difference), c.received_at, c.content
            FROM fleet.change c
            WHERE c.lane_id = known.id AND c.epoch = known.epoch AND c.sequence BETWEEN known.applied + 1 AND last
                AND c.kind = 'payment'
            ORDER BY c.name, c.sequence DESC
            ON CONFLICT (lane_id, name) DO UPDATE SET epoch = excluded.epoch, sequence = excluded.sequence,
                amount = excluded.amount, state = excluded.state, refunded_amount = excluded.refunded_amount,
                brand = excluded.brand, last4 = excluded.last4, updated_at = excluded.updated_at,
                received_at = excluded.received_at, content = excluded.content;

            INSERT INTO fleet.attempt AS a (lane_id, name, payment, shop, epoch, sequence, kind, state, amount,
                currency, host, has_advice, updated_at, received_at, day, content)
            SELECT DISTINCT ON (c.name) known.id, c.name, c.payment, known.shop, known.epoch, c.sequence,
                c.content->>'kind', c.content->>'state', (c.content->>'amount')::bigint, c.content->>'currency',
                c.content->>'hostName', c.content->>'advice' IS NOT NULL,
                fleet.moment((c.content->>'updatedAt')::bigint, difference), c.received_at,
                -- The day on which the money was taken, and not that of a later change.
                (min(fleet.moment((c.content->>'updatedAt')::bigint, difference))
                    FILTER (WHERE c.content->>'state' = 'captured') OVER (PARTITION BY c.name)
                    AT TIME ZONE zone)::date,
                c.content
            FROM fleet.change c
            WHERE c.lane_id = known.id AND c.epoch = known.epoch AND c.sequence BETWEEN known.applied + 1 AND last
                AND c.kind = 'attempt'
            ORDER BY c.name, c.sequence DESC
            ON CONFLICT (lane_id, name) DO UPDATE SET epoch = excluded.epoch, sequence = excluded.sequence,
                state = excluded.state, amount = excluded.amount, has_advice = excluded.has_advice,
                updated_at = excluded.updated_at, received_at = excluded.received_at,
                day = coalesce(a.day, excluded.day), content = excluded.content;

            INSERT INTO fleet.receipt (lane_id, name, payment, shop, epoch, sequence, kind, received_at, content)
            SELECT known.id, c.name, c.payment, known.shop, known.epoch, c.sequence, c.content->>'kind',
                c.received_at, c.content
            FROM fleet.change c
            WHERE c.lane_id = known.id AND c.epoch = known.epoch AND c.sequence BETWEEN known.applied + 1 AND last
                AND c.kind = 'receipt'
            ON CONFLICT (lane_id, name) DO UPDATE SET epoch = excluded.epoch, sequence = excluded.sequence;

            UPDATE fleet.lane SET applied = greatest(known.applied, last), heard_at = clock_timestamp(),
                written = CASE WHEN is_late THEN written ELSE p_written END,
                heard_clock = CASE WHEN is_late THEN heard_clock ELSE p_clock END, clock_difference = difference,
                applied_at = CASE WHEN last > known.applied THEN clock_timestamp() ELSE applied_at END,
                -- Both times are the lane's, so its clock does not matter.
                lag = coalesce((
                    SELECT greatest(0, max(
                        p_clock - coalesce((c.content->>'updatedAt')::bigint, (c.content->>'createdAt')::bigint)))
                    FROM fleet.change c WHERE c.lane_id = known.id AND c.epoch = known.epoch
                    AND c.sequence BETWEEN known.applied + 1 AND last), lag)
            WHERE id = known.id;
            office_epoch := known.epoch;
            office_applied := greatest(known.applied, last);
        END $body$;

        CREATE FUNCTION fleet.enroll(
            p_token text, p_secret text, OUT lane_id text, OUT lane_shop text, OUT lane_name text,
            OUT lane_epoch bigint
        ) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            invited fleet.invitation;
            earlier fleet.lane;
            own bytea := sha256(convert_to(p_secret, 'UTF8'));
        BEGIN
            SELECT i.* INTO invited FROM fleet.invitation i
            WHERE i.token_hash = sha256(convert_to(p_token, 'UTF8')) FOR UPDATE;
            IF NOT FOUND OR (invited.lane_id IS NULL AND invited.expires_at <= clock_timestamp()) THEN
                RAISE EXCEPTION 'the token is unknown, or its time is over' USING ERRCODE = 'CP004';
            ELSIF invited.lane_id IS NULL THEN
                -- Records that were a lane before stay that lane, in a new epoch: what it shipped counts once, and what
                -- was erased of it stays erased.
                SELECT l.* INTO earlier FROM fleet.lane l WHERE l.secret_hash = own
                ORDER BY l.enrolled_at DESC LIMIT 1 FOR UPDATE;
                IF earlier.shop <> invited.shop
                    AND EXISTS (SELECT 1 FROM fleet.change c WHERE c.lane_id = earlier.id)
                THEN
                    RAISE EXCEPTION 'these records belong to another shop' USING ERRCODE = 'CP010';
                END IF;
                UPDATE fleet.lane l SET retired_at = clock_timestamp()
                WHERE l.shop = invited.shop AND l.name = invited.lane_name AND l.retired_at IS NULL
                    AND l.id IS DISTINCT FROM earlier.id;
                IF earlier.id IS NULL THEN
                    INSERT INTO fleet.lane AS l (id, shop, name, secret_hash)
                    VALUES (replace(gen_random_uuid()::text, '-', ''), invited.shop, invited.lane_name, own)
                    RETURNING l.id INTO invited.lane_id;
                ELSE
                    UPDATE fleet.lane l SET shop = invited.shop, name = invited.lane_name, epoch = earlier.epoch + 1,
                        applied = 0, written = 0, refused = NULL, retired_at = NULL,
                        heard_clock = fleet.lane_clock(l.clock_difference)
                    WHERE l.id = earlier.id RETURNING l.id INTO invited.lane_id;
                END IF;
                UPDATE fleet.invitation i SET lane_id = invited.lane_id WHERE i.token_hash = invited.token_hash;
                INSERT INTO fleet.event (action, shop, detail) VALUES ('enroll', invited.shop, invited.lane_name);
            END IF;
            SELECT l.id, l.shop, l.name, l.epoch INTO lane_id, lane_shop, lane_name, lane_epoch
            FROM fleet.lane l WHERE l.id = invited.lane_id AND l.secret_hash = own;
            -- A repeat of the lane that has used it gets the answer again.
            IF NOT FOUND THEN
                RAISE EXCEPTION 'another lane has used the token' USING ERRCODE = 'CP005';
            END IF;
        END $body$;

        CREATE FUNCTION fleet.renew(
            p_lane text, p_secret text, p_epoch bigint, OUT lane_id text, OUT lane_shop text, OUT lane_name text,
            OUT lane_epoch bigint
        ) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE known fleet.lane := fleet.known_lane(p_lane, p_secret);
        BEGIN
            -- A back office that was restored itself may know an earlier epoch only.
            lane_epoch := greatest(known.epoch, p_epoch) + 1;
            UPDATE fleet.lane l SET epoch = lane_epoch, applied = 0, written = 0, refused = NULL,
                heard_clock = fleet.lane_clock(l.clock_difference)
            WHERE l.id = known.id;
            INSERT INTO fleet.event (action, shop, detail) VALUES ('renew', known.shop, known.name);
            lane_id := known.id;
            lane_shop := known.shop;
            lane_name := known.name;
        END $body$;
        """#
}
