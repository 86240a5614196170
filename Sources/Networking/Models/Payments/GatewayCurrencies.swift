// @model
/// The currencies of an account, ISO 4217 in lower case.
public struct GatewayCurrencies: Codable, Hashable, Sendable {
    public let `default`: String
    public let supported: [String]  // @json

    // Made by Scripts/generate.
    public init(default: String, supported: [String]) {
        self.`default` = `default`
        self.supported = supported
    }
    // End of what was made.
}
