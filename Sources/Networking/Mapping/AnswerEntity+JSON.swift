extension AnswerEntity.Value {
    /// What was read, as JSON. Secrets are masked.
    ///
    /// - Throws: what the value throws that is encoded.
    public func json() throws -> JSONValue {
        // What there is none of, such as the account of a gateway that nobody has set up.
        guard let value = value as? any Encodable else { return .null }
        return try JSONValue(encoding: value)
    }
}

/// For looking at it: what is written cannot be read back.
extension ReaderConnectionToken: Encodable {
    private enum ShownKeys: String, CodingKey { case secret, testMode }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ShownKeys.self)
        try container.encode(secret.description, forKey: .secret)
        try container.encode(testMode, forKey: .testMode)
    }
}
