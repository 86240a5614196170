extension FleetSchema {
    /// A part of step 2: what makes an attempt count once, also when two lanes ship it.
    ///
    /// It happens when a backup from before the enrollment is restored, or records are copied to another machine, and
    /// the machine enrolls with a token of its own. The key and the name of an attempt, which has the time of its
    /// beginning in milliseconds, together are the same in copies alone.
    /// A clock that repeats a moment can make them the same for two attempts of copies, so since step 6
    /// `fleet.take_over` has the place of `fleet.adopt`, and compares more; see ``copies``.
    static let adopting = #"""
        CREATE UNIQUE INDEX attempt_once ON fleet.attempt ((content->>'idempotencyKey'), name);

        -- Gives the payment of an attempt, with all that belongs to it, to the lane that ships it now. What was erased
        -- of it stays erased, and the history of the other lane keeps no personal data.
        CREATE FUNCTION fleet.adopt(p_lane text, p_shop text, p_name text, p_content jsonb) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            other fleet.attempt;
            erased timestamptz;
        BEGIN
            SELECT a.* INTO other FROM fleet.attempt a
            WHERE a.content->>'idempotencyKey' = p_content->>'idempotencyKey' AND a.name = p_name
                AND a.lane_id <> p_lane FOR UPDATE;
            IF NOT FOUND THEN
                RETURN;
            ELSIF other.shop <> p_shop THEN
                RAISE EXCEPTION 'these records belong to another shop' USING ERRCODE = 'CP010';
            END IF;
            UPDATE fleet.change c SET content = fleet.stripped(c.content)
            WHERE c.lane_id = other.lane_id AND c.payment = other.payment;
            SELECT p.erased_at INTO erased FROM fleet.payment p
            WHERE p.lane_id = other.lane_id AND p.name = other.payment;
            IF erased IS NOT NULL THEN
                UPDATE fleet.change c SET content = fleet.stripped(c.content)
                WHERE c.lane_id = p_lane AND c.payment = other.payment;
                UPDATE fleet.payment p SET erased_at = erased, last4 = NULL, content = fleet.stripped(p.content)
                WHERE p.lane_id = p_lane AND p.name = other.payment;
            END IF;
            DELETE FROM fleet.payment o WHERE o.lane_id = other.lane_id AND o.name = other.payment
                AND EXISTS (SELECT 1 FROM fleet.payment p WHERE p.lane_id = p_lane AND p.name = o.name);
            -- No epoch of the lane has had it yet.
            UPDATE fleet.payment o SET lane_id = p_lane, epoch = 0
            WHERE o.lane_id = other.lane_id AND o.name = other.payment;
            UPDATE fleet.attempt o SET lane_id = p_lane, epoch = 0
            WHERE o.lane_id = other.lane_id AND o.payment = other.payment
                AND NOT EXISTS (SELECT 1 FROM fleet.attempt a WHERE a.lane_id = p_lane AND a.name = o.name);
            UPDATE fleet.receipt o SET lane_id = p_lane, epoch = 0
            WHERE o.lane_id = other.lane_id AND o.payment = other.payment
                AND NOT EXISTS (SELECT 1 FROM fleet.receipt r WHERE r.lane_id = p_lane AND r.name = o.name);
        END $body$;
        """#
}
