extension FleetSchema {
    /// A part of step 6: what keeps payments of copied records apart.
    ///
    /// Copies give the next payment the same number and the same key. The name of a payment has the time of its
    /// beginning, too, which a clock can repeat. So nothing of an earlier epoch, or of another lane, is overwritten by
    /// what can't be the same payment: it is set aside under a name of its own, `17-1767355200000~1`, counts as before,
    /// and is `lost` in the state of its lane, until the lane ships it again.
    static let copies = #"""
        CREATE TABLE fleet.aside (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            lane_id text NOT NULL REFERENCES fleet.lane (id),
            kind text NOT NULL CHECK (kind IN ('payment', 'attempt')),
            original text NOT NULL,
            at timestamptz NOT NULL DEFAULT clock_timestamp()
        );
        CREATE INDEX aside_of_lane ON fleet.aside (lane_id, original);

        -- Whether a payment in this state has taken money.
        CREATE FUNCTION fleet.is_taken(p_state text) RETURNS boolean
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT coalesce(p_state IN ('captured', 'partiallyRefunded', 'refunded'), false)
        $body$;

        -- Whether no state of an attempt follows this one.
        CREATE FUNCTION fleet.is_final(p_state text) RETURNS boolean
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT coalesce(p_state IN ('captured', 'declined', 'cancelled', 'failed', 'reversed'), false)
        $body$;

        -- Whether two versions can't be of one payment. What can be missing, because it was erased or is not known yet,
        -- says nothing. The amount changes with a hold and with a part that is approved. A payment that was taken keeps
        -- its card, and never ends in another way.
        CREATE FUNCTION fleet.is_other_payment(p_was jsonb, p_is jsonb) RETURNS boolean
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT coalesce(p_was->>'currency' <> p_is->>'currency', false)
                OR coalesce(p_was->>'siteID' <> p_is->>'siteID', false)
                OR coalesce(p_was->>'orderID' <> p_is->>'orderID', false)
                OR (p_was->>'amount' IS NOT NULL AND p_is->>'amount' IS NOT NULL
                    AND p_was->>'holdExpiresAt' IS NULL AND p_is->>'holdExpiresAt' IS NULL
                    AND NOT ARRAY[p_was->>'amount', coalesce(p_was->>'requestedAmount', p_was->>'amount')]
                        && ARRAY[p_is->>'amount', coalesce(p_is->>'requestedAmount', p_is->>'amount')])
                OR (fleet.is_taken(p_was->>'state')
                    AND p_is->>'state' IN ('declined', 'cancelled', 'failed', 'reversed'))
                OR (fleet.is_taken(p_was->>'state') AND fleet.is_taken(p_is->>'state')
                    AND (coalesce(p_was->>'cryptogram' <> p_is->>'cryptogram', false)
                        OR coalesce(p_was->>'last4' <> p_is->>'last4', false)))
        $body$;

        -- Whether two versions can't be of one attempt. A captured attempt never ends in another way.
        CREATE FUNCTION fleet.is_other_attempt(p_was jsonb, p_is jsonb) RETURNS boolean
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT coalesce(p_was->>'idempotencyKey' <> p_is->>'idempotencyKey', false)
                OR coalesce(p_was->>'payment' <> p_is->>'payment', false)
                OR coalesce(p_was->>'kind' <> p_is->>'kind', false)
                OR coalesce(p_was->>'currency' <> p_is->>'currency', false)
                OR coalesce(p_was->>'stan' <> p_is->>'stan', false)
                OR (p_was->>'state' IN ('created', 'authorizing') AND p_is->>'state' IN ('created', 'authorizing')
                    AND p_was->>'amount' <> p_is->>'amount')
                OR (p_was->>'state' = 'captured' AND fleet.is_final(p_is->>'state')
                    AND (p_is->>'state' <> 'captured' OR p_was->>'amount' <> p_is->>'amount'
                        OR coalesce(p_was->>'hostReference' <> p_is->>'hostReference', false)))
        $body$;

