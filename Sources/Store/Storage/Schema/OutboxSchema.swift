extension SchemaMigrator.Step {
    /// Schema 21 adds the lane that the database is in a fleet, and its outbox; see ``LaneOutbox``.
    ///
    /// Triggers write the outbox, so that no writer can forget it, this program's or another one's. A row gets the
    /// number behind the last one in the same transaction as its change, and numbers have no gaps. Without a lane,
    /// nothing is written.
    ///
    /// A view has what is shipped of a table. A later schema that adds a column makes the view again, and keeps the
    /// triggers. What is never shipped: `sealedCardData`, which no back office may have, `lease`, which means something
    /// in this database only, and `openState`, which follows from `state`.
    static let outbox = SchemaMigrator.Step(
        sql: """
            CREATE TABLE lane (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                secret TEXT NOT NULL CHECK (length(secret) = 64 AND secret NOT GLOB '*[^0-9a-f]*'),
                laneID TEXT CHECK (length(laneID) = 32 AND laneID NOT GLOB '*[^0-9a-f]*'),
                shop TEXT,
                name TEXT,
                epoch INTEGER NOT NULL DEFAULT 0 CHECK (epoch >= 0),
                written INTEGER NOT NULL DEFAULT 0 CHECK (written >= 0),
                acknowledged INTEGER NOT NULL DEFAULT 0 CHECK (acknowledged BETWEEN 0 AND written),
                CHECK ((epoch > 0) = (laneID IS NOT NULL AND shop IS NOT NULL AND name IS NOT NULL))
            );
            CREATE TRIGGER laneNeverGoesBack BEFORE UPDATE ON lane
            WHEN NEW.laneID = OLD.laneID AND (NEW.epoch < OLD.epoch OR (NEW.epoch = OLD.epoch
                AND (NEW.written < OLD.written OR NEW.acknowledged < OLD.acknowledged)))
            BEGIN SELECT RAISE(ABORT, 'the numbers of an outbox never go back'); END;

            CREATE TABLE outbox (
                sequence INTEGER PRIMARY KEY CHECK (sequence > 0),
                kind TEXT NOT NULL CHECK (kind IN ('payment', 'attempt', 'receipt')),
                name TEXT NOT NULL,
                content TEXT NOT NULL CHECK (json_valid(content))
            );
            CREATE TRIGGER outboxHasNoGap BEFORE INSERT ON outbox
            WHEN NEW.sequence IS NOT (SELECT written FROM lane)
            BEGIN SELECT RAISE(ABORT, 'an entry of the outbox has the next number'); END;
            CREATE TRIGGER outboxIsNeverChanged BEFORE UPDATE ON outbox
            BEGIN SELECT RAISE(ABORT, 'an entry of the outbox is never changed'); END;
            CREATE TRIGGER outboxIsKept BEFORE DELETE ON outbox
            WHEN OLD.sequence > (SELECT acknowledged FROM lane)
            BEGIN SELECT RAISE(ABORT, 'an entry of the outbox stays until the back office has it'); END;

            \(shipped("payment", of: "payment", paymentColumns))
            \(shipped("attempt", of: "paymentAttempt", attemptColumns, payment: paymentOfRow))
            \(shipped("receipt", of: "receipt", receiptColumns, payment: paymentOfRow))
            \(shipping("payment", of: "payment", after: "INSERT", "UPDATE"))
            \(shipping("attempt", of: "paymentAttempt", after: "INSERT", "UPDATE"))
            \(shipping("receipt", of: "receipt", after: "INSERT"))
            """)

    /// The name of the payment that a row belongs to.
    private static let paymentOfRow = "(SELECT p.id || '-' || p.createdAt FROM payment p WHERE p.id = paymentID)"

    private static let paymentColumns = """
        id siteID orderID amount currency state refundedAmount createdAt updatedAt brand last4 entryMode cvm authCode \
        aid applicationName tvr tsi cryptogram cryptogramType odaMethod odaResult odaReason arc hostReference atc \
        declineReason errorCode errorMessage accountType issuerApplicationData pinTriesLeft requestedAmount \
        authorizedAmount capturedAmount holdExpiresAt increments
        """
    private static let attemptColumns = """
        id paymentID kind idempotencyKey state stan hostName amount currency transitions hostReference lastError advice \
        createdAt updatedAt refundLines messageIdentity completion
        """
    private static let receiptColumns = """
        id paymentID kind content createdAt attemptID version orderID amount currency last4 authCode
        """

    /// Returns the view of what is shipped of a table. A row is named by its number and the time of its beginning:
    /// after a restored backup, another row can have the number.
    private static func shipped(
        _ kind: String, of table: String, _ columns: String, payment: String? = nil
    ) -> String {
        var members = columns.split(separator: " ").map { "'\($0)', \($0)" }
        if let payment { members.append("'payment', \(payment)") }
        return """
            CREATE VIEW shipped_\(kind) AS SELECT id, id || '-' || createdAt AS name, json_object(
                \(members.joined(separator: ", "))) AS content FROM \(table);
            """
    }

    /// Returns the triggers that write a table's changes to the outbox.
    private static func shipping(_ kind: String, of table: String, after events: String...) -> String {
        events.map { event in
            """
            CREATE TRIGGER \(kind)IsShippedAfter\(event) AFTER \(event) ON \(table)
            WHEN EXISTS (SELECT 1 FROM lane WHERE epoch > 0)
            BEGIN
                UPDATE lane SET written = written + 1;
                INSERT INTO outbox SELECT (SELECT written FROM lane), '\(kind)', name, content
                FROM shipped_\(kind) WHERE id = NEW.id;
            END;
            """
        }.joined(separator: "\n")
    }
}
