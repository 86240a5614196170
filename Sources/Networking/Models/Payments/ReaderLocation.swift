/// Where the gateway says that readers are.
public struct ReaderLocation: Codable, Hashable, Sendable {
    public let id: String
    public let displayName: String
    public let liveMode: Bool
    public let address: ReaderLocationAddress?
}
