extension SchemaMigrator.Step {
    /// Finds what a host has still to be told without reading every attempt.
    static let version4 = SchemaMigrator.Step(
        sql: "CREATE INDEX attemptByAdvice ON paymentAttempt (id) WHERE advice IS NOT NULL;")
}
