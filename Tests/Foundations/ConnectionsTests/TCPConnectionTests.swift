import Determinism
import Testing

@testable import Connections

@Suite("A TCP connection")
struct TCPConnectionTests {
    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func `bytes go both ways, and an end is an end`(_ host: String) async throws {
        let pair = try await TCPPair(host)
        try await pair.client.write([1, 2, 3], deadline: .soon)
        #expect(try await pair.server.read(exactly: 3, deadline: .soon) == [1, 2, 3])
        try await pair.server.write([4], deadline: .soon)
        #expect(try await pair.client.read(upTo: 100, deadline: .soon) == [4])
        try await pair.client.write([5], deadline: .soon)
        pair.client.close()
        #expect(try await pair.server.read(upTo: 100, deadline: .soon) == [5])
        #expect(try await pair.server.read(upTo: 100, deadline: .soon) == nil)
        #expect(pair.server.peer.address.hasPrefix(host == "localhost" ? "" : host == "::1" ? "[::1]:" : "127.0.0.1:"))
    }

    @Test func `a read of a fixed length says what is missing`() async throws {
        let pair = try await TCPPair()
        try await pair.client.write([1, 2, 3], deadline: .soon)
        pair.client.close()
        #expect(
            await failure { _ = try await pair.server.read(exactly: 5, deadline: .soon) } == .endedEarly(missing: 2))
        #expect(try await pair.server.read(exactly: 5, deadline: .soon) == nil)
    }

    @Test func `last words are sent before the end`() async throws {
        let pair = try await TCPPair()
        pair.client.close(sending: [9])
        #expect(try await pair.server.read(exactly: 1, deadline: .soon) == [9])
        #expect(try await pair.server.read(exactly: 1, deadline: .soon) == nil)
    }

    @Test func `a reset of the peer is not an end`() async throws {
        let pair = try await TCPPair()
        pair.client.reset()
        #expect(await failure { _ = try await pair.server.read(upTo: 1, deadline: .soon) } == .reset)
    }

    @Test func `a connection without references is closed`() async throws {
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: .soon, time: time)
        weak var released: TCPConnection?
        do {
            let client = try await TCPConnector(time: time).connect(to: listener.address, deadline: .soon)
            released = client
        }
        let server = try await listener.accept(deadline: .soon)
        #expect(try await server.read(upTo: 1, deadline: .soon) == nil)
        #expect(released == nil)
    }

    @Test func `a deadline ends a read, takes nothing, and leaves the connection usable`() async throws {
        let pair = try await TCPPair()
        let read = await failure { _ = try await pair.server.read(upTo: 1, deadline: .after(milliseconds: 20)) }
        #expect(read == .timedOut(.read))
        try await pair.client.write([7], deadline: .soon)
        #expect(try await pair.server.read(exactly: 1, deadline: .soon) == [7])
        #expect(await failure { _ = try await pair.server.read(upTo: 1, deadline: .after(milliseconds: -1)) } != nil)
    }

    @Test func `bytes that have arrived are read after the deadline`() async throws {
        let pair = try await TCPPair()
        try await pair.client.write([7], deadline: .soon)
        pair.client.close()
        var bytes: [UInt8]?
        while bytes == nil { bytes = try? await pair.server.read(upTo: 1, deadline: .after(milliseconds: -1)) }
        #expect(bytes == [7])
    }

    @Test func `canceling a read ends it at once, takes nothing, and leaves no alarm`() async throws {
        let pair = try await TCPPair()
        for _ in 0..<1000 {
            let read = Task { await failure { _ = try await pair.server.read(upTo: 1, deadline: .soon) } }
            read.cancel()
            #expect(await read.value == .canceled)
        }
        try await pair.client.write([7], deadline: .soon)
        #expect(try await pair.server.read(exactly: 1, deadline: .soon) == [7])
        #expect(try SocketLoop.shared().load.alarms < 900)
    }

    @Test func `closing ends all waits of this side`() async throws {
        let pair = try await TCPPair()
        let reads = (0..<3).map { _ in
            Task { await failure { _ = try await pair.server.read(upTo: 1, deadline: .soon) } }
        }
        let write = Task {
            await failure { try await pair.server.write([UInt8](repeating: 0, count: 1 << 26), deadline: .soon) }
        }
        // The write has begun when the first bytes arrive.
        _ = try await pair.client.read(upTo: 1, deadline: .soon)
        pair.server.close()
        #expect(await write.value == .closed)
        for read in reads { #expect(await read.value == .closed) }
        #expect(await failure { try await pair.server.write([1], deadline: .soon) } == .closed)
    }

    // MARK: Writes that fail

    @Test func `a large write waits for a slow reader, and arrives whole`() async throws {
        let pair = try await TCPPair()
        let bytes = (0..<(1 << 22)).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }
        let write = Task { try await pair.client.write(bytes, deadline: .soon) }
        #expect(try await pair.server.read(exactly: bytes.count, deadline: .soon) == bytes)
        try await write.value
    }

    @Test func `writes of many tasks stay whole`() async throws {
        let pair = try await TCPPair()
        let count = 100_000
        let writes = (0..<20).map { number in
            Task {
                try await pair.client.write([UInt8](repeating: UInt8(number), count: count), deadline: .soon)
            }
        }
        var seen: Set<UInt8> = []
        for _ in 0..<20 {
            let bytes = try #require(try await pair.server.read(exactly: count, deadline: .soon))
            #expect(Set(bytes).count == 1)
            seen.formUnion(bytes)
        }
        #expect(seen.count == 20)
        for write in writes { try await write.value }
    }

    @Test func `a write before whose start the task was canceled sends nothing, and leaves the connection usable`()
        async throws
    {
        let pair = try await TCPPair()
        let write = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(WriteFailure) {
                try await pair.client.write([1], deadline: .soon)
                return nil as WriteFailure?
            } catch {
                return error
            }
        }
        #expect(await write.value == .notSent(.canceled))
        await #expect(throws: WriteFailure.notSent(.timedOut(.write))) {
            try await pair.client.write([1], deadline: .after(milliseconds: -1))
        }
        try await pair.client.write([2], deadline: .soon)
        #expect(try await pair.server.read(upTo: 10, deadline: .soon) == [2])
    }

    @Test func `a write that the peer does not read may have been sent, and closes the connection`() async throws {
        let pair = try await TCPPair()
        var result: WriteFailure? = .notSent(.timedOut(.write))
        // On a busy machine, a short deadline may pass before the write begins.
        for milliseconds in [50, 500, 5000] where result == .notSent(.timedOut(.write)) {
            do throws(WriteFailure) {
                let deadline = Deadline.after(milliseconds: milliseconds)
                try await pair.client.write([UInt8](repeating: 0, count: 1 << 26), deadline: deadline)
                result = nil
            } catch {
                result = error
            }
        }
        #expect(result == .maybeSent(.timedOut(.write)))
        await #expect(throws: WriteFailure.notSent(.closed)) { try await pair.client.write([1], deadline: .soon) }
    }

    @Test func `a write that waits for another one has certainly sent nothing`() async throws {
        let pair = try await TCPPair()
        let first = Task {
            try? await pair.client.write([UInt8](repeating: 0, count: 1 << 26), deadline: .soon)
        }
        _ = try await pair.server.read(upTo: 1, deadline: .soon)
        await #expect(throws: WriteFailure.notSent(.timedOut(.write))) {
            try await pair.client.write([1], deadline: .after(milliseconds: 20))
        }
        let second = Task {
            await failure { try await pair.client.write([1], deadline: .soon) }
        }
        second.cancel()
        #expect(await second.value == .canceled)
        pair.client.close()
        await first.value
    }

    @Test func `a canceled write may have been sent when the system took a part`() async throws {
        let pair = try await TCPPair()
        let write = Task {
            do throws(WriteFailure) {
                try await pair.client.write([UInt8](repeating: 0, count: 1 << 26), deadline: .soon)
                return nil as WriteFailure?
            } catch {
                return error
            }
        }
        _ = try await pair.server.read(upTo: 1, deadline: .soon)
        write.cancel()
        #expect(await write.value == .maybeSent(.canceled))
    }

    @Test func `a write to a peer that is gone has sent nothing`() async throws {
        let pair = try await TCPPair()
        pair.server.reset()
        #expect(await failure { _ = try await pair.client.read(upTo: 1, deadline: .soon) } == .reset)
        await #expect(throws: WriteFailure.notSent(.reset)) { try await pair.client.write([1], deadline: .soon) }
    }
}
