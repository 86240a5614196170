import Testing

@testable import Simulator

struct VPCDSessionTests {
    /// The steps that these bytes bring, cut into pieces of this size.
    private func steps(_ bytes: [UInt8], piece: Int = .max) throws -> [BridgeStep] {
        var session = VPCDSession()
        var steps: [BridgeStep] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            session.receive(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
            while let next = try session.next() { steps += next }
        }
        return steps
    }

    @Test(arguments: [1, 2, 3, 5, .max])
    func `messages are parsed in any fragmentation`(piece: Int) throws {
        let bytes = hex("0001 01 0001 04 0005 00B2010C00 0001 02 0001 00 0002 0102")
        #expect(
            try steps(bytes, piece: piece) == [
                .ask(.powerOn), .ask(.answerToReset), .ask(.command(hex("00B2010C00"))), .ask(.reset), .ask(.powerOff),
                .ask(.command([1, 2])),
            ])
    }

    @Test func `the longest message is accepted`() throws {
        let command = [UInt8](repeating: 7, count: 0xFFFF)
        #expect(try steps([0xFF, 0xFF] + command) == [.ask(.command(command))])
    }

    @Test func `only the answer to reset and commands are answered`() {
        var session = VPCDSession()
        #expect(session.answer(hex("3B00"), to: .powerOn) == [])
        #expect(session.answer(hex("3B00"), to: .reset) == [])
        #expect(session.answer([], to: .powerOff) == [])
        #expect(session.answer(hex("3B00"), to: .answerToReset) == hex("0002 3B00"))
        let long = [UInt8](repeating: 0x61, count: 258)
        #expect(session.answer(long, to: .command([0])) == hex("0102") + long)
        #expect(session.greeting() == [] && session.farewell() == [])
    }

    @Test func `a mute card ends the connection, since a message without bytes would stop pcscd`() {
        var session = VPCDSession()
        #expect(session.answer([], to: .answerToReset) == nil)
        #expect(session.answer([], to: .command([0])) == nil)
    }

    @Test(arguments: ["0000", "000103", "0001FF"])
    func `an unknown control byte and an empty message are rejected`(text: String) {
        #expect(throws: BridgeError.self) { try steps(hex(text)) }
    }

    @Test func `any input results in steps or an error`() {
        let noise = Noise(seed: 20)
        let good = hex("0001 01 0001 04 0005 00B2010C00 0001 00")
        for _ in 0..<2000 {
            let bytes = noise.number(0...1) == 0 ? noise.mutated(good) : noise.bytes(40)
            let steps = (try? steps(bytes, piece: noise.number(1...9))) ?? []
            #expect(steps.count * 3 <= bytes.count)
        }
    }
}

struct VSCardSessionTests {
    private static let greeting = "00000001 FFFFFFFF 0000000C 56534344 00000002 00000000"
    private static let accepted = "00000002 00000000 00000004 00000000"
    private static let readerAdd = "00000003 FFFFFFFF 0000000C 43617264 50726573 656E7400"

    private func take(_ session: inout VSCardSession, _ text: String) throws -> [BridgeStep] {
        session.receive(hex(text))
        var steps: [BridgeStep] = []
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

    @Test func `the card sends its greeting, adds a reader, and is inserted`() throws {
        var session = VSCardSession()
        #expect(session.greeting() == hex(Self.greeting))
        #expect(try take(&session, Self.greeting) == [.ask(.powerOff), .send(hex(Self.readerAdd))])
        #expect(try take(&session, "00000002 00000003 00000004 00000000") == [.ask(.powerOn)])
        #expect(
            session.answer(hex("3B600000"), to: .powerOn) == hex("00000005 00000003 00000004 3B600000"))
    }

    @Test func `a response has the reader of its command`() throws {
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

    @Test func `a second greeting of QEMU starts the session again`() throws {
        var session = try inserted()
        #expect(try take(&session, Self.greeting) == [.ask(.powerOff), .send(hex(Self.readerAdd))])
        #expect(session.farewell() == [])
        #expect(try take(&session, Self.accepted) == [.ask(.powerOn)])
    }

    @Test func `an inserted card is removed at the end`() throws {
        #expect(VSCardSession().farewell() == [])
        #expect(try inserted().farewell() == hex("00000006 00000000 00000000"))
    }

    @Test func `a card that does not respond to reset is not inserted`() throws {
        var session = VSCardSession()
        _ = try take(&session, Self.greeting)
        _ = try take(&session, Self.accepted)
        #expect(session.answer([], to: .powerOn) == [])
        #expect(session.farewell() == [])
    }

    @Test(arguments: [1, 2, 3, 77] as [UInt32])
    func `an error message of QEMU is reported`(code: UInt32) throws {
        var session = VSCardSession()
        _ = try take(&session, Self.greeting)
        var message = hex("00000002 00000000 00000004")
        message.append(bigEndian: code)
        session.receive(message)
        #expect(throws: BridgeError.refused(code: code)) { try session.next() }
    }

    @Test(arguments: [
        "00000000 00000000 00000000", "0000000A 00000000 00000000", "00000007 00000000 00010041",
        "00000007 00000000 FFFFFFFF", "00000001 FFFFFFFF 00000004 56534345", "00000002 00000000 00000003 000000",
        "00000005 00000000 00000002 3B00", "00000009 00000000 00000000",
    ])
    func `messages that QEMU never sends are rejected`(text: String) {
        var session = VSCardSession()
        session.receive(hex(text))
        #expect(throws: BridgeError.self) { try session.next() }
    }

    @Test func `any input in any fragmentation results in steps or an error`() throws {
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
