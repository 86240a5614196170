import Concurrency
import Determinism
import Dispatch
import Files
import Glibc
import Synchronization

/// A TCP connection to a printer, used by one task at a time. It waits in poll() on its own thread until the socket is
/// ready, the time is over, or the task is canceled.
final class PrinterLink: Sendable {
    private let socket: Int32
    /// A socket pair. Writing into one end wakes the thread that waits.
    private let bell: Int32
    private let alarm: Int32
    private let queue = DispatchQueue(label: "printer-link")
    private let time: any TimeSource
    private let count = Mutex(0)

    /// - Throws: ``PrinterLinkError/broken(_:)`` when the process has no free file descriptor.
    private init(family: Int32, time: any TimeSource) throws(PrinterLinkError) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(family, kind, 0)
        guard socket >= 0 else { throw Self.error(errno) }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            let error = Self.error(errno)
            close(socket)
            throw error
        }
        (self.socket, bell, alarm, self.time) = (socket, ends[0], ends[1], time)
        var on: Int32 = 1
        // Queries are short, and the program waits for their answers. If this option fails, the connection is only
        // slower.
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(socket)
        close(bell)
        close(alarm)
    }

    /// Connects to the first address of the host that accepts.
    ///
    /// - Parameters:
    ///   - address: The printer's address.
    ///   - limit: The longest time for the name lookup, and for each attempt to connect.
    ///   - time: The time source for the waits.
    /// - Returns: The connection.
    /// - Throws: ``PrinterLinkError``
    static func open(
        _ address: PrinterAddress, within limit: Duration, _ time: any TimeSource
    ) async throws(PrinterLinkError) -> PrinterLink {
        var failure = PrinterLinkError.unknownHost
        for candidate in try await SocketAddress.resolve(address, within: limit, time).prefix(addressLimit) {
            let link = try PrinterLink(family: candidate.family, time: time)
            do throws(PrinterLinkError) {
                try await link.connect(to: candidate, within: limit)
                return link
            } catch {
                guard error != .canceled else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Tries at most this many addresses of a host.
    private static let addressLimit = 4

    private func connect(to address: SocketAddress, within limit: Duration) async throws(PrinterLinkError) {
        guard address.withPointer({ Glibc.connect(socket, $0, $1) }) != 0 else { return }
        guard errno == EINPROGRESS || errno == EINTR else { throw Self.error(errno) }
        try await wait(for: POLLOUT, within: limit)
        var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { throw Self.error(errno) }
        guard code == 0 else { throw Self.error(code) }
    }

    /// The number of bytes sent. The printer may have received fewer; it may also have received all of them before it
    /// closed the connection without an acknowledgment.
    var bytesSent: Int { count.withLock { $0 } }

    /// The number of bytes that the printer's side has acknowledged.
    private var bytesAcknowledged: Int {
        var waiting: Int32 = 0
        guard ioctl(socket, UInt(TIOCOUTQ), &waiting) == 0 else { return bytesSent }
        return max(0, bytesSent - Int(waiting))
    }

    /// Sends all of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to send.
    ///   - timeout: The longest time in which the printer may accept nothing.
    /// - Throws: ``PrinterLinkError``; ``bytesSent`` is the number of bytes sent so far.
    func send(_ bytes: [UInt8], timeout: Duration) async throws(PrinterLinkError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard !Task.isCancelled else { throw .canceled }
            let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent > 0 {
                count.withLock { $0 += sent }
                rest = rest.dropFirst(sent)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: try await wait(for: POLLOUT, within: timeout)
            default: throw Self.error(errno)
            }
        }
    }

    /// - Parameter limit: The longest time to wait for data.
    /// - Returns: One byte or more.
    /// - Throws: ``PrinterLinkError``
    func receive(within limit: Duration) async throws(PrinterLinkError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 256)
        while true {
            guard !Task.isCancelled else { throw .canceled }
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 { return Array(buffer.prefix(count)) }
            guard count < 0 else { throw .closed }
            switch errno {
            case EINTR: continue
            case EAGAIN: try await wait(for: POLLIN, within: limit)
            default: throw Self.error(errno)
            }
        }
    }

    /// Ends the sending side, and waits until the printer's side has acknowledged everything: closing a socket does not
    /// report the fate of the bytes that are still in it.
    ///
    /// - Parameter timeout: The longest time without an acknowledgment.
    /// - Throws: ``PrinterLinkError``
    func finish(timeout: Duration) async throws(PrinterLinkError) {
        guard shutdown(socket, Int32(SHUT_WR)) == 0 else { throw Self.error(errno) }
        let total = bytesSent
        var (seen, waited) = (bytesAcknowledged, Duration.zero)
        while seen < total {
            guard waited < timeout else { throw .timedOut }
            do { try await time.sleep(for: Self.acknowledgmentInterval) } catch { throw .canceled }
            waited += Self.acknowledgmentInterval
            var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            if getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code != 0 { throw Self.error(code) }
            let now = bytesAcknowledged
            if now > seen { (seen, waited) = (now, .zero) }
        }
    }

    private static let acknowledgmentInterval = Duration.milliseconds(20)

    // MARK: Waiting

    /// Why a wait ended before its socket was ready.
    private final class End: Sendable {
        let error = Mutex<PrinterLinkError?>(nil)
    }

    /// The closure that may end the wait keeps the connection alive, so that its descriptors are not closed and reused
    /// before.
    private func wait(for events: Int32, within limit: Duration) async throws(PrinterLinkError) {
        let end = End()
        let deadline = Task(priority: .high) {
            guard (try? await time.sleep(for: limit)) != nil else { return }
            stop(end, .timedOut)
        }
        defer { deadline.cancel() }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.poll(for: events, end)) }
            }
        } onCancel: {
            stop(end, .canceled)
        }
        if let error { throw error }
    }

    private func stop(_ end: End, _ error: PrinterLinkError) {
        end.error.withLock { $0 = $0 ?? error }
        _ = Glibc.write(bell, [1], 1)
    }

    /// Runs on the queue's thread.
    private func poll(for events: Int32, _ end: End) -> PrinterLinkError? {
        while true {
            let error = end.error.withLock { $0 }
            var files = [
                pollfd(fd: socket, events: Int16(events), revents: 0),
                pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            ]
            // Data that has arrived counts, however late this thread runs.
            if Glibc.poll(&files, 2, error == nil ? -1 : 0) < 0, errno != EINTR { return Self.error(errno) }
            if files[0].revents != 0, error != .canceled { return nil }
            if let error { return error }
            if files[1].revents != 0 {
                // Discards wake-ups that were meant for an earlier wait.
                var rings = [UInt8](repeating: 0, count: 16)
                _ = Glibc.read(alarm, &rings, rings.count)
            }
        }
    }

    private static func error(_ code: Int32) -> PrinterLinkError { .broken(String(cString: strerror(code))) }
}

