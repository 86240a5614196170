/// An answer that says only whether it was done.
public struct SuccessResult: Codable, Hashable, Sendable {
    public let success: Bool
}
