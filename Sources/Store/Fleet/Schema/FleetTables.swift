extension FleetSchema {
    /// Step 1: shops, lanes, what they shipped, and who may see it.
    ///
    /// `change` has every entry that was shipped, and the other tables the newest one of each row. Times of a lane are
    /// those of its clock, moved by the difference that was measured when they were shipped; `received_at` is the
    /// server's time beside them. No table has more of a card than a journal has.
    static let tables = #"""
        CREATE TABLE fleet.shop (
            name text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
            time_zone text NOT NULL
        );

        CREATE TABLE fleet.lane (
            id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
            shop text NOT NULL REFERENCES fleet.shop (name),
            name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
            secret_hash bytea NOT NULL,
            epoch bigint NOT NULL DEFAULT 1,
            applied bigint NOT NULL DEFAULT 0,
            written bigint NOT NULL DEFAULT 0,
            lag bigint,
            clock_difference bigint,
            refused text,
            enrolled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            heard_at timestamptz,
            heard_clock bigint,
            applied_at timestamptz,
            retired_at timestamptz
        );
        CREATE UNIQUE INDEX lane_name ON fleet.lane (shop, name) WHERE retired_at IS NULL;

        CREATE TABLE fleet.invitation (
            token_hash bytea PRIMARY KEY,
            shop text NOT NULL REFERENCES fleet.shop (name),
            lane_name text NOT NULL CHECK (length(lane_name) BETWEEN 1 AND 100),
            expires_at timestamptz NOT NULL,
            lane_id text REFERENCES fleet.lane (id)
        );

        CREATE TABLE fleet.change (
            lane_id text NOT NULL REFERENCES fleet.lane (id),
            epoch bigint NOT NULL,
            sequence bigint NOT NULL CHECK (sequence > 0),
            kind text NOT NULL CHECK (kind IN ('payment', 'attempt', 'receipt')),
            name text NOT NULL,
            payment text NOT NULL,
            digest bytea NOT NULL,
            content jsonb NOT NULL,
            received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (lane_id, epoch, sequence)
        );
        CREATE INDEX change_of_payment ON fleet.change (lane_id, payment);

        CREATE TABLE fleet.payment (
            lane_id text NOT NULL REFERENCES fleet.lane (id),
            name text NOT NULL,
            shop text NOT NULL REFERENCES fleet.shop (name),
            epoch bigint NOT NULL,
            sequence bigint NOT NULL,
            number bigint NOT NULL,
            amount bigint NOT NULL,
            currency text NOT NULL,
            state text NOT NULL,
            refunded_amount bigint NOT NULL,
            brand text,
            last4 text CHECK (last4 ~ '^[0-9]{4}$'),
            created_at timestamptz NOT NULL,
            updated_at timestamptz NOT NULL,
            received_at timestamptz NOT NULL,
            erased_at timestamptz,
            content jsonb NOT NULL,
            PRIMARY KEY (lane_id, name)
        );
        CREATE INDEX payment_by_time ON fleet.payment (created_at);
        CREATE INDEX payment_erased ON fleet.payment (lane_id, name) WHERE erased_at IS NOT NULL;
        CREATE INDEX payment_unknown ON fleet.payment (lane_id) WHERE state = 'unknown';

        CREATE TABLE fleet.attempt (
            \#(ofPayment)
            state text NOT NULL,
            amount bigint NOT NULL,
            currency text NOT NULL,
            host text NOT NULL,
            has_advice boolean NOT NULL,
            updated_at timestamptz NOT NULL,
            received_at timestamptz NOT NULL,
            day date,
            content jsonb NOT NULL,
            PRIMARY KEY (lane_id, name)
        );
        CREATE INDEX attempt_of_payment ON fleet.attempt (lane_id, payment);
        CREATE INDEX attempt_by_day ON fleet.attempt (day) WHERE state = 'captured';
        CREATE INDEX attempt_by_epoch ON fleet.attempt (lane_id, epoch);
        CREATE INDEX attempt_with_advice ON fleet.attempt (lane_id) WHERE has_advice;

        CREATE TABLE fleet.receipt (
            \#(ofPayment)
            received_at timestamptz NOT NULL,
            content jsonb NOT NULL,
            PRIMARY KEY (lane_id, name)
        );
        CREATE INDEX receipt_of_payment ON fleet.receipt (lane_id, payment);

        CREATE TABLE fleet.member (
            login text NOT NULL,
            office text NOT NULL CHECK (office IN ('clerk', 'manager', 'auditor')),
            shop text REFERENCES fleet.shop (name)
        );
        CREATE UNIQUE INDEX member_once ON fleet.member (login, office, coalesce(shop, ''));

        CREATE TABLE fleet.event (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            at timestamptz NOT NULL DEFAULT clock_timestamp(),
            login text NOT NULL DEFAULT session_user,
            action text NOT NULL,
            shop text,
            detail text NOT NULL
        );
        """#

    /// The first columns of what belongs to a payment.
    private static let ofPayment = """
        lane_id text NOT NULL REFERENCES fleet.lane (id),
        name text NOT NULL,
        payment text NOT NULL,
        shop text NOT NULL REFERENCES fleet.shop (name),
        epoch bigint NOT NULL,
        sequence bigint NOT NULL,
        kind text NOT NULL,
        """
}
