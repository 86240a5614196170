import Testing

@testable import Simulator

struct VPCDSessionTests {
    /// The steps that these bytes bring, cut into pieces of this size.
    private func steps(_ bytes: [UInt8], piece: Int = .max) throws -> [DoorStep] {
        var session = VPCDSession()
        var steps: [DoorStep] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            session.receive(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
            while let next = try session.next() { steps += next }
        }
        return steps
    }

    @Test(arguments: [1, 2, 3, 5, .max])
    func `orders and commands are understood however they are cut`(piece: Int) throws {
        let bytes = hex("0001 01 0001 04 0005 00B2010C00 0001 02 0001 00 0002 0102")
        #expect(
            try steps(bytes, piece: piece) == [
                .ask(.powerOn), .ask(.answerToReset), .ask(.command(hex("00B2010C00"))), .ask(.reset), .ask(.powerOff),
                .ask(.command([1, 2])),
            ])
    }

    @Test func `the longest message is taken`() throws {
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
    func `an unknown order and a message without bytes are refused`(text: String) {
        #expect(throws: DoorError.self) { try steps(hex(text)) }
    }

    @Test func `whatever comes, there are steps or an error`() {
        let noise = Noise(seed: 20)
        let good = hex("0001 01 0001 04 0005 00B2010C00 0001 00")
        for _ in 0..<2000 {
            let bytes = noise.number(0...1) == 0 ? noise.mutated(good) : noise.bytes(40)
            let steps = (try? steps(bytes, piece: noise.number(1...9))) ?? []
            #expect(steps.count * 3 <= bytes.count)
        }
    }
}
