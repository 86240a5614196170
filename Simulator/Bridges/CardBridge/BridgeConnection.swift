import Files
import Glibc

/// A stream socket to a bridge's peer. One task at a time can send, and one receive; canceling a task ends its wait.
final class BridgeConnection: Sendable {
    /// The default time limit for the peer to accept a connection, take bytes, or send what it owes.
    static let standardTimeout = Duration.seconds(10)

    private let socket: Int32
    /// The time limit in milliseconds.
    private let timeout: Int32
    private let isTCP: Bool
    private let sender: SocketWaiter
    private let receiver: SocketWaiter

    /// Takes ownership of a nonblocking socket. `timeout` is the time limit for the peer.
    ///
    /// - Throws: ``BridgeError/unreachable(_:reason:)`` if the process has no free file descriptor.
    init(
        socket: Int32, address: BridgeAddress, timeout: Duration = BridgeConnection.standardTimeout
    ) throws(BridgeError) {
        self.socket = socket
        let (seconds, attoseconds) = timeout.components
        self.timeout = Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000)
        if case .tcp = address { isTCP = true } else { isTCP = false }
        do throws(BridgeError) {
            sender = try SocketWaiter(for: address)
            receiver = try SocketWaiter(for: address)
        } catch {
            close(socket)
            throw error
        }
        guard isTCP else { return }
        // Answers are short, and the peer waits for them.
        set(IPPROTO_TCP, TCP_NODELAY)
        set(Int(SOL_SOCKET), SO_KEEPALIVE)
    }

    deinit { close(socket) }

    /// Connects to an address.
    ///
    /// - Throws: ``BridgeError/unreachable(_:reason:)``, ``BridgeError/canceled``
    static func open(_ address: BridgeAddress) async throws(BridgeError) -> BridgeConnection {
        var reason = "unknown host"
        for candidate in await SocketAddress.resolve(address, try SocketWaiter(for: address)) {
            let socket = Glibc.socket(
                candidate.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            guard socket >= 0 else {
                reason = systemText(errno)
                continue
            }
            let connection = try BridgeConnection(socket: socket, address: address)
            let code = try await connection.connect(to: candidate)
            guard code != 0 else { return connection }
            reason = systemText(code)
        }
        throw .unreachable(address, reason: reason)
    }

    /// - Returns: 0, or the `errno` of the failure.
    private func connect(to address: SocketAddress) async throws(BridgeError) -> Int32 {
        guard address.withPointer({ Glibc.connect(socket, $0, $1) }) != 0 else { return 0 }
        guard errno == EINPROGRESS || errno == EINTR else { return errno }
        switch await sender.wait(for: socket, POLLOUT, milliseconds: timeout) {
        case .canceled: throw .canceled
        case .late: return ETIMEDOUT
        case .ready: break
        }
        var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    /// Waits for bytes from the peer.
    ///
    /// - Parameter isOwed: whether the peer must send something now. If not, there is no time limit.
    /// - Returns: one byte or more.
    /// - Throws: ``BridgeError/peerDisconnected(reason:)``, ``BridgeError/canceled``
    func receive(isOwed: Bool = false) async throws(BridgeError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            guard !Task.isCancelled else { throw .canceled }
            // A sender that writes length and message separately waits for the acknowledgment of the first, which the
            // system would delay by 40 ms. The setting must be renewed from time to time.
            if isTCP { set(IPPROTO_TCP, TCP_QUICKACK) }
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 { return Array(buffer.prefix(count)) }
            guard count < 0 else { throw .peerDisconnected(reason: nil) }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                switch await receiver.wait(for: socket, POLLIN, milliseconds: isOwed ? timeout : -1) {
                case .ready: continue
                case .canceled: throw .canceled
                case .late: throw .peerDisconnected(reason: "it stopped sending")
                }
            default: throw .peerDisconnected(reason: systemText(errno))
            }
        }
    }

    /// Sends all bytes.
    ///
    /// - Throws: ``BridgeError/peerDisconnected(reason:)``, ``BridgeError/canceled``
    func send(_ bytes: [UInt8]) async throws(BridgeError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = sendNow(rest)
            guard count < 0 else {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                switch await sender.wait(for: socket, POLLOUT, milliseconds: timeout) {
                case .ready: continue
                case .canceled: throw .canceled
                case .late: throw .peerDisconnected(reason: "it stopped receiving")
                }
            default: throw .peerDisconnected(reason: systemText(errno))
            }
        }
    }

    /// Sends what the system takes at once, without waiting.
    @discardableResult
    func sendNow(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Turns on a socket option. A failure only costs time.
    private func set(_ level: Int, _ option: Int32) {
        var on: Int32 = 1
        setsockopt(socket, Int32(level), option, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// Returns the system's description of an `errno`.
func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }
