public import Files

/// Why a connection could not be made, or why a wait on it ended without its result.
public enum ConnectionFailure: Error, Hashable, Sendable {
    /// What a wait was for.
    public enum Step: String, Hashable, Sendable {
        case lookUp = "the name lookup"
        case connect = "the connection"
        case handshake = "the TLS handshake"
        case read = "bytes from the peer"
        case write = "the peer to take bytes"
        case accept = "a connection"
    }

    /// One address of a host, and why it was not reached.
    public struct Attempt: Hashable, Sendable {
        /// For example `192.0.2.7:8583`.
        public let address: String
        /// The system's text, or `no answer in time`.
        public let reason: String

        /// Takes an address as text, and the reason as people read it.
        public init(address: String, reason: String) { (self.address, self.reason) = (address, reason) }
    }

    /// The name servers know no address of this host.
    case unknownHost(String)
    /// The name lookup failed; the text comes from the system.
    case lookUpFailed(host: String, reason: String)
    /// No address of the host accepted.
    case notConnected(TCPAddress, [Attempt])
    /// The listener cannot listen at this address; the text comes from the system.
    case notListening(TCPAddress, reason: String)
    /// The deadline passed.
    case timedOut(Step)
    /// The waiting task was canceled.
    case canceled
    /// This side has closed the connection.
    case closed
    /// The peer's system has broken off the connection.
    case reset
    /// The peer's system has acknowledged nothing for too long: it is off, or the network between is.
    case vanished
    /// The stream ended within a read of a fixed length, with this number of bytes missing.
    case endedEarly(missing: Int)
    /// The connection failed in TLS.
    case tls(TLSFailure)
    /// A system call failed; `doing` is a verb.
    case system(doing: String, FileError)
}

/// Why a write failed, and what became of its bytes.
public enum WriteFailure: Error, Hashable, Sendable {
    /// Certainly not one byte left this process. Unless the reason is the deadline or the cancellation, the connection
    /// is closed, too.
    case notSent(ConnectionFailure)
    /// The system took at least one byte, so the peer may have received any part of them. The connection is closed.
    case maybeSent(ConnectionFailure)

    /// The reason without the fate of the bytes.
    public var reason: ConnectionFailure {
        switch self {
        case .notSent(let reason), .maybeSent(let reason): reason
        }
    }
}

extension ConnectionFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownHost(let host): "unknown host '\(host)': check the address"
        case .lookUpFailed(let host, let reason): "cannot look up '\(host)': \(reason)"
        case .notConnected(let address, let attempts):
            "cannot connect to \(address): "
                + (attempts.count == 1
                    ? attempts[0].reason
                    : attempts.map { "\($0.address): \($0.reason)" }.joined(separator: "; "))
        case .notListening(let address, let reason): "cannot listen at \(address): \(reason)"
        case .timedOut(let step): "waited too long for \(step.rawValue)"
        case .canceled: "canceled"
        case .closed: "the connection is closed"
        case .reset: "the peer broke off the connection"
        case .vanished: "the peer's system no longer answers"
        case .endedEarly(let missing): "the peer closed the connection with \(missing) bytes missing"
        case .tls(let failure): failure.description
        case .system(let doing, let error): "cannot \(doing): \(error)"
        }
    }
}

extension WriteFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notSent(let reason): "nothing was sent: \(reason)"
        case .maybeSent(let reason): "the bytes may have been sent: \(reason)"
        }
    }
}

/// A TCP port of a host.
public struct TCPAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an IP address, without brackets.
    public var host: String
    /// 1...65535; listening at port 0 takes any free port.
    public var port: UInt16

    /// Takes a name or an IP address, which is not looked up yet, and a port.
    public init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

    /// Reads `HOST:PORT` or `[IPV6]:PORT`; nil for any other text.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        let isHost = !host.isEmpty && host.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x5B && $0 != 0x5D }
        guard isHost, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        self.init(host: String(host), port: port)
    }

    /// `HOST:PORT`, with brackets around an IPv6 address.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether the host is this machine by its number or the name `localhost`: nothing leaves it.
    public var isLoopback: Bool {
        if host == "localhost" || host == "localhost." { return true }
        let literal = (try? SocketAddress.addresses(of: host, port: port, isLiteral: true))?.first
        guard let number = literal?.host else { return false }
        return number == "::1" || number.hasPrefix("127.") || number.hasPrefix("::ffff:127.")
    }
}