        -- Whether an attempt that begins is another one than that which the back office has: nothing was sent for it, so
        -- recovery can't make of it what it became there.
        CREATE FUNCTION fleet.is_begun_again(p_was text, begins boolean) RETURNS boolean
        LANGUAGE sql IMMUTABLE AS $body$
            SELECT begins AND p_was NOT IN ('created', 'declined', 'cancelled', 'failed', 'reversed')
        $body$;

        -- Sets a payment of a lane aside, with all that came before an epoch.
        CREATE FUNCTION fleet.set_payment_aside(p_lane text, p_name text, p_before bigint) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE mark text;
        BEGIN
            INSERT INTO fleet.aside AS s (lane_id, kind, original) VALUES (p_lane, 'payment', p_name)
            RETURNING '~' || s.number INTO mark;
            UPDATE fleet.payment p SET name = p.name || mark, epoch = 0
            WHERE p.lane_id = p_lane AND p.name = p_name;
            UPDATE fleet.attempt a SET name = a.name || mark, payment = a.payment || mark, epoch = 0
            WHERE a.lane_id = p_lane AND a.payment = p_name AND a.epoch < p_before;
            UPDATE fleet.receipt r SET name = r.name || mark, payment = r.payment || mark, epoch = 0
            WHERE r.lane_id = p_lane AND r.payment = p_name AND r.epoch < p_before;
            UPDATE fleet.change c SET payment = c.payment || mark
            WHERE c.lane_id = p_lane AND c.payment = p_name AND c.epoch < p_before;
            PERFORM fleet.note_copy(p_lane, 'payment ' || p_name);
        END $body$;

        CREATE FUNCTION fleet.set_attempt_aside(p_lane text, p_name text) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE mark text;
        BEGIN
            INSERT INTO fleet.aside AS s (lane_id, kind, original) VALUES (p_lane, 'attempt', p_name)
            RETURNING '~' || s.number INTO mark;
            UPDATE fleet.attempt a SET name = a.name || mark, epoch = 0 WHERE a.lane_id = p_lane AND a.name = p_name;
            PERFORM fleet.note_copy(p_lane, 'attempt ' || p_name);
        END $body$;

        CREATE FUNCTION fleet.note_copy(p_lane text, p_detail text) RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            INSERT INTO fleet.event (action, shop, detail)
            SELECT 'copy', l.shop, l.name || ': ' || p_detail FROM fleet.lane l WHERE l.id = p_lane
        $body$;

