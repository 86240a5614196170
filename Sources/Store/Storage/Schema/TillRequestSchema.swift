extension SchemaMigrator.Step {
    /// Schema 22 adds the requests of tills at the terminal of this database, under the names that the tills' protocols
    /// have for them; see ``TillRequest``.
    ///
    /// `attemptID` is written in the transaction that begins the attempt, so that no attempt is without its request. A
    /// request is evidence, and never deleted.
    static let tillRequests = SchemaMigrator.Step(
        sql: """
            CREATE TABLE tillRequest (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 300),
                protocol TEXT NOT NULL CHECK (length(protocol) BETWEEN 1 AND 20),
                request TEXT NOT NULL CHECK (json_valid(request)),
                note TEXT NOT NULL CHECK (json_valid(note)),
                attemptID INTEGER REFERENCES paymentAttempt (id),
                ending TEXT CHECK (length(ending) BETWEEN 1 AND 40),
                isConfirmed INTEGER NOT NULL CHECK (isConfirmed IN (0, 1)),
                isTakenBack INTEGER NOT NULL CHECK (isTakenBack IN (0, 1)),
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL
            );
            CREATE INDEX tillRequestByProtocol ON tillRequest (protocol, id);
            CREATE TRIGGER tillRequestIsNeverDeleted BEFORE DELETE ON tillRequest
            BEGIN SELECT RAISE(ABORT, 'a request of a till is never deleted'); END;
            """)

    /// Schema 23 adds the objects of tills at the terminal of this database; see ``TillObject``.
    static let tillObjects = SchemaMigrator.Step(
        sql: """
            CREATE TABLE tillObject (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 300),
                protocol TEXT NOT NULL CHECK (length(protocol) BETWEEN 1 AND 20),
                kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 40),
                contents TEXT NOT NULL CHECK (json_valid(contents)),
                createdAt INTEGER NOT NULL,
                updatedAt INTEGER NOT NULL
            );
            CREATE INDEX tillObjectByKind ON tillObject (protocol, kind, id);
            """)
}
