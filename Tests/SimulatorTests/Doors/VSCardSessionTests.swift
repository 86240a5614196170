import Testing

@testable import Simulator

struct VSCardSessionTests {
    private static let greeting = "00000001 FFFFFFFF 0000000C 56534344 00000002 00000000"
    private static let accepted = "00000002 00000000 00000004 00000000"
    private static let readerAdd = "00000003 FFFFFFFF 0000000C 43617264 50726573 656E7400"

    private func take(_ session: inout VSCardSession, _ text: String) throws -> [DoorStep] {
        session.receive(hex(text))
        var steps: [DoorStep] = []
        while let next = try session.next() { steps += next }
        return steps
    }

    /// A session whose card is in reader 0.
    private func inserted() throws -> VSCardSession {
        var session = VSCardSession()
        _ = try take(&session, Self.greeting)
        _ = try take(&session, Self.accepted)
        _ = session.answer(hex("3B600000"), to: .powerOn)
        #expect(try take(&session, Self.accepted) == [])
        return session
    }

    @Test func `the card greets, adds a reader and is put in`() throws {
        var session = VSCardSession()
        #expect(session.greeting() == hex(Self.greeting))
        #expect(try take(&session, Self.greeting) == [.ask(.powerOff), .send(hex(Self.readerAdd))])
        #expect(try take(&session, "00000002 00000003 00000004 00000000") == [.ask(.powerOn)])
        #expect(
            session.answer(hex("3B600000"), to: .powerOn) == hex("00000005 00000003 00000004 3B600000"))
    }

    @Test func `a command gets its answer under the same reader`() throws {
        var session = try inserted()
        #expect(
            try take(&session, "00000007 00000000 00000005 00B2010C00") == [.ask(.command(hex("00B2010C00")))])
        #expect(session.answer(hex("6A82"), to: .command([])) == hex("00000007 00000000 00000002 6A82"))
        #expect(session.answer([], to: .command([])) == hex("00000007 00000000 00000000"))
    }

    @Test func `a flush is completed`() throws {
        var session = try inserted()
        #expect(try take(&session, "00000008 00000000 00000000") == [.send(hex("00000009 00000000 00000000"))])
    }

    @Test func `the card goes through the whole of it again when QEMU greets again`() throws {
        var session = try inserted()
        #expect(try take(&session, Self.greeting) == [.ask(.powerOff), .send(hex(Self.readerAdd))])
        #expect(session.farewell() == [])
        #expect(try take(&session, Self.accepted) == [.ask(.powerOn)])
    }

    @Test func `a card that is in takes its leave`() throws {
        #expect(VSCardSession().farewell() == [])
        #expect(try inserted().farewell() == hex("00000006 00000000 00000000"))
    }

    @Test func `a card that does not answer to reset is not put in`() throws {
        var session = VSCardSession()
        _ = try take(&session, Self.greeting)
        _ = try take(&session, Self.accepted)
        #expect(session.answer([], to: .powerOn) == [])
        #expect(session.farewell() == [])
    }

    @Test(arguments: [1, 2, 3, 77] as [UInt32])
    func `a refusal is told`(code: UInt32) throws {
        var session = VSCardSession()
        _ = try take(&session, Self.greeting)
        var message = hex("00000002 00000000 00000004")
        message.append(bigEndian: code)
        session.receive(message)
        #expect(throws: DoorError.refused(code: code)) { try session.next() }
    }

    @Test(arguments: [
        "00000000 00000000 00000000", "0000000A 00000000 00000000", "00000007 00000000 00010041",
        "00000007 00000000 FFFFFFFF", "00000001 FFFFFFFF 00000004 56534345", "00000002 00000000 00000003 000000",
        "00000005 00000000 00000002 3B00", "00000009 00000000 00000000",
    ])
    func `what QEMU never says is refused`(text: String) {
        var session = VSCardSession()
        session.receive(hex(text))
        #expect(throws: DoorError.self) { try session.next() }
    }

    @Test func `whatever comes, in whatever pieces, there are steps or an error`() throws {
        let noise = Noise(seed: 21)
        let good = hex(Self.greeting + Self.accepted + Self.accepted + "00000007 00000000 00000005 00B2010C00")
        for _ in 0..<1000 {
            let bytes = noise.number(0...4) > 0 ? noise.mutated(good) : noise.bytes(60)
            var session = VSCardSession()
            var count = 0
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = noise.number(1...30)
                session.receive(Array(rest.prefix(piece)))
                rest = rest.dropFirst(piece)
                while true {
                    guard let next = try? session.next() else { break }
                    count += next.count
                }
            }
            #expect(count * 6 <= bytes.count)
        }
    }
}
