import Dispatch
import Files
import Glibc

/// A socket that accepts connections.
final class BridgeListener: Sendable {
    private static let backlog: Int32 = 16
    /// The wait for free file descriptors or memory, in milliseconds.
    private static let pause: Int32 = 100

    /// The actual address, with the port that the system assigned for port 0.
    let address: BridgeAddress
    private let socket: Int32
    private let waiter: SocketWaiter
    private let timeout: Duration

    /// Listens at an address; port 0 takes any free port. `timeout` is the time limit for peers.
    ///
    /// - Throws: ``BridgeError/notListening(_:reason:)``
    static func open(
        _ address: BridgeAddress, timeout: Duration = BridgeConnection.standardTimeout
    ) async throws(BridgeError) -> BridgeListener {
        let waiter = try SocketWaiter(for: address)
        var reason = "unknown host"
        for candidate in await SocketAddress.resolve(address, waiter) {
            let socket = Glibc.socket(
                candidate.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            guard socket >= 0 else {
                reason = systemText(errno)
                continue
            }
            if case .tcp = address {
                // Connections of a server that just ended do not block its port.
                var on: Int32 = 1
                setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            guard candidate.withPointer({ bind(socket, $0, $1) }) == 0, listen(socket, backlog) == 0 else {
                reason = systemText(errno)
                close(socket)
                continue
            }
            return BridgeListener(socket, boundAddress(socket, address), waiter, timeout)
        }
        throw .notListening(address, reason: reason)
    }

    private init(_ socket: Int32, _ address: BridgeAddress, _ waiter: SocketWaiter, _ timeout: Duration) {
        (self.socket, self.address, self.waiter, self.timeout) = (socket, address, waiter, timeout)
    }

    deinit {
        close(socket)
        if case .unix(let path) = address { unlink(path) }
    }

    /// Waits for the next connection. Without a free file descriptor it waits until one is free, so that peers cannot
    /// end the listening.
    ///
    /// - Throws: ``BridgeError/notListening(_:reason:)``, ``BridgeError/canceled``
    func accept() async throws(BridgeError) -> BridgeConnection {
        while true {
            guard !Task.isCancelled else { throw .canceled }
            let socket = Glibc.accept(socket, nil, nil)
            guard socket < 0 else {
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
                do throws(BridgeError) {
                    return try BridgeConnection(socket: socket, address: address, timeout: timeout)
                } catch {
                    try await rest()
                    continue
                }
            }
            switch errno {
            // The peer disconnected before it was accepted.
            case EINTR, ECONNABORTED: continue
            case EAGAIN:
                if await waiter.wait(for: self.socket, POLLIN, milliseconds: -1) == .canceled { throw .canceled }
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: try await rest()
            default: throw .notListening(address, reason: systemText(errno))
            }
        }
    }

    private func rest() async throws(BridgeError) {
        // Waits on no socket: only the timeout ends it.
        if await waiter.wait(for: -1, POLLIN, milliseconds: Self.pause) == .canceled { throw .canceled }
    }

    private static func boundAddress(_ socket: Int32, _ address: BridgeAddress) -> BridgeAddress {
        guard case .tcp(let host, 0) = address else { return address }
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let bytes = withUnsafeMutablePointer(to: &storage) { pointer in
            let code = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
            return code == 0 ? withUnsafeBytes(of: pointer.pointee) { Array($0.prefix(4)) } : []
        }
        // In both address families the port is in the third and fourth byte, most significant first.
        return bytes.count < 4 ? address : .tcp(host: host, port: UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
    }
}

/// Waits for a socket on a thread outside Swift's task pool, until the socket is ready or the waiting task is
/// canceled.
final class SocketWaiter: Sendable {
    enum End: Hashable, Sendable { case ready, late, canceled }

    private let queue = DispatchQueue(label: "cardpresent.bridge")
    /// A socket pair: a canceled task writes to one end to end the wait on the other.
    private let bell: Int32
    private let alarm: Int32

    /// - Throws: ``BridgeError/unreachable(_:reason:)`` if the process has no free file descriptor.
    init(for address: BridgeAddress) throws(BridgeError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .unreachable(address, reason: systemText(errno)) }
        (bell, alarm) = (ends[0], ends[1])
    }

    deinit {
        close(bell)
        close(alarm)
    }

    /// Waits for an event on a socket.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - events: `POLLIN` or `POLLOUT`.
    ///   - milliseconds: the timeout; negative for none.
    /// - Returns: how the wait ended.
    func wait(for socket: Int32, _ events: Int32, milliseconds: Int32) async -> End {
        let end = await run { [alarm] in
            var watched = [
                pollfd(fd: socket, events: Int16(events), revents: 0),
                pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                let count = poll(&watched, 2, milliseconds)
                if count < 0, errno == EINTR { continue }
                if watched[1].revents != 0 { return End.canceled }
                return count == 0 ? .late : .ready
            }
        }
        return Task.isCancelled ? .canceled : end
    }

    /// Runs a blocking call.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: body()) }
            }
        } onCancel: {
            _ = write(bell, [1], 1)
        }
    }
}
