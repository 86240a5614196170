import Concurrency
import Determinism
import Files
import Glibc
import Synchronization

/// A nonblocking stream socket that the loop of the process watches. The descriptor is closed once, at ``close(how:)``
/// or with the last reference, and never while a system call uses it.
final class StreamSocket: Sendable {
    enum End: Sendable {
        case orderly
        /// The peer's system gets a reset.
        case reset
    }

    private let loop: SocketLoop
    private let readiness = SocketReadiness()
    private let number: UInt64
    /// The descriptor; nil when closed. Holding the lock keeps it open.
    private let file: Mutex<Int32?>
    let time: any TimeSource

    /// Takes a nonblocking descriptor over.
    ///
    /// - Throws: ``ConnectionFailure/system(doing:_:)``; the descriptor is closed then.
    init(_ file: Int32, time: any TimeSource) throws(ConnectionFailure) {
        self.time = time
        do throws(ConnectionFailure) {
            loop = try SocketLoop.shared()
            number = try loop.add(file, readiness)
        } catch {
            Glibc.close(file)
            throw error
        }
        self.file = Mutex(file)
    }

    /// Makes a socket.
    ///
    /// - Throws: ``ConnectionFailure/system(doing:_:)``
    convenience init(family: Int32, time: any TimeSource) throws(ConnectionFailure) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let file = Glibc.socket(family, kind, 0)
        guard file >= 0 else { throw .system(doing: "open a socket", FileError(code: errno)) }
        try self.init(file, time: time)
    }

    deinit { close(.orderly) }

    func close(_ end: End) {
        readiness.close()
        file.withLock { file in
            guard let open = file else { return }
            file = nil
            loop.remove(open, number)
            if end == .reset {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(open, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            }
            Glibc.close(open)
        }
    }

    var isClosed: Bool { file.withLock { $0 == nil } }

    /// Makes a system call that does not block.
    ///
    /// - Parameter body: returns what the system call does; a negative number is an error.
    /// - Returns: the result, which is not negative.
    /// - Throws: ``SocketError``
    func call(_ body: (Int32) -> Int) throws(SocketError) -> Int {
        try file.withLock { file throws(SocketError) in
            guard let file else { throw .closed }
            while true {
                let result = body(file)
                if result >= 0 { return result }
                let code = errno
                guard code == EINTR else { throw .system(code) }
            }
        }
    }

    /// Sets an option. A failure is ignored, because the options only tune a connection.
    func set(_ level: Int32, _ option: Int32, _ value: Int) {
        var number = Int32(clamping: value)
        _ = try? call { Int(setsockopt($0, level, option, &number, socklen_t(MemoryLayout<Int32>.size))) }
    }

    /// Makes a call of a direction again and again until it does not report that it would block.
    ///
    /// - Parameters:
    ///   - direction: what to wait for when it would block.
    ///   - deadline: the end of the wait.
    ///   - step: what the wait is for.
    ///   - body: the call, as in ``call(_:)``.
    /// - Returns: its result.
    /// - Throws: ``ConnectionFailure``
    func perform(
        _ direction: SocketReadiness.Direction, deadline: Deadline, for step: ConnectionFailure.Step,
        _ body: (Int32) -> Int
    ) async throws(ConnectionFailure) -> Int {
        while true {
            guard !Task.isCancelled else { throw .canceled }
            readiness.clear(direction)
            do throws(SocketError) {
                return try call(body)
            } catch {
                guard error.wouldBlock else { throw error.failure(doing: step) }
            }
            try await wait(direction, deadline: deadline, for: step)
        }
    }

    /// Waits for a report since the last ``SocketReadiness/clear(_:)``.
    private func wait(
        _ direction: SocketReadiness.Direction, deadline: Deadline, for step: ConnectionFailure.Step
    ) async throws(ConnectionFailure) {
        let remaining = deadline.remaining(on: time)
        guard remaining > .zero else { throw .timedOut(step) }
        let wait = Wait()
        readiness.begin(direction, wait)
        let alarm = deadline == .never ? nil : loop.alarm(after: remaining) { wait.give(.failure(.timedOut(step))) }
        let answer = await wait.answer()
        if let alarm { loop.cancel(alarm) }
        readiness.end(direction)
        try answer.get()
    }

    /// Waits for the end of a connect(2) that was begun.
    ///
    /// - Throws: ``ConnectionFailure/timedOut(_:)``, ``ConnectionFailure/canceled``,
    ///   ``ConnectionFailure/system(doing:_:)``
    func finishConnecting(deadline: Deadline) async throws(ConnectionFailure) {
        while true {
            // A report can be about the time before the connect, so the socket itself is asked.
            readiness.clear(.writing)
            var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            do throws(SocketError) {
                _ = try call { Int(getsockopt($0, SOL_SOCKET, SO_ERROR, &code, &size)) }
                guard code == 0 else { throw .system(code) }
            } catch {
                throw error.failure(doing: .connect)
            }
            if address(getpeername) != nil { return }
            try await wait(.writing, deadline: deadline, for: .connect)
        }
    }

    /// Returns the address of one end; nil when the system does not tell.
    func address(_ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32)
        -> SocketAddress?
    {
        var (storage, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard (try? call { Int(name($0, address, &size)) }) != nil else { return nil }
                return SocketAddress(address, length: Int(size))
            }
        }
    }
}

/// An error of a system call on a socket.
enum SocketError: Error {
    /// The socket was closed before.
    case closed
    /// The value of `errno`.
    case system(Int32)

    var wouldBlock: Bool {
        if case .system(let code) = self { code == EAGAIN || code == EWOULDBLOCK } else { false }
    }

    func failure(doing step: ConnectionFailure.Step) -> ConnectionFailure {
        guard case .system(let code) = self else { return .closed }
        switch (code, step) {
        case (ECONNRESET, .read), (ECONNRESET, .write), (EPIPE, _): return .reset
        case (ETIMEDOUT, .read), (ETIMEDOUT, .write), (EHOSTUNREACH, .read), (EHOSTUNREACH, .write): return .vanished
        case (_, .read): return .system(doing: "read", FileError(code: code))
        case (_, .write): return .system(doing: "write", FileError(code: code))
        case (_, .accept): return .system(doing: "accept a connection", FileError(code: code))
        case (_, .connect), (_, .lookUp), (_, .handshake): return .system(doing: "connect", FileError(code: code))
        }
    }
}