        -- Gives a payment that was set aside its name back, when it is the one that the lane ships now, and not one that
        -- begins.
        CREATE FUNCTION fleet.bring_payment_back(p_lane text, p_name text, p_content jsonb) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            place bigint;
            mark text;
            other record;
        BEGIN
            SELECT s.number, '~' || s.number INTO place, mark FROM fleet.aside s
            JOIN fleet.payment p ON p.lane_id = s.lane_id AND p.name = s.original || '~' || s.number
            WHERE s.lane_id = p_lane AND s.kind = 'payment' AND s.original = p_name
                AND NOT fleet.is_other_payment(p.content, p_content)
                AND (NOT fleet.is_taken(p.state) OR fleet.is_taken(p_content->>'state'))
            ORDER BY fleet.is_taken(p.state) = fleet.is_taken(p_content->>'state') DESC, s.number DESC LIMIT 1;
            IF NOT FOUND THEN
                RETURN;
            END IF;
            -- Another lane has an attempt of this key and name, or this one has a newer version of it.
            FOR other IN
                SELECT o.lane_id, o.payment FROM fleet.attempt a
                JOIN fleet.attempt o ON o.content->>'idempotencyKey' = a.content->>'idempotencyKey'
                    AND o.name || mark = a.name AND o.lane_id <> p_lane
                WHERE a.lane_id = p_lane AND a.payment = p_name || mark GROUP BY 1, 2
            LOOP
                PERFORM 1 FROM fleet.lane l WHERE l.id = other.lane_id FOR UPDATE;
                PERFORM fleet.set_payment_aside(other.lane_id, other.payment, 9223372036854775807);
            END LOOP;
            UPDATE fleet.attempt n SET day = a.day, lane_name = a.lane_name
            FROM fleet.attempt a
            WHERE a.lane_id = p_lane AND a.payment = p_name || mark AND n.lane_id = p_lane AND n.name || mark = a.name
                AND a.day IS NOT NULL AND NOT fleet.is_other_attempt(a.content, n.content);
            DELETE FROM fleet.attempt a USING fleet.attempt n
            WHERE a.lane_id = p_lane AND a.payment = p_name || mark AND n.lane_id = p_lane AND n.name || mark = a.name
                AND NOT fleet.is_other_attempt(a.content, n.content);
            DELETE FROM fleet.receipt r USING fleet.receipt n
            WHERE r.lane_id = p_lane AND r.payment = p_name || mark AND n.lane_id = p_lane AND n.name || mark = r.name;
            UPDATE fleet.payment p SET name = p_name WHERE p.lane_id = p_lane AND p.name = p_name || mark;
            UPDATE fleet.attempt a SET payment = p_name, name = CASE
                WHEN EXISTS (SELECT 1 FROM fleet.attempt n WHERE n.lane_id = p_lane AND n.name || mark = a.name)
                THEN a.name ELSE left(a.name, -length(mark)) END
            WHERE a.lane_id = p_lane AND a.payment = p_name || mark;
            UPDATE fleet.receipt r SET payment = p_name, name = left(r.name, -length(mark))
            WHERE r.lane_id = p_lane AND r.payment = p_name || mark;
            UPDATE fleet.change c SET payment = p_name WHERE c.lane_id = p_lane AND c.payment = p_name || mark;
            DELETE FROM fleet.aside s WHERE s.number = place;
        END $body$;

        CREATE FUNCTION fleet.bring_attempt_back(p_lane text, p_name text, p_content jsonb) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE place bigint;
        BEGIN
            SELECT s.number INTO place FROM fleet.aside s
            JOIN fleet.attempt a ON a.lane_id = s.lane_id AND a.name = s.original || '~' || s.number
            WHERE s.lane_id = p_lane AND s.kind = 'attempt' AND s.original = p_name
                AND NOT fleet.is_other_attempt(a.content, p_content)
                AND (a.state <> 'captured' OR p_content->>'state' = 'captured')
            ORDER BY a.state = p_content->>'state' DESC, s.number DESC LIMIT 1;
            IF FOUND THEN
                UPDATE fleet.attempt a SET name = p_name WHERE a.lane_id = p_lane AND a.name = p_name || '~' || place;
                DELETE FROM fleet.aside s WHERE s.number = place;
            END IF;
        END $body$;

        -- Whether a taken payment of this name was set aside, and is the one that the lane ships now.
        CREATE FUNCTION fleet.has_taken_aside(p_lane text, p_name text, p_content jsonb) RETURNS boolean
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT fleet.is_taken(p_content->>'state') AND EXISTS (
                SELECT 1 FROM fleet.aside s
                JOIN fleet.payment p ON p.lane_id = s.lane_id AND p.name = s.original || '~' || s.number
                WHERE s.lane_id = p_lane AND s.kind = 'payment' AND s.original = p_name
                    AND fleet.is_taken(p.state) AND NOT fleet.is_other_payment(p.content, p_content))
        $body$;

        -- The same of a captured attempt.
        CREATE FUNCTION fleet.has_captured_aside(p_lane text, p_name text, p_content jsonb) RETURNS boolean
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT coalesce(p_content->>'state' = 'captured', false) AND EXISTS (
                SELECT 1 FROM fleet.aside s
                JOIN fleet.attempt a ON a.lane_id = s.lane_id AND a.name = s.original || '~' || s.number
                WHERE s.lane_id = p_lane AND s.kind = 'attempt' AND s.original = p_name
                    AND a.state = 'captured' AND NOT fleet.is_other_attempt(a.content, p_content))
        $body$;

        \#(takingOver)

