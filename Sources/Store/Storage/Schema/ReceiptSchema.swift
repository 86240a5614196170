extension SchemaMigrator.Step {
    /// Schema 8 makes receipts immutable, versioned and searchable, and records the state changes of print jobs.
    ///
    /// Existing print jobs are migrated. Earlier programs marked a job as completed when the queue had passed it on,
    /// even if the printer could not confirm the paper; these jobs become `sent` and are not polled again. A rejected
    /// job had no job number.
    static let version8 = SchemaMigrator.Step(
        sql: """
            ALTER TABLE receipt ADD COLUMN attemptID INTEGER REFERENCES paymentAttempt (id);
            ALTER TABLE receipt ADD COLUMN version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0);
            ALTER TABLE receipt ADD COLUMN orderID INTEGER;
            ALTER TABLE receipt ADD COLUMN amount INTEGER CHECK (amount BETWEEN 0 AND 999999999999);
            ALTER TABLE receipt ADD COLUMN currency TEXT CHECK (currency GLOB '[A-Z][A-Z][A-Z]');
            ALTER TABLE receipt ADD COLUMN last4 TEXT CHECK (last4 GLOB '[0-9][0-9][0-9][0-9]');
            ALTER TABLE receipt ADD COLUMN authCode TEXT COLLATE NOCASE;

            -- A receipt was written in the commit of the attempt's last step.
            UPDATE receipt SET attemptID = (
                SELECT a.id FROM paymentAttempt a JOIN attemptTransition t ON t.attemptID = a.id
                WHERE a.paymentID = receipt.paymentID AND t.at = receipt.createdAt ORDER BY a.id DESC LIMIT 1);
            UPDATE receipt SET
                version = (
                    SELECT count(*) FROM receipt e WHERE e.paymentID = receipt.paymentID AND e.kind = receipt.kind
                        AND e.attemptID IS receipt.attemptID AND e.id <= receipt.id),
                orderID = (SELECT p.orderID FROM payment p WHERE p.id = receipt.paymentID),
                amount = CASE WHEN json_extract(content, '$.amount') GLOB '[0-9]*'
                        AND json_extract(content, '$.amount') NOT GLOB '*[^0-9.]*'
                        AND length(json_extract(content, '$.amount')) <= 13
                    THEN CAST(replace(json_extract(content, '$.amount'), '.', '') AS INTEGER) END,
                currency = CASE WHEN json_extract(content, '$.currency') GLOB '[A-Z][A-Z][A-Z]'
                    THEN json_extract(content, '$.currency') END,
                last4 = CASE WHEN json_extract(content, '$.card.lastFour') GLOB '[0-9][0-9][0-9][0-9]'
                    THEN json_extract(content, '$.card.lastFour') END,
                authCode = json_extract(content, '$.card.authorizationCode');

            CREATE UNIQUE INDEX receiptVersion ON receipt (paymentID, kind, coalesce(attemptID, 0), version);
            CREATE INDEX receiptByDate ON receipt (createdAt);
            CREATE INDEX receiptByOrder ON receipt (orderID) WHERE orderID IS NOT NULL;
            CREATE INDEX receiptByLast4 ON receipt (last4) WHERE last4 IS NOT NULL;
            CREATE INDEX receiptByAmount ON receipt (amount, currency) WHERE amount IS NOT NULL;
            CREATE INDEX receiptByAuthCode ON receipt (authCode) WHERE authCode IS NOT NULL;
            \(finalRows(of: "receipt", "a receipt"))

            CREATE TABLE followedPrintJob (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                receiptID INTEGER NOT NULL REFERENCES receipt (id),
                printer TEXT NOT NULL,
                jobID INTEGER CHECK (jobID > 0),
                copy TEXT NOT NULL CHECK (copy IN ('merchant', 'customer')),
                copies INTEGER NOT NULL CHECK (copies > 0),
                medium TEXT,
                format TEXT,
                isDuplicate INTEGER NOT NULL CHECK (isDuplicate IN (0, 1)),
                state TEXT NOT NULL CHECK (state IN ('queued', 'accepted', 'sent', 'completed', 'failed', 'unknown')),
                reasons TEXT NOT NULL,
                message TEXT,
                isOpen INTEGER NOT NULL CHECK (isOpen = 0 OR (isOpen = 1 AND state NOT IN ('completed', 'failed'))),
                mayBePrinted INTEGER NOT NULL CHECK (mayBePrinted = 1 OR (mayBePrinted = 0 AND state = 'failed')),
                lease INTEGER NOT NULL,
                transitions INTEGER NOT NULL CHECK (transitions > 0),
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL
            );
            INSERT INTO followedPrintJob
            SELECT id, receiptID, printer, CASE WHEN jobID > 0 THEN jobID END, copy, copies, NULL, 'text/plain',
                EXISTS (
                    SELECT 1 FROM printJob e WHERE e.receiptID = printJob.receiptID AND e.copy = printJob.copy
                        AND e.id < printJob.id AND e.state NOT IN ('aborted', 'canceled')),
                CASE WHEN state IN ('pending', 'held') THEN 'accepted'
                    WHEN state IN ('processing', 'stopped', 'completed') THEN 'sent'
                    WHEN state IN ('canceled', 'aborted') THEN 'failed'
                    ELSE 'unknown' END,
                '', nullif(stateReasons, ''),
                coalesce(jobID, 0) > 0 AND state IN ('pending', 'held', 'processing', 'stopped'),
                coalesce(jobID, 0) > 0 OR state NOT IN ('canceled', 'aborted'),
                0, 2, createdAt, updatedAt
            FROM printJob;
            DROP TABLE printJob;
            ALTER TABLE followedPrintJob RENAME TO printJob;
            CREATE INDEX printJobByReceipt ON printJob (receiptID);
            CREATE INDEX printJobOpen ON printJob (id) WHERE isOpen = 1;

            CREATE TABLE printJobTransition (
                printJobID INTEGER NOT NULL REFERENCES printJob (id),
                sequence INTEGER NOT NULL CHECK (sequence > 0),
                state TEXT NOT NULL,
                at INTEGER NOT NULL,
                reasons TEXT NOT NULL,
                message TEXT,
                PRIMARY KEY (printJobID, sequence)
            ) WITHOUT ROWID;
            INSERT INTO printJobTransition SELECT id, 1, 'queued', createdAt, '', NULL FROM printJob;
            INSERT INTO printJobTransition SELECT id, 2, state, updatedAt, reasons, message FROM printJob;
            \(finalRows(of: "printJobTransition", "a transition"))
            """)
}
