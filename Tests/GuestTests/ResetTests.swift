import CCID
import Determinism
import SmartCard
import Testing
import USB

extension GuestTests {
    @Suite struct ResetTests {
        /// A reset ends the transfer on which the reader's notices are awaited, as unplugging does, and is none.
        @Test(.enabled(if: !Guest.isCardFixed))
        func `a reader that had to be reset goes on`() async throws {
            try await ReaderUnderTest.prepare(card: "pensive")
            let bus = try LibUSBBus()
            let noAbort = ReaderQuirkRule(
                "QEMU's", vendorID: 0x08E6, productID: 0x4433, [.noAbort], source: "this test, which wants the reset")
            let reader = try await CCIDReader.open(
                ReaderUnderTest.device(on: bus), on: bus, quirks: ReaderQuirkTable(rules: [noAbort]),
                time: SystemTimeSource())
            #expect(try await reader.waitForCard(present: true, timeout: .seconds(20)))
            let channel = try await reader.powerOn()
            let exchange = Task {
                _ = await #expect(throws: CardChannelError.cancelled) {
                    try await channel.transmit(.select([0xA0, 0, 0, 0, 0x03, 0x10, 0x10]))
                }
            }
            // By now the card works on it, for twenty seconds.
            try await Task.sleep(for: .milliseconds(500))
            exchange.cancel()
            await exchange.value
            // Whatever the reset did to the transfer has come to light by then.
            try await Task.sleep(for: .milliseconds(500))
            _ = try await reader.cardStatus()
            try await GuestHost.insertCard(Guest.card)
            #expect(try await reader.waitForCard(present: true, timeout: .seconds(20)))
            _ = try await reader.powerOn().transmit(.anything)
            await reader.close()
        }
    }
}