        \#(partingCopies)
        """#

    /// Gives payments of another lane to the lane that ships them now, and says so.
    private static let takingOver = #"""
        -- Gives the payment of an attempt, with all that belongs to it, to the lane that ships it now, unless it can't
        -- be the same. What was erased of it stays erased, and the history of the other lane keeps no personal data.
        -- Returns the lane that had it, when it was the same.
        CREATE FUNCTION fleet.take_over(p_lane text, p_shop text, p_name text, p_content jsonb, p_payment jsonb,
            begins boolean)
        RETURNS text
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            other fleet.attempt;
            whole fleet.payment;
            owner text;
        BEGIN
            -- The other lane ships nothing meanwhile. Two that want each other's rows are a deadlock, and one comes again.
            PERFORM 1 FROM fleet.lane l WHERE l.id IN (
                SELECT a.lane_id FROM fleet.attempt a
                WHERE a.content->>'idempotencyKey' = p_content->>'idempotencyKey' AND a.name = p_name
                    AND a.lane_id <> p_lane) FOR UPDATE;
            SELECT a.* INTO other FROM fleet.attempt a
            WHERE a.content->>'idempotencyKey' = p_content->>'idempotencyKey' AND a.name = p_name
                AND a.lane_id <> p_lane FOR UPDATE;
            IF NOT FOUND THEN
                RETURN NULL;
            ELSIF other.shop <> p_shop THEN
                RAISE EXCEPTION 'these records belong to another shop' USING ERRCODE = 'CP010';
            END IF;
            SELECT p.* INTO whole FROM fleet.payment p WHERE p.lane_id = other.lane_id AND p.name = other.payment;
            IF fleet.is_other_payment(whole.content, p_payment) OR p_content->>'payment' <> other.payment
                OR (other.kind = 'sale' AND fleet.is_begun_again(other.state, begins))
            THEN
                PERFORM fleet.set_payment_aside(other.lane_id, other.payment, 9223372036854775807);
                RETURN NULL;
            ELSIF fleet.is_other_attempt(other.content, p_content) OR fleet.is_begun_again(other.state, begins) THEN
                PERFORM fleet.set_attempt_aside(other.lane_id, other.name);
                RETURN NULL;
            END IF;
            SELECT l.name INTO owner FROM fleet.lane l WHERE l.id = other.lane_id;
            UPDATE fleet.change c SET content = fleet.stripped(c.content)
            WHERE c.lane_id = other.lane_id AND c.payment = other.payment;
            IF whole.erased_at IS NOT NULL THEN
                UPDATE fleet.change c SET content = fleet.stripped(c.content)
                WHERE c.lane_id = p_lane AND c.payment = other.payment;
                UPDATE fleet.payment p SET erased_at = whole.erased_at, erasure = whole.erasure, last4 = NULL,
                    content = fleet.stripped(p.content)
                WHERE p.lane_id = p_lane AND p.name = other.payment;
            END IF;
            -- The lane has shipped a version of it before the attempt: the better knowledge stays.
            UPDATE fleet.payment p SET state = whole.state, amount = whole.amount, brand = whole.brand,
                refunded_amount = whole.refunded_amount, last4 = whole.last4, content = whole.content, epoch = 0
            WHERE p.lane_id = p_lane AND p.name = other.payment
                AND fleet.is_taken(whole.state) AND NOT fleet.is_taken(p.state);
            UPDATE fleet.payment p SET brand = whole.brand
            WHERE p.lane_id = p_lane AND p.name = other.payment AND p.brand IS NULL;
            DELETE FROM fleet.payment o WHERE o.lane_id = other.lane_id AND o.name = other.payment
                AND EXISTS (SELECT 1 FROM fleet.payment p WHERE p.lane_id = p_lane AND p.name = o.name);
            -- No epoch of the lane has had it yet.
            UPDATE fleet.payment o SET lane_id = p_lane, epoch = 0
            WHERE o.lane_id = other.lane_id AND o.name = other.payment;
            UPDATE fleet.attempt o SET lane_id = p_lane, epoch = 0,
                lane_name = CASE WHEN o.day IS NULL THEN NULL ELSE coalesce(o.lane_name, owner) END
            WHERE o.lane_id = other.lane_id AND o.payment = other.payment
                AND NOT EXISTS (SELECT 1 FROM fleet.attempt a WHERE a.lane_id = p_lane AND a.name = o.name);
            UPDATE fleet.receipt o SET lane_id = p_lane, epoch = 0
            WHERE o.lane_id = other.lane_id AND o.payment = other.payment
                AND NOT EXISTS (SELECT 1 FROM fleet.receipt r WHERE r.lane_id = p_lane AND r.name = o.name);
            RETURN owner;
        END $body$;
        """#

    /// Prepares the stored rows for the entries of a batch.
    private static let partingCopies = #"""
        -- Whether the back office has attempts of the lane that no entry of this epoch has had yet.
        CREATE FUNCTION fleet.has_earlier(known fleet.lane) RETURNS boolean
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT EXISTS (SELECT 1 FROM fleet.attempt a WHERE a.lane_id = known.id AND a.epoch < known.epoch)
        $body$;

