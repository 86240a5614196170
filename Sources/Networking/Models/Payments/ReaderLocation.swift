// @model
/// Where the gateway says that readers are.
public struct ReaderLocation: Codable, Hashable, Sendable {
    public let id: String
    public let displayName: String
    public let liveMode: Bool
    public let address: ReaderLocationAddress?

    // Made by Scripts/generate.
    public init(id: String, displayName: String, liveMode: Bool, address: ReaderLocationAddress?) {
        self.id = id
        self.displayName = displayName
        self.liveMode = liveMode
        self.address = address
    }
    // End of what was made.
}
