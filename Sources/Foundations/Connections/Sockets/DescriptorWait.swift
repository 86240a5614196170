import Concurrency
public import Determinism

/// Waits for the descriptor of a library that reads and writes its socket by itself, on the thread that waits for all
/// sockets of the process.
public struct DescriptorWait: Sendable {
    /// What a wait is for.
    public enum Readiness: Sendable {
        /// Bytes to read, or the end of the stream.
        case reading
        /// Room to write.
        case writing
        /// Either of them.
        case either
    }

    private let file: Int32

    /// Takes an open descriptor. It stays with its library, which must not close it during a wait.
    public init(_ file: Int32) { self.file = file }

    /// Waits until the descriptor is ready; at once when it is already. One task at a time can wait for a descriptor.
    ///
    /// - Parameters:
    ///   - readiness: what to wait for.
    ///   - deadline: the end of the wait, on `time`.
    ///   - step: what the wait is for, in words of an error.
    ///   - time: measures the deadline.
    /// - Throws: ``ConnectionFailure/timedOut(_:)``, ``ConnectionFailure/canceled``,
    ///   ``ConnectionFailure/system(doing:_:)``
    public func callAsFunction(
        for readiness: Readiness, deadline: Deadline, _ step: ConnectionFailure.Step, on time: any TimeSource
    ) async throws(ConnectionFailure) {
        let loop = try SocketLoop.shared()
        let (reports, wait) = (SocketReadiness(), Wait())
        if readiness != .writing { reports.begin(.reading, wait) }
        if readiness != .reading { reports.begin(.writing, wait) }
        // The loop reports changes. It also reports the state of a descriptor when it is added, which is why each wait
        // adds it anew: the library does not tell whether it left bytes behind.
        let number = try loop.add(file, reports)
        let answer = await wait.answer(until: deadline, on: time, for: step)
        loop.remove(file, number)
        try answer.get()
    }
}
