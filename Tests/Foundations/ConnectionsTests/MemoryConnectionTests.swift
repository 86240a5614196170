import Determinism
import Testing

@testable import Connections

@Suite("A connection in memory")
struct MemoryConnectionTests {
    private let clock = VirtualTimeSource()

    private func deadline(_ seconds: Int = 60) -> Deadline { Deadline(after: .seconds(seconds), on: clock) }

    @Test func `bytes go both ways, and an end is an end`() async throws {
        let (first, second) = MemoryConnection.pair(time: clock, names: ("till", "host"))
        #expect(first.peer.address == "host")
        #expect(second.peer.address == "till")
        try await first.write([1, 2, 3], deadline: deadline())
        #expect(try await second.read(upTo: 2, deadline: deadline()) == [1, 2])
        first.close(sending: [4])
        #expect(try await second.read(exactly: 2, deadline: deadline()) == [3, 4])
        #expect(try await second.read(upTo: 1, deadline: deadline()) == nil)
        await #expect(throws: WriteFailure.notSent(.reset)) { try await second.write([1], deadline: deadline()) }
        #expect(await failure { _ = try await first.read(upTo: 1, deadline: deadline()) } == .closed)
    }

    @Test func `a reset is an error for both directions`() async throws {
        let (first, second) = MemoryConnection.pair(time: clock)
        try await first.write([1], deadline: deadline())
        first.reset()
        #expect(await failure { _ = try await second.read(upTo: 1, deadline: deadline()) } == .reset)
    }

    @Test func `a full connection makes a write wait, in virtual time`() async throws {
        let (first, second) = MemoryConnection.pair(time: clock, capacity: 4)
        let start = clock.reading()
        await #expect(throws: WriteFailure.maybeSent(.timedOut(.write))) {
            try await first.write([1, 2, 3, 4, 5], deadline: deadline(3))
        }
        #expect(clock.elapsed(since: start) == .seconds(3))
        #expect(try await second.read(exactly: 4, deadline: deadline()) == [1, 2, 3, 4])
        #expect(try await second.read(upTo: 1, deadline: deadline()) == nil)
    }

    @Test func `a read waits in virtual time, and leaves the connection usable`() async throws {
        let (first, second) = MemoryConnection.pair(time: clock)
        let start = clock.reading()
        #expect(await failure { _ = try await second.read(upTo: 1, deadline: deadline(30)) } == .timedOut(.read))
        #expect(clock.elapsed(since: start) == .seconds(30))
        let canceled = Task { await failure { _ = try await second.read(upTo: 1, deadline: .never) } }
        canceled.cancel()
        #expect(await canceled.value == .canceled)
        try await first.write([1], deadline: deadline())
        #expect(try await second.read(upTo: 1, deadline: deadline()) == [1])
    }

    @Test func `a large write passes a small capacity`() async throws {
        let (first, second) = MemoryConnection.pair(time: time, capacity: 7)
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let write = Task { try await first.write(bytes, deadline: .never) }
        #expect(try await second.read(exactly: 1000, deadline: .never) == bytes)
        try await write.value
    }

    @Test func `a connection without references ends`() async throws {
        var first: MemoryConnection?
        let second: MemoryConnection
        (first, second) = MemoryConnection.pair(time: clock)
        #expect(first != nil)
        first = nil
        #expect(try await second.read(upTo: 1, deadline: deadline()) == nil)
    }
}
