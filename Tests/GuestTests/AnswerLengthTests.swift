import CCID
import SmartCard
import Testing

/// QEMU's reader ends an answer that is a message of exactly 64 bytes with an empty transfer of its own.
extension GuestTests {
    @Suite struct AnswerLengthTests {
        /// The card `lengths-33` gives 33 bytes of its record when it is read first, and a byte more each time
        /// (Scripts/guest/agent.bash).
        @Test(.enabled(if: !Guest.isCardFixed))
        func `answers of 1 to 254 bytes arrive whole`() async throws {
            try await ReaderUnderTest.opened(card: "") { under in
                var answers: [ResponseAPDU] = []
                for first in stride(from: 1, through: 254, by: 32) {
                    try await GuestHost.insertCard("lengths-\(first)")
                    let channel = try await under.channel()
                    _ = try await channel.transmit(.select([0xA0, 0, 0, 0, 0x03, 0x10, 0x10]))
                    let options = try CommandAPDU(
                        cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, 0x00], expectedLength: 256)
                    #expect(try await channel.transmit(options).status == .success)
                    for length in first...min(first + 31, 254) {
                        answers.append(try await channel.transmit(CommandAPDU(0x00, 0xB2, 1, 0x0C, le: UInt8(length))))
                    }
                    try await GuestHost.removeCard()
                    #expect(try await under.reader.waitForCard(present: false, timeout: .seconds(20)))
                }
                let whole = try #require(answers.last).data
                for (index, answer) in answers.enumerated() {
                    #expect(answer == ResponseAPDU(data: Array(whole.prefix(index + 1)), status: .success))
                }
            }
        }

        /// READ BUFFER of a government card's (CAC) certificate says how much is wanted.
        @Test(.enabled(if: Guest.isCardFixed))
        func `answers of 1 to 255 bytes arrive whole`() async throws {
            try await ReaderUnderTest.opened { under in
                let channel = try await under.channel()
                #expect(try await channel.transmit(.select([0xA0, 0, 0, 0, 0x79, 0x01, 0x00])).status == .success)
                func read(_ length: Int) async throws -> [UInt8] {
                    let command = try CommandAPDU(
                        cla: 0x80, ins: 0x52, p1: 0, p2: 0, data: [2, UInt8(length)], expectedLength: length)
                    return try await channel.transmit(command).data
                }
                let whole = try await read(255)
                #expect(whole.count == 255)
                for length in 1...255 { #expect(try await read(length) == Array(whole.prefix(length))) }
            }
        }
    }
}
