import Connections
import Determinism
import Synchronization

/// The way out of one connection of a till. Messages leave in the order of the calls, and the caller never waits.
final class ZVTLine: Sendable {
    private final class Backlog: Sendable {
        private let count = Mutex(0)

        /// - Returns: The bytes that wait, with these.
        func add(_ bytes: Int) -> Int {
            count.withLock { count in
                count += bytes
                return count
            }
        }
    }

    private let messages: AsyncStream<[UInt8]>.Continuation
    private let backlog = Backlog()
    private let writing: Task<Void, Never>

    /// A till that lets more bytes wait does not read.
    private static let mostBytes = 1 << 17

    /// - Parameters:
    ///   - connection: the connection, which is closed after the last message.
    ///   - limit: how long the till's system may take for a message.
    ///   - time: measures the limit.
    init(_ connection: any ByteConnection, limit: Duration, time: any TimeSource) {
        let (waiting, messages) = AsyncStream.makeStream(of: [UInt8].self)
        self.messages = messages
        writing = Task { [backlog] in
            for await message in waiting {
                do throws(WriteFailure) {
                    try await connection.write(message, deadline: Deadline(after: limit, on: time))
                } catch { break }
                _ = backlog.add(-message.count)
            }
            connection.close()
        }
    }

    /// Sends a message. A till that does not read loses its connection.
    func send(_ message: [UInt8]) {
        if backlog.add(message.count) > Self.mostBytes { writing.cancel() } else { messages.yield(message) }
    }

    /// Closes the connection after the messages that wait.
    func finish() { messages.finish() }
}
