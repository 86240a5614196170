import Determinism
import Testing

@testable import Connections

@Suite("A TCP listener")
struct TCPListenerTests {
    private func listener(limit: Int = 1024) async throws -> TCPListener {
        try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), connectionLimit: limit, deadline: .soon, time: time)
    }

    private func connect(_ listener: TCPListener) async throws -> TCPConnection {
        try await TCPConnector(time: time).connect(to: listener.address, deadline: .soon)
    }

    @Test func `a port that is taken is told, and a former one is free at once`() async throws {
        let first = try await listener()
        let failure = await failure {
            _ = try await TCPListener.open(first.address, deadline: .soon, time: time)
        }
        #expect(failure == .notListening(first.address, reason: "Address already in use"))
        let client = try await connect(first)
        let server = try await first.accept(deadline: .soon)
        // The side that closes first keeps the port in TIME_WAIT.
        server.close()
        #expect(try await client.read(upTo: 1, deadline: .soon) == nil)
        first.close()
        let second = try await TCPListener.open(first.address, deadline: .soon, time: time)
        _ = try await connect(second)
    }

    @Test func `waiting for a client ends by deadline, cancellation, and closing`() async throws {
        let listener = try await listener()
        #expect(
            await failure { _ = try await listener.accept(deadline: .after(milliseconds: 10)) } == .timedOut(.accept))
        let canceled = Task { await failure { _ = try await listener.accept() } }
        canceled.cancel()
        #expect(await canceled.value == .canceled)
        let waiting = Task { await failure { _ = try await listener.accept() } }
        await Task.yield()
        listener.close()
        #expect(await waiting.value == .closed)
        #expect(await failure { _ = try await listener.accept() } == .closed)
    }

    @Test func `clients beyond the limit wait until another one is gone`() async throws {
        let listener = try await listener(limit: 2)
        var clients: [TCPConnection] = []
        for _ in 0..<3 { clients.append(try await connect(listener)) }
        let first = try await listener.accept(deadline: .soon)
        var second: TCPConnection? = try await listener.accept(deadline: .soon)
        #expect(second != nil)
        #expect(
            await failure { _ = try await listener.accept(deadline: .after(milliseconds: 20)) } == .timedOut(.accept))
        let third = Task { try await listener.accept(deadline: .soon) }
        first.close()
        let accepted = try await third.value
        #expect(
            await failure { _ = try await listener.accept(deadline: .after(milliseconds: 20)) } == .timedOut(.accept))
        // Also without a word.
        second = nil
        clients.append(try await connect(listener))
        let fourth = try await listener.accept(deadline: .soon)
        withExtendedLifetime((accepted, fourth)) {}
    }

    @Test func `a listener serves clients side by side, and ends with its task`() async throws {
        let listener = try await listener()
        let served = Shared(0)
        let serving = Task {
            await failure {
                try await listener.serve { connection in
                    while let bytes = try? await connection.read(upTo: 100, deadline: .soon) {
                        try? await connection.write(bytes, deadline: .soon)
                    }
                    served.change { $0 += 1 }
                }
            }
        }
        let clients = [try await connect(listener), try await connect(listener)]
        for (number, client) in clients.enumerated().reversed() {
            try await client.write([UInt8(number)], deadline: .soon)
            #expect(try await client.read(exactly: 1, deadline: .soon) == [UInt8(number)])
        }
        clients[0].close()
        serving.cancel()
        #expect(await serving.value == .canceled)
        #expect(served.value == 2)
        #expect(try await clients[1].read(upTo: 1, deadline: .soon) == nil)
    }

    @Test func `200 connections exchange messages on one thread`() async throws {
        let listener = try await listener()
        let serving = Task {
            try? await listener.serve { connection in
                while let bytes = try? await connection.read(exactly: 8, deadline: .soon) {
                    try? await connection.write(bytes, deadline: .soon)
                }
            }
        }
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let client = try await TCPConnector(time: time).connect(to: listener.address, deadline: .soon)
                    var sum = 0
                    for round in 0..<20 {
                        let message = withUnsafeBytes(of: UInt64(number * 100 + round)) { Array($0) }
                        try await client.write(message, deadline: .soon)
                        let answer = try await client.read(exactly: 8, deadline: .soon)
                        sum += answer == message ? 1 : 0
                    }
                    return sum
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 4000)
        serving.cancel()
        await serving.value
    }
}
