import CCID
import SmartCard
import Testing

extension GuestTests {
    @Suite struct CardTests {
        @Test func `a card is powered and answers`() async throws {
            try await ReaderUnderTest.opened { under in
                let channel = try await under.channel()
                #expect(channel.transmissionProtocol == 0)
                let answer = try await channel.transmit(.anything)
                #expect([0x61, 0x69, 0x6A, 0x6D, 0x6E, 0x90].contains(answer.status.rawValue >> 8))
                try await under.reader.powerOff()
                #expect(try await under.reader.cardStatus() == .inactive)
            }
        }

        @Test(.enabled(if: !Guest.isCardFixed))
        func `an empty reader says so and gives no power`() async throws {
            try await ReaderUnderTest.opened(card: "") { (under) async throws in
                #expect(try await under.reader.cardStatus() == .absent)
                await #expect(throws: CCIDError.cardAbsent) { try await under.reader.powerOn() }
                #expect(try await !under.reader.waitForCard(present: true, timeout: .milliseconds(300)))
            }
        }

        @Test(.enabled(if: !Guest.isCardFixed))
        func `a card that is taken out is noticed, and the next one is powered`() async throws {
            try await ReaderUnderTest.opened { under in
                let channel = try await under.channel()
                _ = try await channel.transmit(.anything)
                let start = ContinuousClock.now
                async let isOut = under.reader.waitForCard(present: false, timeout: .seconds(20))
                try await GuestHost.removeCard()
                #expect(try await isOut)
                try await GuestHost.tell("card out, noticed after", (.now - start).milliseconds, "ms")
                await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(.anything) }
                async let isIn = under.reader.waitForCard(present: true, timeout: .seconds(20))
                try await GuestHost.insertCard(Guest.card)
                #expect(try await isIn)
                _ = try await under.reader.powerOn().transmit(.anything)
            }
        }

        // QEMU calls a new card active at once, so only its notice tells.
        @Test(.enabled(if: !Guest.isCardFixed))
        func `a card that was changed between two commands is not taken for the first one`() async throws {
            try await ReaderUnderTest.opened(card: "") { under in
                // A card that comes after the reader was opened: so the notice of its coming has been told, and the one
                // of its change is not taken for it.
                async let isIn = under.reader.waitForCard(present: true, timeout: .seconds(20))
                try await GuestHost.insertCard(Guest.card)
                #expect(try await isIn)
                let channel = try await under.reader.powerOn()
                _ = try await channel.transmit(.anything)
                try await GuestHost.insertCard(Guest.card)
                #expect(try await under.reader.waitForCard(present: false, timeout: .seconds(20)))
                await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(.anything) }
            }
        }
    }
}
