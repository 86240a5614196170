internal import Determinism
internal import Dispatch
internal import Glibc
internal import Sockets
internal import Synchronization

/// A TCP connection to a printer. One task at a time uses it. It waits in poll() on a thread of its own, until the socket
/// is ready, the time is over, or the task is cancelled.
final class PrinterLink: Sendable {
    private let socket: Int32
    /// Two ends of a socket of its own. Whoever ends a wait writes into one of them.
    private let bell: Int32
    private let alarm: Int32
    private let queue = DispatchQueue(label: "printer-link")
    private let time: any TimeSource
    private let count = Mutex(0)

    /// - Throws: ``PrinterLinkError/broken(_:)`` when the process has no descriptor left.
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
        // Questions are short and waited for. A socket that keeps the option off is slower and nothing else.
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
    ///   - address: of the printer.
    ///   - limit: how long looking its name up may take, and each attempt to connect.
    ///   - time: what to wait on.
    /// - Returns: the connection.
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
                guard error != .cancelled else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// A host of more addresses than these is no printer.
    private static let addressLimit = 4

    private func connect(to address: SocketAddress, within limit: Duration) async throws(PrinterLinkError) {
        guard address.withPointer({ Glibc.connect(socket, $0, $1) }) != 0 else { return }
        guard errno == EINPROGRESS || errno == EINTR else { throw Self.error(errno) }
        try await wait(for: POLLOUT, within: limit)
        var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { throw Self.error(errno) }
        guard code == 0 else { throw Self.error(code) }
    }

    /// How many bytes have left this program. A printer may have got fewer, and had them before it hung up although its
    /// side acknowledged none.
    var bytesSent: Int { count.withLock { $0 } }

    /// How many of them the printer's side has acknowledged.
    private var bytesAcknowledged: Int {
        var waiting: Int32 = 0
        guard ioctl(socket, UInt(TIOCOUTQ), &waiting) == 0 else { return bytesSent }
        return max(0, bytesSent - Int(waiting))
    }

    /// Sends all of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: to the printer.
    ///   - patience: how long the printer may take nothing.
    /// - Throws: ``PrinterLinkError``; ``bytesSent`` tells how far it came.
    func send(_ bytes: [UInt8], patience: Duration) async throws(PrinterLinkError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard !Task.isCancelled else { throw .cancelled }
            let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent > 0 {
                count.withLock { $0 += sent }
                rest = rest.dropFirst(sent)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: try await wait(for: POLLOUT, within: patience)
            default: throw Self.error(errno)
            }
        }
    }

    /// - Parameter limit: how long the printer may say nothing.
    /// - Returns: one byte or more.
    /// - Throws: ``PrinterLinkError``
    func receive(within limit: Duration) async throws(PrinterLinkError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 256)
        while true {
            guard !Task.isCancelled else { throw .cancelled }
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

    /// Says that nothing more comes, and waits until the printer's side has acknowledged everything: closing a socket
    /// tells nobody what became of the bytes that are still in it.
    ///
    /// - Parameter patience: how long nothing may be acknowledged.
    /// - Throws: ``PrinterLinkError``
    func finish(patience: Duration) async throws(PrinterLinkError) {
        guard shutdown(socket, Int32(SHUT_WR)) == 0 else { throw Self.error(errno) }
        let total = bytesSent
        var (seen, waited) = (bytesAcknowledged, Duration.zero)
        while seen < total {
            guard waited < patience else { throw .timedOut }
            do { try await time.sleep(for: Self.acknowledgementInterval) } catch { throw .cancelled }
            waited += Self.acknowledgementInterval
            var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            if getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code != 0 { throw Self.error(code) }
            let now = bytesAcknowledged
            if now > seen { (seen, waited) = (now, .zero) }
        }
    }

    private static let acknowledgementInterval = Duration.milliseconds(20)

    // MARK: Waiting

    /// Why a wait ended before its socket was ready.
    private final class End: Sendable {
        let error = Mutex<PrinterLinkError?>(nil)
    }

    /// Whoever may end the wait holds the connection: its descriptors are not closed, and given to others, before that.
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
            stop(end, .cancelled)
        }
        if let error { throw error }
    }

    private func stop(_ end: End, _ error: PrinterLinkError) {
        end.error.withLock { $0 = $0 ?? error }
        _ = Glibc.write(bell, [1], 1)
    }

    /// On the queue's thread.
    private func poll(for events: Int32, _ end: End) -> PrinterLinkError? {
        while true {
            let error = end.error.withLock { $0 }
            var files = [
                pollfd(fd: socket, events: Int16(events), revents: 0),
                pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            ]
            // What has come counts, however late this thread gets to it.
            if Glibc.poll(&files, 2, error == nil ? -1 : 0) < 0, errno != EINTR { return Self.error(errno) }
            if files[0].revents != 0, error != .cancelled { return nil }
            if let error { return error }
            if files[1].revents != 0 {
                // Who rang too late for an earlier wait is not meant.
                var rings = [UInt8](repeating: 0, count: 16)
                _ = Glibc.read(alarm, &rings, rings.count)
            }
        }
    }

    private static func error(_ code: Int32) -> PrinterLinkError { .broken(String(cString: strerror(code))) }
}
