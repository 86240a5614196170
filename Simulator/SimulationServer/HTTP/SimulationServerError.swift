/// Why a service is not served.
public struct SimulationServerError: Error, Hashable, Sendable, CustomStringConvertible {
    public let host: String
    public let port: Int
    public let reason: String

    public var description: String { "cannot listen at \(host):\(port): \(reason)" }
}
