// @model
/// A device that notifications are sent to (`rest/v1.1/devices/new`).
public struct DotcomDevice: Codable, Hashable, Sendable {
    public let id: String

    // Made by Scripts/generate.
    public init(id: String) {
        self.id = id
    }
    // End of what was made.
}
