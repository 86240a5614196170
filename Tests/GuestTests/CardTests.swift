import CCID
import SmartCard
import Testing

extension GuestTests {
    @Suite struct CardTests {
        @Test func `a card is powered and answers`() async throws {
            let under = try await ReaderUnderTest.open()
            let channel = try await under.channel()
            #expect(channel.transmissionProtocol == 0)
            // Every card has an answer to this, if only that it does not know it.
            let answer = try await channel.transmit(CommandAPDU(0x00, 0xCA, 0x9F, 0x17, le: 0))
            #expect([0x61, 0x69, 0x6A, 0x6D, 0x6E, 0x90].contains(answer.status.rawValue >> 8))
            try await under.reader.powerOff()
            #expect(try await under.reader.cardStatus() == .inactive)
            await under.reader.close()
        }

        @Test(.enabled(if: !Guest.isCardFixed))
        func `an empty reader says so and gives no power`() async throws {
            let under = try await ReaderUnderTest.open(card: "")
            #expect(try await under.reader.cardStatus() == .absent)
            await #expect(throws: CCIDError.cardAbsent) { try await under.reader.powerOn() }
            #expect(try await !under.reader.waitForCard(present: true, timeout: .milliseconds(300)))
            await under.reader.close()
        }
    }
}