        CREATE FUNCTION fleet.part_payments(known fleet.lane, batch jsonb, has_asides boolean) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE entry record;
        BEGIN
            FOR entry IN
                SELECT e.n, e.c, p.name IS NOT NULL AS differs
                FROM (SELECT DISTINCT ON (b.n) b.n, b.c
                    FROM jsonb_to_recordset(batch) AS b (s bigint, k text, n text, c jsonb)
                    WHERE b.k = 'payment' AND b.s > known.applied ORDER BY b.n, b.s DESC) e
                LEFT JOIN fleet.payment p ON p.lane_id = known.id AND p.name = e.n AND p.epoch < known.epoch
                    AND (fleet.is_other_payment(p.content, e.c)
                        -- What was taken comes back to its place, and what ended in another way makes room.
                        OR has_asides AND NOT fleet.is_taken(p.state) AND fleet.has_taken_aside(known.id, e.n, e.c))
                WHERE p.name IS NOT NULL OR has_asides
                    AND NOT EXISTS (SELECT 1 FROM fleet.payment o WHERE o.lane_id = known.id AND o.name = e.n)
            LOOP
                IF entry.differs THEN
                    PERFORM fleet.set_payment_aside(known.id, entry.n, known.epoch);
                END IF;
                PERFORM fleet.bring_payment_back(known.id, entry.n, entry.c);
            END LOOP;
        END $body$;

        CREATE FUNCTION fleet.part_attempts(known fleet.lane, batch jsonb, has_asides boolean) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE entry record;
        BEGIN
            FOR entry IN
                SELECT e.n, e.c, a.name IS NOT NULL AS differs,
                    CASE WHEN a.kind = 'sale' AND fleet.is_begun_again(a.state, e.begins) THEN p.name END AS whole
                FROM (SELECT DISTINCT ON (b.n) b.n, b.c,
                        bool_or(b.c->>'state' = 'created') OVER (PARTITION BY b.n) AS begins
                    FROM jsonb_to_recordset(batch) AS b (s bigint, k text, n text, c jsonb)
                    WHERE b.k = 'attempt' AND b.s > known.applied ORDER BY b.n, b.s DESC) e
                LEFT JOIN fleet.attempt a ON a.lane_id = known.id AND a.name = e.n AND a.epoch < known.epoch
                    AND (fleet.is_other_attempt(a.content, e.c) OR fleet.is_begun_again(a.state, e.begins)
                        OR has_asides AND a.state <> 'captured' AND fleet.has_captured_aside(known.id, e.n, e.c))
                LEFT JOIN fleet.payment p ON p.lane_id = known.id AND p.name = a.payment AND p.epoch < known.epoch
                WHERE a.name IS NOT NULL OR has_asides
                    AND NOT EXISTS (SELECT 1 FROM fleet.attempt o WHERE o.lane_id = known.id AND o.name = e.n)
            LOOP
                IF entry.whole IS NOT NULL THEN
                    PERFORM fleet.set_payment_aside(known.id, entry.whole, known.epoch);
                ELSIF entry.differs THEN
                    PERFORM fleet.set_attempt_aside(known.id, entry.n);
                END IF;
                PERFORM fleet.bring_attempt_back(known.id, entry.n, entry.c);
            END LOOP;
            -- A receipt never changes.
            UPDATE fleet.receipt r SET name = r.name || '~' || left(gen_random_uuid()::text, 8)
            FROM jsonb_to_recordset(batch) AS e (s bigint, k text, n text, c jsonb)
            WHERE e.k = 'receipt' AND e.s > known.applied AND r.lane_id = known.id AND r.name = e.n
                AND r.epoch < known.epoch AND r.content->>'content' <> e.c->>'content';
        END $body$;

