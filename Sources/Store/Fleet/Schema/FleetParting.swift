extension FleetSchema {
    /// Step 6: copies of payments stay apart, batches are checked before anything is stored, nothing brings erased data
    /// back, and the better knowledge of a payment stays when a restored lane ships an older one.
    static let parting = #"""
        -- The name of the lane when it took the money; NULL for what was captured before this step.
        ALTER TABLE fleet.attempt ADD COLUMN lane_name text;
        -- The step whose list of personal data was taken out of an erased payment.
        ALTER TABLE fleet.payment ADD COLUMN erasure bigint;

        -- What is left of a row after its personal data were erased.
        CREATE OR REPLACE FUNCTION fleet.stripped(p_content jsonb) RETURNS jsonb
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT p_content - ARRAY['last4', 'authCode', 'orderID', 'cryptogram', 'atc', 'issuerApplicationData',
                'errorMessage', 'lastError', 'messageIdentity', 'advice', 'refundLines', 'content', 'completion',
                'increments']
        $body$;

        \#(copies)

        \#(soundness)

        \#(shipping)

        \#(enrolling)

        \#(rules)

        \#(erasing)

        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA fleet FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION fleet.sees_all_events TO fleet_clerk, fleet_manager, fleet_auditor;
        """#

    /// Refuses a batch with what is no row of a payment, before a cast or a check could name its values.
    private static let soundness = #"""
        CREATE FUNCTION fleet.is_number(p_text text, p_most bigint) RETURNS boolean
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT CASE WHEN p_text ~ '^[0-9]{1,15}$' THEN p_text::bigint <= p_most ELSE false END
        $body$;

        CREATE FUNCTION fleet.is_sound(p_number bigint, p_kind text, p_name text, p_content jsonb) RETURNS boolean
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT coalesce(p_number > 0 AND jsonb_typeof(p_content) = 'object'
                AND fleet.is_number(p_content->>'id', 999999999999999)
                AND fleet.is_number(p_content->>'createdAt', 253402300799999)
                AND p_name = (p_content->>'id') || '-' || (p_content->>'createdAt')
                AND (p_kind = 'payment' OR coalesce(p_content->>'payment' ~ '^[0-9]{1,15}-[0-9]{1,15}$', false))
                AND (p_kind = 'receipt' OR coalesce(
                    fleet.is_number(p_content->>'updatedAt', 253402300799999)
                    AND fleet.is_number(p_content->>'amount', 999999999999)
                    AND p_content->>'currency' ~ '^[A-Z]{3}$'
                    AND length(p_content->>'state') BETWEEN 1 AND 40, false))
                AND CASE p_kind
                    WHEN 'payment' THEN fleet.is_number(p_content->>'refundedAmount', 999999999999)
                        AND coalesce(p_content->>'last4' ~ '^[0-9]{4}$', true)
                    WHEN 'attempt' THEN length(p_content->>'kind') BETWEEN 1 AND 40
                        AND length(p_content->>'idempotencyKey') BETWEEN 1 AND 200
                        AND p_content->>'hostName' IS NOT NULL
                    WHEN 'receipt' THEN length(p_content->>'kind') BETWEEN 1 AND 40
                    ELSE false END, false)
        $body$;

        -- The entries of a batch. No message has a value of them.
        CREATE FUNCTION fleet.sound_batch(p_entries text, p_clock bigint) RETURNS jsonb
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            batch jsonb;
            is_sound boolean;
        BEGIN
            BEGIN
                batch := p_entries::jsonb;
                SELECT p_clock BETWEEN 0 AND 253402300799999
                    AND coalesce(bool_and(fleet.is_sound(e.s, e.k, e.n, e.c)), true)
                INTO is_sound FROM jsonb_to_recordset(batch) AS e (s bigint, k text, n text, c jsonb);
            EXCEPTION WHEN data_exception THEN is_sound := false;
            END;
            IF is_sound IS NOT TRUE THEN
                RAISE EXCEPTION 'an entry of a batch is no row of a payment' USING ERRCODE = 'CP018';
            END IF;
            RETURN batch;
        END $body$;
        """#

    /// Applies a batch. What a restored lane has in an earlier state than the back office changes nothing yet.
    private static let shipping = #"""
        CREATE OR REPLACE FUNCTION fleet.ship(
            p_lane text, p_secret text, p_epoch bigint, p_acknowledged bigint, p_written bigint, p_clock bigint,
            p_entries text, OUT verdict text, OUT office_epoch bigint, OUT office_applied bigint
        ) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            known fleet.lane := fleet.known_lane(p_lane, p_secret);
            batch jsonb := fleet.sound_batch(p_entries, p_clock);
            last bigint;
            is_whole boolean;
            -- By the lane's own clock, it has sent others since: something on the way has held this one up.
            is_late boolean := coalesce(p_clock < known.heard_clock
                AND (p_epoch < known.epoch OR p_epoch = known.epoch AND p_written <= known.written), false);
            -- Nothing holds a batch up for longer than two minutes: the clock of a restored lane is behind.
            is_excused boolean := is_late AND known.heard_clock - p_clock <= 120000;
            difference bigint := CASE WHEN is_late THEN known.clock_difference
                ELSE (extract(epoch FROM clock_timestamp()) * 1000)::bigint - p_clock END;
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
            IF (verdict = 'applied' OR is_excused AND verdict = 'restored') AND EXISTS (
                SELECT 1 FROM jsonb_to_recordset(batch) AS e (s bigint, k text, n text, c jsonb)
                LEFT JOIN fleet.change c ON c.lane_id = known.id AND c.epoch = known.epoch AND c.sequence = e.s
                WHERE e.s <= known.applied AND (c.kind, c.name, c.digest)
                    IS DISTINCT FROM (e.k, e.n, sha256(convert_to(e.c::text, 'UTF8'))))
            THEN
                verdict := 'restored';
                is_excused := false;
            END IF;
            office_epoch := known.epoch;
            office_applied := known.applied;
            IF verdict <> 'applied' THEN
                PERFORM fleet.refuse(known, verdict, is_excused);
                RETURN;
            END IF;
            PERFORM fleet.part_copies(known, batch);
            PERFORM fleet.apply(known, batch, last, difference);

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
            office_applied := greatest(known.applied, last);
        END $body$;

        -- Keeps a refusal until a person has enrolled the lane again, also while another copy of it ships. A batch that
        -- was held up is what the lane itself has sent, and says nothing about its records.
        CREATE FUNCTION fleet.refuse(known fleet.lane, p_verdict text, is_excused boolean) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            IF known.refused IS DISTINCT FROM p_verdict AND NOT is_excused THEN
                INSERT INTO fleet.event (action, shop, detail)
                VALUES ('refuse', known.shop, known.name || ': ' || p_verdict);
            END IF;
            UPDATE fleet.lane l SET refused = CASE WHEN is_excused THEN l.refused ELSE p_verdict END,
                heard_at = clock_timestamp() WHERE l.id = known.id;
        END $body$;

        -- Stores the entries of a batch from the next one to `last`.
        CREATE FUNCTION fleet.apply(known fleet.lane, batch jsonb, last bigint, difference bigint) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE zone text := (SELECT s.time_zone FROM fleet.shop s WHERE s.name = known.shop);
        BEGIN
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
                brand = coalesce(excluded.brand, p.brand), last4 = excluded.last4, updated_at = excluded.updated_at,
                received_at = excluded.received_at, content = excluded.content
            WHERE p.epoch = excluded.epoch OR NOT fleet.is_taken(p.state)
                OR excluded.state NOT IN ('pending', 'authorized', 'unknown');

            INSERT INTO fleet.attempt AS a (lane_id, name, payment, shop, epoch, sequence, kind, state, amount,
                currency, host, has_advice, updated_at, received_at, day, lane_name, content)
            SELECT known.id, d.name, d.payment, known.shop, known.epoch, d.sequence, d.content->>'kind',
                d.content->>'state', (d.content->>'amount')::bigint, d.content->>'currency', d.content->>'hostName',
                d.content->>'advice' IS NOT NULL, fleet.moment((d.content->>'updatedAt')::bigint, difference),
                d.received_at, d.day, CASE WHEN d.day IS NOT NULL THEN known.name END, d.content
            FROM (SELECT DISTINCT ON (c.name) c.name, c.payment, c.sequence, c.received_at, c.content,
                    -- The day on which the money was taken, and not that of a later change; never one to come.
                    (least(clock_timestamp(), min(fleet.moment((c.content->>'updatedAt')::bigint, difference))
                        FILTER (WHERE c.content->>'state' = 'captured') OVER (PARTITION BY c.name))
                        AT TIME ZONE zone)::date AS day
                FROM fleet.change c
                WHERE c.lane_id = known.id AND c.epoch = known.epoch
                    AND c.sequence BETWEEN known.applied + 1 AND last AND c.kind = 'attempt'
                ORDER BY c.name, c.sequence DESC) d
            ON CONFLICT (lane_id, name) DO UPDATE SET epoch = excluded.epoch, sequence = excluded.sequence,
                state = excluded.state, amount = excluded.amount, has_advice = excluded.has_advice,
                updated_at = excluded.updated_at, received_at = excluded.received_at,
                day = coalesce(a.day, excluded.day),
                lane_name = CASE WHEN a.day IS NULL THEN excluded.lane_name ELSE a.lane_name END,
                content = excluded.content
            WHERE a.epoch = excluded.epoch OR a.state <> 'captured' OR fleet.is_final(excluded.state);

            INSERT INTO fleet.receipt (lane_id, name, payment, shop, epoch, sequence, kind, received_at, content)
            SELECT known.id, c.name, c.payment, known.shop, known.epoch, c.sequence, c.content->>'kind',
                c.received_at, c.content
            FROM fleet.change c
            WHERE c.lane_id = known.id AND c.epoch = known.epoch AND c.sequence BETWEEN known.applied + 1 AND last
                AND c.kind = 'receipt'
            ON CONFLICT (lane_id, name) DO UPDATE SET epoch = excluded.epoch, sequence = excluded.sequence;

            IF fleet.has_earlier(known) THEN
                PERFORM fleet.count_refunds(known, batch);
            END IF;
        END $body$;

        -- Refunds that a restored lane lacks were given, and stay.
        CREATE FUNCTION fleet.count_refunds(known fleet.lane, batch jsonb) RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            UPDATE fleet.payment p SET refunded_amount = r.amount, state = CASE
                WHEN NOT fleet.is_taken(p.state) THEN p.state
                WHEN r.amount < p.amount THEN 'partiallyRefunded' ELSE 'refunded' END
            FROM (SELECT a.payment, sum(a.amount)::bigint AS amount FROM fleet.attempt a
                WHERE a.lane_id = known.id AND a.kind = 'refund' AND a.state = 'captured' AND a.payment IN (
                    SELECT coalesce(e.c->>'payment', e.n) FROM jsonb_to_recordset(batch) AS e (n text, c jsonb))
                GROUP BY a.payment HAVING bool_or(a.epoch < known.epoch)) r
            WHERE p.lane_id = known.id AND p.name = r.payment AND p.refunded_amount < r.amount
        $body$;
        """#

    /// Keeps the name of a lane for what it has captured before it gets another one.
    private static let enrolling = #"""
        CREATE OR REPLACE FUNCTION fleet.enroll(
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
                    IF earlier.name <> invited.lane_name THEN
                        UPDATE fleet.attempt a SET lane_name = earlier.name
                        WHERE a.lane_id = earlier.id AND a.day IS NOT NULL AND a.lane_name IS NULL;
                    END IF;
                    UPDATE fleet.lane l SET shop = invited.shop, name = invited.lane_name, epoch = earlier.epoch + 1,
                        applied = 0, written = 0, refused = NULL, retired_at = NULL,
                        heard_clock = fleet.lane_clock(l.clock_difference)
                    WHERE l.id = earlier.id RETURNING l.id INTO invited.lane_id;
                END IF;
                UPDATE fleet.invitation i SET lane_id = invited.lane_id WHERE i.token_hash = invited.token_hash;
                INSERT INTO fleet.event (action, shop, detail)
                VALUES ('enroll', invited.shop, invited.lane_name || CASE
                    WHEN earlier.name <> invited.lane_name THEN ', which was ' || earlier.name ELSE '' END);
            END IF;
            SELECT l.id, l.shop, l.name, l.epoch INTO lane_id, lane_shop, lane_name, lane_epoch
            FROM fleet.lane l WHERE l.id = invited.lane_id AND l.secret_hash = own;
            -- A repeat of the lane that has used it gets the answer again.
            IF NOT FOUND THEN
                RAISE EXCEPTION 'another lane has used the token' USING ERRCODE = 'CP005';
            END IF;
        END $body$;
        """#
}
