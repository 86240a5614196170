extension SchemaMigrator.Step {
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
