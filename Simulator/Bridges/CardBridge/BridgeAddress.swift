import Files

/// The address of a bridge or of its peer.
public enum BridgeAddress: Hashable, Sendable, CustomStringConvertible {
    /// A TCP port, 1...65535, of a host given by name or IP address. Listening at port 0 takes any free port.
    case tcp(host: String, port: UInt16)
    /// The path of a UNIX socket.
    case unix(path: String)

    /// Parses `HOST:PORT`, `[IPV6]:PORT`, or the path of a UNIX socket, which contains a slash.
    ///
    /// Returns nil for any other text.
    ///
    /// - Parameters:
    ///   - text: the address.
    ///   - isOwn: whether to listen at the address, which allows port 0.
    public init?(_ text: String, isOwn: Bool = false) {
        if text.contains("/") {
            self = .unix(path: text)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
            port > 0 || isOwn
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .tcp(host: String(host), port: port)
    }

    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): path
        }
    }
}

/// The protocol of a bridge.
public enum BridgeKind: String, Hashable, Sendable, CaseIterable {
    /// The virtual reader of pcscd (vsmartcard's vpcd).
    case vpcd
    /// QEMU's `ccid-card-passthru`.
    case vscard

    func session() -> any BridgeSession {
        switch self {
        case .vpcd: VPCDSession()
        case .vscard: VSCardSession()
        }
    }
}

extension SocketAddress {
    /// Returns the addresses to try, in order; empty if the host does not exist or the path is too long for the
    /// system.
    static func resolve(_ address: BridgeAddress, _ waiter: SocketWaiter) async -> [SocketAddress] {
        switch address {
        case .unix(let path): [SocketAddress(path: path)].compactMap(\.self)
        case .tcp(let host, let port): await waiter.run { lookUp(host, port: port) }
        }
    }
}

/// An error that ended a bridge.
public enum BridgeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing listens at the address, or it cannot be reached. The text comes from the system.
    case unreachable(BridgeAddress, reason: String)
    /// Listening at the address failed. The text comes from the system.
    case notListening(BridgeAddress, reason: String)
    /// No peer connected to this address in time.
    case noConnection(BridgeAddress)
    /// The peer disconnected. The text comes from the system; nil for an orderly end.
    case peerDisconnected(reason: String?)
    /// The card stayed mute, which the protocol can only express by closing the connection.
    case cardMute
    /// The card was removed, as its profile says.
    case cardRemoved
    /// The peer violated the protocol; the text says where.
    case malformed(String)
    /// The peer rejected the card (VSCard error codes: 1 general, 2 no free reader, 3 the reader has a card).
    case refused(code: UInt32)
    /// The task was canceled.
    case canceled

    public var description: String {
        switch self {
        case .unreachable(let address, let reason): "cannot connect to \(address): \(reason)"
        case .notListening(let address, let reason): "cannot listen on \(address): \(reason)"
        case .noConnection(let address): "no connection to \(address) in time"
        case .peerDisconnected(let reason): reason.map { "the peer disconnected: \($0)" } ?? "the peer disconnected"
        case .cardMute: "the card does not answer"
        case .cardRemoved: "the card was removed"
        case .malformed(let place): "the peer violated the protocol: \(place)"
        case .refused(2): "the peer has no free reader for the card"
        case .refused(3): "the peer already has a card"
        case .refused(let code): "the peer rejected the card with error \(code)"
        case .canceled: "canceled"
        }
    }
}
