import CCID
import Testing
import USB

extension GuestTests {
    @Suite struct StallTests {
        /// PC_to_RDR_XfrBlock that says five bytes and brings two (CCID 1.1 §6.1.4).
        private static let lyingBlock: [UInt8] = [0x6F, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0x00, 0xA4]
        /// PC_to_RDR_GetSlotStatus (CCID 1.1 §6.1.3).
        private static let slotStatus: [UInt8] = [0x65, 0, 0, 0, 0, 0, 2, 0, 0, 0]

        @Test func `a message with a wrong length stalls, and the reader goes on`() async throws {
            try await ReaderUnderTest.prepare()
            let bus = try LibUSBBus()
            let transport = try await bus.open(try await ReaderUnderTest.device(on: bus))
            try await transport.claim(interface: 0)
            for _ in 1...3 {
                // The stall comes with this message or with the next.
                await #expect(throws: USBError.stalled) {
                    for _ in 1...2 {
                        try await transport.bulkOut(Self.lyingBlock, endpoint: 0x03, timeout: .seconds(1))
                    }
                }
                // QEMU's reader stalls this request too; the kernel has cleared its own end by then.
                try? await transport.clearHalt(endpoint: 0x03)
            }
            try await transport.bulkOut(Self.slotStatus, endpoint: 0x03, timeout: .seconds(1))
            let answer = try await transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(1))
            #expect(answer.count == 10 && answer.first == 0x81)
            await transport.close()
        }

        @Test func `a reader that was left stalled is opened and used`() async throws {
            try await ReaderUnderTest.prepare()
            let bus = try LibUSBBus()
            let transport = try await bus.open(try await ReaderUnderTest.device(on: bus))
            try await transport.claim(interface: 0)
            await #expect(throws: USBError.stalled) {
                for _ in 1...2 { try await transport.bulkOut(Self.lyingBlock, endpoint: 0x03, timeout: .seconds(1)) }
            }
            await transport.close()
            try await ReaderUnderTest.opened(on: bus) { under in
                _ = try await under.channel().transmit(.anything)
            }
        }
    }
}
