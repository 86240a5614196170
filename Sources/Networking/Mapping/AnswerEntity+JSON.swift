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
