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

extension SuccessResult {
    /// - Throws: ``NetworkError/service(_:)`` when the server says that it did not do it.
    func confirm() throws(NetworkError) {
        guard !success else { return }
        throw .service(
            ServiceError(status: 200, code: "not_done", message: "the server answered that it did not do it"))
    }
}
