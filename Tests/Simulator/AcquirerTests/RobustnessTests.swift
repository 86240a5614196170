import Determinism
import ISO8583
import SimulatedTime
import Simulator
import Testing

@testable import Acquirer

@Suite("What clients must not do to the simulated acquirer", .simulatedTime)
struct RobustnessTests {
    @Test func `wrong lengths and garbage end their connection only`() async throws {
        let world = try AcquirerWorld()
        let good = world.client()
        for bytes: [UInt8] in [[0xFF, 0xFF, 0x30], [0, 0], Array("GET / HTTP/1.1\r\n\r\n".utf8)] {
            let client = world.client()
            try await client.write(bytes)
            #expect(try await client.content() == nil)
        }
        #expect(world.ends == Array(repeating: "the bytes are no frames of the profile", count: 3))
        #expect(try await good.code(try world.sale(1)) == "00")
    }

    @Test func `a length of 4 GiB is refused at once`() async throws {
        let world = try AcquirerWorld("iso2003")
        let client = world.client()
        try await client.write([0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try await client.content() == nil)
        #expect(world.ends == ["the bytes are no frames of the profile"])
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `messages that cannot be read are told, and too many end the connection`(name: String) async throws {
        let world = try AcquirerWorld(name)
        let client = world.client()
        let random = SeededRandomSource(seed: 7)
        for count in 1...9 {
            try await client.write(try #require(world.profile.frame.frame(random.bytes(count * 40))))
        }
        _ = try await client.ask(try world.message(.echo, 1))
        try await client.write(try #require(world.profile.frame.frame([UInt8](repeating: 0xFF, count: 200))))
        #expect(try await client.content() == nil)
        #expect(world.ends == ["too many messages that cannot be read"])
    }

    @Test func `slow clients run out of time, and silent ones too`() async throws {
        let world = try AcquirerWorld()
        let (slow, silent) = (world.client(), world.client())
        try await slow.write([0])
        for _ in 0..<30 {
            try await world.clock.sleep(for: .seconds(1))
            try? await slow.write([0x30])
        }
        #expect(world.ends == ["a frame took too long"])
        try await world.clock.sleep(for: .seconds(600))
        #expect(try await silent.content() == nil)
        #expect(world.ends == ["a frame took too long", "no message for too long"])
    }

    @Test func `a client that does not read runs out of time`() async throws {
        var limits = AcquirerLimits()
        limits.write = .seconds(5)
        let world = try AcquirerWorld(limits: limits)
        let client = world.client()
        let frame = try client.frame(try world.message(.echo, 1))
        let writing = Task {
            for _ in 0..<5_000 { try? await client.write(frame) }
        }
        try await world.clock.sleep(for: .seconds(60))
        #expect(world.ends.count == 1)
        await writing.value
    }

    @Test func `an answer from a client is answered by nothing`() async throws {
        let world = try AcquirerWorld()
        let client = world.client()
        var answer = try world.message(.echo, 1)
        answer.type = try #require(MessageType("0810"))
        try await client.send(answer)
        #expect(try await client.receive() == nil)
        #expect(try await client.code(try world.message(.echo, 2)) == "00")
    }

    @Test func `messages come in any pieces, and keep-alives are answered`() async throws {
        let world = try AcquirerWorld("iso87-bcd-tpdu")
        let client = world.client()
        var bytes = try client.frame(try world.sale(1)) + [0, 0]
        bytes += try client.frame(try world.sale(2))
        for byte in bytes { try await client.write([byte]) }
        #expect(try await client.receive()?.text(of: 11) == "000001")
        #expect(try await client.content() == .keepAlive)
        #expect(try await client.receive()?.text(of: 11) == "000002")
    }

    @Test func `two hundred connections at once are served`() async throws {
        let world = try AcquirerWorld()
        let codes = try await withThrowingTaskGroup { group in
            for number in 1...200 {
                let sale = try world.sale(number, amount: 100, terminal: "TERM\(1000 + number)")
                let client = world.client()
                group.addTask { try await client.code(sale) }
            }
            return try await group.reduce(into: [String: Int]()) { $0[$1 ?? "", default: 0] += 1 }
        }
        #expect(codes == ["00": 200])
        #expect(await world.acquirer.records.count == 200)
    }
}
