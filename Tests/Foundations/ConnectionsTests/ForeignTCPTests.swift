import Determinism
import Testing

@testable import Connections

/// TCP with the sockets of Python at the other end.
@Suite("TCP with another program")
struct ForeignTCPTests {
    private func connected(
        _ python: Python, _ options: TCPOptions = TCPOptions()
    ) async throws -> TCPConnection {
        let address = try await python.listen()
        let client = try await TCPConnector(time: time, options: options).connect(to: address, deadline: .soon)
        try await python.run("c = accept(l)")
        return client
    }

    @Test func `slow bytes are collected, and a half-closed peer still reads`() async throws {
        let python = try Python()
        let client = try await connected(python)
        let read = Task { try await client.read(exactly: 5, deadline: .soon) }
        for byte in 1...5 { try await python.run("c.send(bytes([\(byte)]))") }
        #expect(try await read.value == [1, 2, 3, 4, 5])
        try await python.run("c.shutdown(socket.SHUT_WR)")
        #expect(try await client.read(upTo: 1, deadline: .soon) == nil)
        try await client.write(Array("late".utf8), deadline: .soon)
        #expect(try await python.run("take(c, 4)") == "b'late'")
    }

    @Test func `a peer that resets fails a read that waits, and the next write`() async throws {
        let python = try Python()
        let client = try await connected(python)
        let read = Task { await failure { _ = try await client.read(upTo: 1, deadline: .soon) } }
        try await python.run("reset(c)")
        #expect(await read.value == .reset)
        await #expect(throws: WriteFailure.notSent(.reset)) { try await client.write([1], deadline: .soon) }
    }

    @Test func `a peer that resets within a large write leaves its fate open`() async throws {
        let python = try Python()
        let client = try await connected(python)
        let write = Task {
            do throws(WriteFailure) {
                try await client.write([UInt8](repeating: 0, count: 1 << 26), deadline: .soon)
                return nil as WriteFailure?
            } catch {
                return error
            }
        }
        try await python.run("take(c, 1)")
        try await python.run("reset(c)")
        #expect(await write.value == .maybeSent(.reset))
    }

    @Test func `bytes before a reset are read first`() async throws {
        let python = try Python()
        let client = try await connected(python)
        try await python.run("c.send(b'last')\nc.close()")
        #expect(try await client.read(exactly: 4, deadline: .soon) == Array("last".utf8))
        #expect(try await client.read(exactly: 1, deadline: .soon) == nil)
    }

    @Test func `a peer that vanishes is noticed by a write`() async throws {
        let python = try Python()
        let client = try await connected(python, TCPOptions(peerTimeout: .milliseconds(300)))
        try await python.run("vanish(c)")
        // The system takes the bytes: that says nothing.
        try await client.write([1, 2, 3], deadline: .soon)
        #expect(await failure { _ = try await client.read(upTo: 1, deadline: .soon) } == .vanished)
    }

    /// The shortest time in which Linux probes a silent connection is a second.
    @Test func `a peer that vanishes is noticed in silence`() async throws {
        let python = try Python()
        let options = TCPOptions(
            peerTimeout: .milliseconds(500), probeAfter: .seconds(1), probeInterval: .seconds(1))
        let client = try await connected(python, options)
        try await python.run("vanish(c)")
        #expect(await failure { _ = try await client.read(upTo: 1, deadline: .soon) } == .vanished)
    }

    @Test func `Python's client is served`() async throws {
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: .soon, time: time)
        let python = try Python()
        try await python.run("c = socket.create_connection(('127.0.0.1', \(listener.address.port)))")
        let server = try await listener.accept(deadline: .soon)
        #expect(try await python.run("'127.0.0.1:%d' % c.getsockname()[1]") == server.peer.address)
        try await python.run("c.sendall(bytes(range(256)) * 1000)")
        #expect(try await server.read(exactly: 256_000, deadline: .soon)?.last == 255)
        let write = Task {
            try await server.write([UInt8](repeating: 7, count: 1 << 22), deadline: .soon)
            server.close()
        }
        #expect(try await python.run("len(take(c, 1 << 23))") == String(1 << 22))
        try await write.value
    }
}
