// @model
/// An answer that says only whether it was done.
public struct SuccessResult: Codable, Hashable, Sendable {
    public let success: Bool

    // Made by Scripts/generate.
    public init(success: Bool) {
        self.success = success
    }
    // End of what was made.
}
