/// The currencies of an account, ISO 4217 in lower case.
public struct GatewayCurrencies: Codable, Hashable, Sendable {
    public let `default`: String
    public let supported: [String]
}
