/// Lets a reader of the gateway connect, once.
public struct ReaderConnectionToken: Codable, Hashable, Sendable {
    public let secret: Secret
    public let testMode: Bool?

    private enum CodingKeys: String, CodingKey { case secret, testMode }

    /// For looking at it: the secret is masked, so what is written cannot be read back.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(secret.description, forKey: .secret)
        try container.encode(testMode, forKey: .testMode)
    }
}
