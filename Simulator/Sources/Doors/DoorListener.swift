internal import Glibc
internal import Sockets

/// A place where others connect to.
final class DoorListener: Sendable {
    private static let backlog: Int32 = 16
    /// How long to wait for descriptors or memory to come free: milliseconds.
    private static let pause: Int32 = 100

    /// Where it is: the port that the system gave when 0 was asked for.
    let address: DoorAddress
    private let socket: Int32
    private let waiter: SocketWaiter
    private let patience: Duration

    /// Listens at an address; port 0 stands for any that is free. `patience` is how long those who connect may take.
    ///
    /// - Throws: ``DoorError/notListening(_:reason:)``
    static func open(
        _ address: DoorAddress, patience: Duration = DoorConnection.standardPatience
    ) async throws(DoorError) -> DoorListener {
        let waiter = try SocketWaiter(for: address)
        var reason = "there is no such host"
        for candidate in await SocketAddress.resolve(address, waiter) {
            let socket = Glibc.socket(
                candidate.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            guard socket >= 0 else {
                reason = systemText(errno)
                continue
            }
            if case .tcp = address {
                // Connections of a server that has just ended do not keep the next one from its port.
                var on: Int32 = 1
                setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            guard candidate.withPointer({ bind(socket, $0, $1) }) == 0, listen(socket, backlog) == 0 else {
                reason = systemText(errno)
                close(socket)
                continue
            }
            return DoorListener(socket, boundAddress(socket, address), waiter, patience)
        }
        throw .notListening(address, reason: reason)
    }

    private init(_ socket: Int32, _ address: DoorAddress, _ waiter: SocketWaiter, _ patience: Duration) {
        (self.socket, self.address, self.waiter, self.patience) = (socket, address, waiter, patience)
    }

    deinit {
        close(socket)
        if case .unix(let path) = address { unlink(path) }
    }

    /// Waits for the next connection. When the process or the system has no descriptor left for one, it waits until one
    /// comes free: whoever connects does not end the listening.
    ///
    /// - Throws: ``DoorError/notListening(_:reason:)``, ``DoorError/cancelled``
    func accept() async throws(DoorError) -> DoorConnection {
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let socket = Glibc.accept(socket, nil, nil)
            guard socket < 0 else {
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
                do throws(DoorError) {
                    return try DoorConnection(socket: socket, address: address, patience: patience)
                } catch {
                    try await rest()
                    continue
                }
            }
            switch errno {
            // Who has gone before it was let in is no loss.
            case EINTR, ECONNABORTED: continue
            case EAGAIN:
                if await waiter.wait(for: self.socket, POLLIN, milliseconds: -1) == .cancelled { throw .cancelled }
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: try await rest()
            default: throw .notListening(address, reason: systemText(errno))
            }
        }
    }

    private func rest() async throws(DoorError) {
        // Waits for no socket, so that only the time ends it.
        if await waiter.wait(for: -1, POLLIN, milliseconds: Self.pause) == .cancelled { throw .cancelled }
    }

    private static func boundAddress(_ socket: Int32, _ address: DoorAddress) -> DoorAddress {
        guard case .tcp(let host, 0) = address else { return address }
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let bytes = withUnsafeMutablePointer(to: &storage) { pointer in
            let code = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
            return code == 0 ? withUnsafeBytes(of: pointer.pointee) { Array($0.prefix(4)) } : []
        }
        // Both families of addresses have the port in the third and fourth byte, the higher first.
        return bytes.count < 4 ? address : .tcp(host: host, port: UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
    }
}
