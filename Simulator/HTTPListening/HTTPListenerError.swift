/// Why nobody listens at a port.
public struct HTTPListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    public let host: String
    public let port: Int
    public let reason: String

    /// - Parameters:
    ///   - host: where it was to listen.
    ///   - port: where it was to listen.
    ///   - reason: for people.
    public init(host: String, port: Int, reason: String) { (self.host, self.port, self.reason) = (host, port, reason) }

    public var description: String { "cannot listen at \(host):\(port): \(reason)" }
}
