internal import Glibc
internal import Sockets

/// A stream socket to the other side of a door. One task at a time sends, and one receives; cancelling a task ends
/// its wait.
final class DoorConnection: Sendable {
    /// How long the other side may take to accept a connection, or bytes, or to send what it owes.
    static let standardPatience = Duration.seconds(10)

    private let socket: Int32
    /// In milliseconds.
    private let patience: Int32
    private let isTCP: Bool
    private let sender: SocketWaiter
    private let receiver: SocketWaiter

    /// Takes a socket that does not block, and closes it in the end. `patience` is how long the other side may take.
    ///
    /// - Throws: ``DoorError/unreachable(_:reason:)`` when the process has no descriptor left.
    init(
        socket: Int32, address: DoorAddress, patience: Duration = DoorConnection.standardPatience
    ) throws(DoorError) {
        self.socket = socket
        let (seconds, attoseconds) = patience.components
        self.patience = Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000)
        if case .tcp = address { isTCP = true } else { isTCP = false }
        do throws(DoorError) {
            sender = try SocketWaiter(for: address)
            receiver = try SocketWaiter(for: address)
        } catch {
            close(socket)
            throw error
        }
        guard isTCP else { return }
        // Answers are short and waited for.
        set(IPPROTO_TCP, TCP_NODELAY)
        set(Int(SOL_SOCKET), SO_KEEPALIVE)
    }

    deinit { close(socket) }

    /// Connects to whoever listens at the address.
    ///
    /// - Throws: ``DoorError/unreachable(_:reason:)``, ``DoorError/cancelled``
    static func open(_ address: DoorAddress) async throws(DoorError) -> DoorConnection {
        var reason = "there is no such host"
        for candidate in await SocketAddress.resolve(address, try SocketWaiter(for: address)) {
            let socket = Glibc.socket(
                candidate.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            guard socket >= 0 else {
                reason = systemText(errno)
                continue
            }
            let connection = try DoorConnection(socket: socket, address: address)
            let code = try await connection.connect(to: candidate)
            guard code != 0 else { return connection }
            reason = systemText(code)
        }
        throw .unreachable(address, reason: reason)
    }

    /// - Returns: 0, or the `errno` of the failure.
    private func connect(to address: SocketAddress) async throws(DoorError) -> Int32 {
        guard address.withPointer({ Glibc.connect(socket, $0, $1) }) != 0 else { return 0 }
        guard errno == EINPROGRESS || errno == EINTR else { return errno }
        switch await sender.wait(for: socket, POLLOUT, milliseconds: patience) {
        case .cancelled: throw .cancelled
        case .late: return ETIMEDOUT
        case .ready: break
        }
        var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    /// Waits until the other side sends something.
    ///
    /// - Parameter isOwed: whether the other side has to send something now. Otherwise it may take as long as it likes.
    /// - Returns: one byte or more.
    /// - Throws: ``DoorError/peerGone(reason:)``, ``DoorError/cancelled``
    func receive(isOwed: Bool = false) async throws(DoorError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            // A sender that writes length and message apart waits for the first one's acknowledgement, which the
            // system would put off by 40 ms. It forgets this setting after a while.
            if isTCP { set(IPPROTO_TCP, TCP_QUICKACK) }
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 { return Array(buffer.prefix(count)) }
            guard count < 0 else { throw .peerGone(reason: nil) }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                switch await receiver.wait(for: socket, POLLIN, milliseconds: isOwed ? patience : -1) {
                case .ready: continue
                case .cancelled: throw .cancelled
                case .late: throw .peerGone(reason: "it says no more")
                }
            default: throw .peerGone(reason: systemText(errno))
            }
        }
    }

    /// Sends all of the bytes.
    ///
    /// - Throws: ``DoorError/peerGone(reason:)``, ``DoorError/cancelled``
    func send(_ bytes: [UInt8]) async throws(DoorError) {
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
                switch await sender.wait(for: socket, POLLOUT, milliseconds: patience) {
                case .ready: continue
                case .cancelled: throw .cancelled
                case .late: throw .peerGone(reason: "it takes no more bytes")
                }
            default: throw .peerGone(reason: systemText(errno))
            }
        }
    }

    /// Sends what the system takes at once, and waits for nothing.
    @discardableResult
    func sendNow(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Switches an option of the socket on. One that cannot be set costs time and nothing else.
    private func set(_ level: Int, _ option: Int32) {
        var on: Int32 = 1
        setsockopt(socket, Int32(level), option, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// The system's words for an `errno`.
func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }
