import Concurrency
public import Determinism
import Synchronization

/// A connection within the process, in the time of a `TimeSource`: for simulated worlds and tests.
///
/// Each direction holds a limited number of bytes, so a write waits for a reader that is too slow.
public final class MemoryConnection: ByteConnection {
    public let peer: ConnectionPeer
    private let incoming: MemoryPipe
    private let outgoing: MemoryPipe
    private let (readers, writers) = (Turns(), Turns())
    private let time: any TimeSource

    /// Makes both ends of a connection.
    ///
    /// - Parameters:
    ///   - time: measures the deadlines.
    ///   - capacity: how many unread bytes each direction holds.
    ///   - names: how each end calls its own address.
    /// - Returns: both ends.
    public static func pair(
        time: any TimeSource, capacity: Int = 1 << 16, names: (String, String) = ("memory:1", "memory:2")
    ) -> (first: MemoryConnection, second: MemoryConnection) {
        let (toFirst, toSecond) = (MemoryPipe(capacity), MemoryPipe(capacity))
        return (
            MemoryConnection(peer: names.1, reading: toFirst, writing: toSecond, time),
            MemoryConnection(peer: names.0, reading: toSecond, writing: toFirst, time)
        )
    }

    private init(peer: String, reading incoming: MemoryPipe, writing outgoing: MemoryPipe, _ time: any TimeSource) {
        self.peer = ConnectionPeer(address: peer)
        (self.incoming, self.outgoing, self.time) = (incoming, outgoing, time)
    }

    deinit { close() }

    public func read(upTo limit: Int, deadline: Deadline) async throws(ConnectionFailure) -> [UInt8]? {
        try await readers.take(until: deadline, on: time, for: .read)
        defer { readers.release() }
        while true {
            guard !Task.isCancelled else { throw .canceled }
            let wait = Wait()
            if let result = incoming.take(upTo: max(1, limit), orWait: wait) { return try result.get() }
            try await wait.answer(until: deadline, on: time, for: .read).get()
        }
    }

    public func write(_ bytes: [UInt8], deadline: Deadline) async throws(WriteFailure) {
        var sent = 0
        do throws(ConnectionFailure) {
            guard deadline.remaining(on: time) > .zero else { throw .timedOut(.write) }
            try await writers.take(until: deadline, on: time, for: .write)
            defer { writers.release() }
            while sent < bytes.count {
                guard !Task.isCancelled else { throw .canceled }
                let wait = Wait()
                let count = try outgoing.put(bytes[sent...], orWait: wait).get()
                sent += count
                if count == 0 { try await wait.answer(until: deadline, on: time, for: .write).get() }
            }
        } catch {
            guard sent > 0 else { throw .notSent(error) }
            close()
            throw .maybeSent(error)
        }
    }

    public func close(sending last: [UInt8]) {
        if !last.isEmpty, writers.takeIfFree() {
            _ = outgoing.put(last[...], orWait: Wait())
            writers.release()
        }
        outgoing.end(writer: .closed, reader: nil)
        incoming.end(writer: .reset, reader: .closed)
    }

    public func reset() {
        outgoing.end(writer: .closed, reader: .reset)
        incoming.end(writer: .reset, reader: .closed)
    }
}

/// One direction of a ``MemoryConnection``.
private final class MemoryPipe: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var reader: Wait?
        var writer: Wait?
        /// What a writer gets after the end.
        var writerFailure: ConnectionFailure?
        /// What a reader gets after the end, at once; without it, it gets the rest and then the end.
        var readerFailure: ConnectionFailure?
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(_ capacity: Int) { self.capacity = max(1, capacity) }

    /// - Returns: Bytes or the end; nil when there are none yet, and `wait` will be answered.
    func take(upTo limit: Int, orWait wait: Wait) -> Result<[UInt8]?, ConnectionFailure>? {
        let (result, writer) = state.withLock { state -> (Result<[UInt8]?, ConnectionFailure>?, Wait?) in
            if let failure = state.readerFailure { return (.failure(failure), nil) }
            guard state.bytes.isEmpty else {
                let taken = Array(state.bytes.prefix(limit))
                state.bytes.removeFirst(taken.count)
                defer { state.writer = nil }
                return (.success(taken), state.writer)
            }
            if state.writerFailure != nil { return (.success(nil), nil) }
            state.reader = wait
            return (nil, nil)
        }
        writer?.give(.success(()))
        return result
    }

    /// - Returns: How many bytes were taken; with 0, `wait` will be answered.
    func put(_ bytes: ArraySlice<UInt8>, orWait wait: Wait) -> Result<Int, ConnectionFailure> {
        let (result, reader) = state.withLock { state -> (Result<Int, ConnectionFailure>, Wait?) in
            if let failure = state.writerFailure { return (.failure(failure), nil) }
            let part = bytes.prefix(capacity - state.bytes.count)
            guard !part.isEmpty else {
                state.writer = wait
                return (.success(0), nil)
            }
            state.bytes += part
            defer { state.reader = nil }
            return (.success(part.count), state.reader)
        }
        reader?.give(.success(()))
        return result
    }

    /// Ends the direction. The first end counts for each side.
    func end(writer: ConnectionFailure, reader: ConnectionFailure?) {
        let waiting = state.withLock { state in
            state.writerFailure = state.writerFailure ?? writer
            state.readerFailure = state.readerFailure ?? reader
            defer { (state.reader, state.writer) = (nil, nil) }
            return [state.reader, state.writer].compactMap(\.self)
        }
        // The waiting tasks look again.
        for wait in waiting { wait.give(.success(())) }
    }
}