        CREATE FUNCTION fleet.part_copies(known fleet.lane, batch jsonb) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            entry record;
            has_asides boolean := EXISTS (SELECT 1 FROM fleet.aside s WHERE s.lane_id = known.id);
        BEGIN
            IF has_asides OR fleet.has_earlier(known) THEN
                PERFORM fleet.part_payments(known, batch, has_asides);
            END IF;
            -- Attempts of payments that another lane has set aside, and whose own entries come later.
            IF has_asides THEN
                FOR entry IN
                    SELECT DISTINCT s.original AS n, p.content AS c
                    FROM jsonb_to_recordset(batch) AS e (s bigint, k text, n text, c jsonb)
                    JOIN fleet.aside s ON s.lane_id = known.id AND s.kind = 'payment' AND s.original = e.c->>'payment'
                    JOIN fleet.payment p ON p.lane_id = known.id AND p.name = s.original || '~' || s.number
                    JOIN fleet.attempt a ON a.lane_id = known.id AND a.name = e.n || '~' || s.number
                        AND NOT fleet.is_other_attempt(a.content, e.c)
                        AND (a.state <> 'captured' OR e.c->>'state' = 'captured')
                    WHERE e.k = 'attempt' AND e.s > known.applied
                        AND NOT EXISTS (
                            SELECT 1 FROM fleet.payment o WHERE o.lane_id = known.id AND o.name = s.original)
                        AND NOT EXISTS (SELECT 1 FROM fleet.attempt o WHERE o.lane_id = known.id AND o.name = e.n)
                LOOP
                    PERFORM fleet.bring_payment_back(known.id, entry.n, entry.c);
                END LOOP;
            END IF;

            INSERT INTO fleet.event (action, shop, detail)
            SELECT 'adopt', known.shop, known.name || ' from ' || t.owner || ': payments '
                || string_agg(DISTINCT split_part(t.payment, '-', 1), ', ')
            FROM (SELECT e.c->>'payment' AS payment, fleet.take_over(known.id, known.shop, e.n, e.c, coalesce(
                    (SELECT b.c FROM jsonb_to_recordset(batch) AS b (s bigint, k text, n text, c jsonb)
                        WHERE b.k = 'payment' AND b.n = e.c->>'payment' ORDER BY b.s DESC LIMIT 1),
                    (SELECT p.content FROM fleet.payment p
                        WHERE p.lane_id = known.id AND p.name = e.c->>'payment')), e.begins) AS owner
                FROM (SELECT DISTINCT ON (b.n) b.n, b.c,
                        bool_or(b.c->>'state' = 'created') OVER (PARTITION BY b.n) AS begins
                    FROM jsonb_to_recordset(batch) AS b (s bigint, k text, n text, c jsonb)
                    WHERE b.k = 'attempt' AND b.s > known.applied ORDER BY b.n, b.s DESC) e
                WHERE EXISTS (SELECT 1 FROM fleet.attempt o
                    WHERE o.content->>'idempotencyKey' = e.c->>'idempotencyKey' AND o.name = e.n
                    AND o.lane_id <> known.id)) t
            WHERE t.owner IS NOT NULL GROUP BY t.owner;

            IF has_asides OR fleet.has_earlier(known) THEN
                PERFORM fleet.part_attempts(known, batch, has_asides);
            END IF;
        END $body$;
        """#
}
