internal import CHIDRaw
internal import CardSecrets
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Reads from a node on a thread of its own, which waits in poll() for a report or for being told to stop.
final class HIDRawReader: Sendable {
    private struct State {
        var isClosed = false
        /// The call that has been cancelled, by its number.
        var cancelled: UInt64?
        var lastCall: UInt64 = 0
    }

    private let file: Int32
    /// Written to when a wait is to end.
    private let wake: Int32
    private let longestReport: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "hidraw")

    /// - Throws: ``HIDError/system(_:)``; the file is then still the caller's.
    init(file: Int32, longestReport: Int) throws(HIDError) {
        let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wake >= 0 else { throw HIDRawDevice.error(errno) }
        (self.file, self.wake, self.longestReport) = (file, wake, longestReport)
    }

    deinit {
        // Whoever reads holds the reader, so nobody does.
        Glibc.close(wake)
        if !state.withLock({ $0.isClosed }) { Glibc.close(file) }
    }

    func read(timeout: Duration) async throws(HIDError) -> [UInt8] {
        let call = state.withLock {
            $0.lastCall += 1
            return $0.lastCall
        }
        let result: Result<[UInt8], HIDError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(returning: Result { () throws(HIDError) in try report(call, timeout) })
                }
            }
        } onCancel: {
            state.withLock { $0.cancelled = call }
            signal()
        }
        return try result.get()
    }

    /// Ends the read that is under way, and closes the node.
    func close() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        signal()
        await withCheckedContinuation { continuation in
            queue.async { [file] in
                if isFirst { Glibc.close(file) }
                continuation.resume()
            }
        }
    }

    private func signal() {
        var one: UInt64 = 1
        _ = withUnsafeBytes(of: &one) { Glibc.write(wake, $0.baseAddress, $0.count) }
    }

    /// On the queue's thread.
    private func report(_ call: UInt64, _ timeout: Duration) throws(HIDError) -> [UInt8] {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while true {
            try requireWanted(call)
            var files = [
                pollfd(fd: file, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .timedOut }
            let ready = poll(&files, 2, Self.milliseconds(left))
            if ready < 0, errno != EINTR { throw HIDRawDevice.error(errno) }
            guard ready > 0 else { continue }
            if files[1].revents != 0 {
                var count: UInt64 = 0
                _ = withUnsafeMutableBytes(of: &count) { Glibc.read(wake, $0.baseAddress, $0.count) }
            }
            guard files[0].revents != 0 else { continue }
            try requireWanted(call)
            var report = [UInt8](repeating: 0, count: longestReport)
            let count = Glibc.read(file, &report, report.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count >= 0 else { throw HIDRawDevice.error(errno) }
            guard count > 0 else { throw .deviceGone }
            // A card may be in it.
            defer { report.wipe() }
            return Array(report.prefix(count))
        }
    }

    private func requireWanted(_ call: UInt64) throws(HIDError) {
        let (isClosed, isCancelled) = state.withLock { ($0.isClosed, $0.cancelled == call) }
        if isClosed { throw .closed }
        if isCancelled { throw .cancelled }
    }

    /// Rounded up, so that no wait is shorter than asked for; poll() is asked again when it was longer than it counts.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
