/// Lets a reader of the gateway connect, once.
public struct ReaderConnectionToken: Decodable, Hashable, Sendable {
    public let secret: Secret
    public let testMode: Bool?
}
