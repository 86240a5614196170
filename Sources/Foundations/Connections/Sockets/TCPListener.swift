import CLinux
import Concurrency
public import Determinism
import Files
import Glibc
import Synchronization

/// Listens at a TCP port.
public final class TCPListener: Sendable {
    /// The address with the actual port, also when it was opened with port 0.
    public let address: TCPAddress
    private let socket: StreamSocket
    private let options: TCPOptions
    private let places: ListenerPlaces
    private let turns = Turns()

    /// Measures the deadlines.
    var time: any TimeSource { socket.time }

    /// Listens at the first address of a host where this is possible. A port whose former connections are still dying
    /// is free (`SO_REUSEADDR`).
    ///
    /// - Parameters:
    ///   - address: a name or an IP address of this machine, and a port; 0 takes any free port.
    ///   - connectionLimit: how many accepted connections may be open at a time. Further clients wait in the system's
    ///     queue until one closes.
    ///   - options: of the accepted connections.
    ///   - deadline: the end of the name lookup.
    ///   - time: measures the deadlines.
    /// - Returns: the listener.
    /// - Throws: ``ConnectionFailure``
    public static func open(
        _ address: TCPAddress, connectionLimit: Int = 1024, options: TCPOptions = TCPOptions(),
        deadline: Deadline, time: any TimeSource
    ) async throws(ConnectionFailure) -> TCPListener {
        var reason = "unknown host"
        for candidate in try await NameLookUps.shared.addresses(of: address, deadline: deadline, time) {
            let socket = try StreamSocket(family: candidate.family, time: time)
            socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
            do throws(SocketError) {
                _ = try socket.call { file in Int(candidate.withPointer { bind(file, $0, $1) }) }
                _ = try socket.call { file in Int(listen(file, backlog)) }
            } catch {
                if case .system(let code) = error { reason = FileError(code: code).description }
                continue
            }
            let port = socket.address(getsockname)?.port ?? address.port
            return TCPListener(
                socket, TCPAddress(host: address.host, port: port), options, connectionLimit: connectionLimit)
        }
        throw .notListening(address, reason: reason)
    }

    private static let backlog: Int32 = 512

    private init(_ socket: StreamSocket, _ address: TCPAddress, _ options: TCPOptions, connectionLimit: Int) {
        (self.socket, self.address, self.options) = (socket, address, options)
        places = ListenerPlaces(max(1, connectionLimit))
    }

    /// Waits for the next connection. While the process has no free file descriptor, it waits for one, so that clients
    /// cannot end the listening.
    ///
    /// - Parameter deadline: the end of the wait.
    /// - Returns: the connection.
    /// - Throws: ``ConnectionFailure/timedOut(_:)``, ``ConnectionFailure/canceled``, ``ConnectionFailure/closed``
    public func accept(deadline: Deadline = .never) async throws(ConnectionFailure) -> TCPConnection {
        try await turns.take(until: deadline, on: socket.time, for: .accept)
        defer { turns.release() }
        let place = try await places.take(until: deadline, on: socket.time)
        while true {
            do throws(ConnectionFailure) {
                var peer: SocketAddress?
                let file = try await socket.perform(.reading, deadline: deadline, for: .accept) { file in
                    var (storage, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
                    return withUnsafeMutablePointer(to: &storage) { pointer in
                        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                            let accepted = accept_nonblocking(file, address, &size)
                            if accepted >= 0 { peer = SocketAddress(address, length: Int(size)) }
                            return Int(accepted)
                        }
                    }
                }
                let accepted = try StreamSocket(Int32(truncatingIfNeeded: file), time: socket.time)
                return TCPConnection(
                    accepted, peer: peer?.description ?? "unknown", options: options, place: place)
            } catch {
                guard case .system(_, let system) = error else { throw error }
                switch system.code {
                // The client is gone already; accept(2) reports what is wrong with the connection.
                case ECONNABORTED, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
                    ENETUNREACH, EPERM:
                    continue
                default: try await rest(until: deadline)
                }
            }
        }
    }

    /// Waits a moment for free descriptors or memory.
    private func rest(until deadline: Deadline) async throws(ConnectionFailure) {
        guard deadline.remaining(on: socket.time) > .zero else { throw .timedOut(.accept) }
        guard !socket.isClosed else { throw .closed }
        let pause = Wait()
        let alarm = try SocketLoop.shared().alarm(after: .milliseconds(100)) { pause.give(.success(())) }
        let answer = await pause.answer()
        try SocketLoop.shared().cancel(alarm)
        try answer.get()
    }

    /// Stops listening. Accepted connections stay open.
    public func close() {
        socket.close(.orderly)
        places.close()
    }
}

/// The number of connections of a listener that may still be accepted.
final class ListenerPlaces: Sendable {
    /// One connection of the limit. Its end gives it back.
    final class Place: Sendable {
        private let places: ListenerPlaces

        fileprivate init(_ places: ListenerPlaces) { self.places = places }

        deinit { places.giveBack() }
    }

    private struct State {
        var free: Int
        var waiting: Wait?
        var isClosed = false
    }

    private let state: Mutex<State>

    init(_ limit: Int) { state = Mutex(State(free: limit)) }

    /// Waits for a place. One task at a time can wait.
    func take(until deadline: Deadline, on time: any TimeSource) async throws(ConnectionFailure) -> Place {
        while true {
            let wait = Wait()
            let (hasPlace, isClosed) = state.withLock { state in
                guard !state.isClosed else { return (false, true) }
                guard state.free == 0 else {
                    state.free -= 1
                    return (true, false)
                }
                state.waiting = wait
                return (false, false)
            }
            if isClosed { throw .closed }
            if hasPlace { return Place(self) }
            try await wait.answer(until: deadline, on: time, for: .accept).get()
        }
    }

    private func giveBack() {
        state.withLock { state in
            state.free += 1
            defer { state.waiting = nil }
            return state.waiting
        }?.give(.success(()))
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            defer { state.waiting = nil }
            return state.waiting
        }?.give(.failure(.closed))
    }
}
