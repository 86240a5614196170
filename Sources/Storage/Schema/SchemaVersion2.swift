extension SchemaMigrator.Step {
    /// The second schema keeps why offline data authentication failed.
    static let version2 = SchemaMigrator.Step(sql: "ALTER TABLE payment ADD COLUMN odaReason TEXT")
}