/// Why a connection to a network printer failed.
enum PrinterLinkError: Error, Hashable, Sendable {
    case unknownHost
    /// The printer did not accept the connection or data, or sent nothing, in time.
    case timedOut
    /// The printer has closed its side of the connection.
    case closed
    /// The system's error message.
    case broken(String)
    case canceled

    /// A human-readable message.
    var words: String {
        switch self {
        case .unknownHost: "unknown host"
        case .timedOut: "no answer in time"
        case .closed: "the printer closed the connection"
        case .broken(let text): text
        case .canceled: "canceled"
        }
    }
}

extension SocketAddress {
    /// Returns the addresses of the host, in the order in which to try them. The system's lookup cannot be ended: one
    /// that takes too long is abandoned.
    ///
    /// - Throws: ``PrinterLinkError/unknownHost``, ``PrinterLinkError/timedOut``, ``PrinterLinkError/canceled``
    static func resolve(
        _ address: PrinterAddress, within limit: Duration, _ time: any TimeSource
    ) async throws(PrinterLinkError) -> [SocketAddress] {
        let answer = FirstAnswer<[SocketAddress], PrinterLinkError>()
        let deadline = Task(priority: .high) {
            guard (try? await time.sleep(for: limit)) != nil else { return }
            answer.give(.failure(.timedOut))
        }
        defer { deadline.cancel() }
        let found = try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                DispatchQueue.global().async { @Sendable in
                    answer.give(.success(lookUp(address.host, port: address.port)))
                }
            }
        } onCancel: {
            answer.give(.failure(.canceled))
        }.get()
        guard !found.isEmpty else { throw .unknownHost }
        return found
    }
}
