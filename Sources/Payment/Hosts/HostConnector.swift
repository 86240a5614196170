public import Connections
public import Determinism

/// Makes the connections of a link.
public protocol HostConnector: Sendable {
    /// - Throws: `ConnectionFailure`
    func connect(deadline: Deadline) async throws(ConnectionFailure) -> any ByteConnection
}

/// Connects to a host over TCP, and over TLS wherever bytes leave this machine.
public struct NetworkConnector: HostConnector {
    /// A host elsewhere without TLS: card data would cross the network in clear.
    public struct NeedsTLS: Error, Hashable, CustomStringConvertible {
        public let address: TCPAddress

        public var description: String { "\(address) is not this machine, and needs TLS" }
    }

    public let address: TCPAddress
    private let tls: TLSClient?
    private let time: any TimeSource

    /// - Parameters:
    ///   - address: the host.
    ///   - tls: the client's side of TLS; nil only for a loopback address.
    ///   - time: measures the deadlines.
    /// - Throws: ``NeedsTLS``
    public init(_ address: TCPAddress, tls: TLSClient?, time: any TimeSource) throws(NeedsTLS) {
        guard tls != nil || address.isLoopback else { throw NeedsTLS(address: address) }
        (self.address, self.tls, self.time) = (address, tls, time)
    }

    /// Whether ``secure(_:deadline:)`` has something to do.
    public var usesTLS: Bool { tls != nil }

    public func connect(deadline: Deadline) async throws(ConnectionFailure) -> any ByteConnection {
        try await secure(try await reach(deadline: deadline), deadline: deadline)
    }

    /// Looks up the host, and connects: the first part of ``connect(deadline:)``.
    ///
    /// - Throws: `ConnectionFailure`
    public func reach(deadline: Deadline) async throws(ConnectionFailure) -> any ByteConnection {
        try await TCPConnector(time: time).connect(to: address, deadline: deadline)
    }

    /// Carries out the TLS handshake: the second part of ``connect(deadline:)``.
    ///
    /// - Throws: `ConnectionFailure`
    public func secure(
        _ connection: any ByteConnection, deadline: Deadline
    ) async throws(ConnectionFailure) -> any ByteConnection {
        guard let tls else { return connection }
        return try await tls.secure(connection, host: address.host, deadline: deadline)
    }
}

/// The pauses before new connections after failed ones.
public struct ReconnectPauses: Hashable, Sendable {
    /// The pause after the first failure, the second, and so on. The last one goes on.
    public var values: [Duration]
    /// The most that is added at random, in percent, so that the tills of a shop do not come together.
    public var spread: Int

    public init(_ values: [Duration] = [0, 1, 2, 5, 15, 30, 60].map { .seconds($0) }, spread: Int = 20) {
        (self.values, self.spread) = (values, spread)
    }

    func pause(after failures: Int, _ random: any RandomSource) -> Duration {
        guard failures > 0, let last = values.last else { return .zero }
        let pause = failures <= values.count ? values[failures - 1] : last
        guard spread > 0, pause > .zero else { return pause }
        return pause + pause * Int(random.number(in: 0...UInt32(clamping: spread))) / 100
    }
}
