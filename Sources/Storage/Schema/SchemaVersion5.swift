extension SchemaMigrator.Step {
    /// The readers that were used. `turn` grows with each use of another one: the largest is the last used.
    static let version5 = SchemaMigrator.Step(
        sql: """
            CREATE TABLE rememberedReader (
                id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 300),
                name TEXT NOT NULL CHECK (length(name) <= 300),
                turn INTEGER NOT NULL UNIQUE,
                usedAt INTEGER NOT NULL
            );
            """)
}
