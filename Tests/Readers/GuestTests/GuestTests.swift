import CCID
import Determinism
import SmartCard
import Testing
import USB

/// The driver on a stock kernel's USB stack, with a reader that QEMU made. Scripts/test-usb boots that kernel;
/// elsewhere these tests have nothing to talk to.
///
/// There is one reader, and every test moves it: they run one after the other.
@Suite(.serialized, .enabled(if: Guest.port != nil, "runs in the guest of Scripts/test-usb"), .timeLimit(.minutes(10)))
struct GuestTests {}

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
        func `an empty reader reports it and powers nothing`() async throws {
            try await ReaderUnderTest.opened(card: "") { (under) async throws in
                #expect(try await under.reader.cardStatus() == .absent)
                await #expect(throws: CCIDError.cardAbsent) { try await under.reader.powerOn() }
                #expect(try await !under.reader.waitForCard(present: true, timeout: .milliseconds(300)))
            }
        }

        @Test(.enabled(if: !Guest.isCardFixed))
        func `removing a card is noticed, and the next one is powered`() async throws {
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

        // QEMU reports a new card as active at once, so only its notification shows the change.
        @Test(.enabled(if: !Guest.isCardFixed))
        func `a card exchanged between two commands is not mistaken for the first one`() async throws {
            try await ReaderUnderTest.opened(card: "") { under in
                // A card inserted after the reader was opened: its notification has been received, and the one
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

/// QEMU's reader ends a message of exactly 64 bytes with an empty transfer.
extension GuestTests {
    @Suite struct AnswerLengthTests {
        /// The card `lengths-33` gives 33 bytes of its record when it is read first, and a byte more each time
        /// (Scripts/guest/agent.bash).
        @Test(.enabled(if: !Guest.isCardFixed))
        func `answers of 1 to 254 bytes are complete`() async throws {
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

        /// READ BUFFER of a government card's (CAC) certificate contains the requested length.
        @Test(.enabled(if: Guest.isCardFixed))
        func `answers of 1 to 255 bytes are complete`() async throws {
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

extension GuestTests {
    @Suite struct ResetTests {
        /// A reset ends the transfer on which the reader's notices are awaited, as unplugging does, and is none.
        @Test(.enabled(if: !Guest.isCardFixed))
        func `a reader works after a reset`() async throws {
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
                _ = await #expect(throws: CardChannelError.canceled) {
                    try await channel.transmit(.select([0xA0, 0, 0, 0, 0x03, 0x10, 0x10]))
                }
            }
            // By now the card works on it, for twenty seconds.
            try await Task.sleep(for: .milliseconds(500))
            exchange.cancel()
            await exchange.value
            // By then the effect of the reset on the transfer is known.
            try await Task.sleep(for: .milliseconds(500))
            _ = try await reader.cardStatus()
            try await GuestHost.insertCard(Guest.card)
            #expect(try await reader.waitForCard(present: true, timeout: .seconds(20)))
            _ = try await reader.powerOn().transmit(.anything)
            await reader.close()
        }
    }
}

extension GuestTests {
    @Suite struct StallTests {
        /// PC_to_RDR_XfrBlock that announces five bytes and contains two (CCID 1.1 §6.1.4).
        private static let lyingBlock: [UInt8] = [0x6F, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0x00, 0xA4]
        /// PC_to_RDR_GetSlotStatus (CCID 1.1 §6.1.3).
        private static let slotStatus: [UInt8] = [0x65, 0, 0, 0, 0, 0, 2, 0, 0, 0]

        @Test func `a message with a wrong length stalls, and the reader works`() async throws {
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

        @Test func `a stalled reader is opened and used`() async throws {
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

extension GuestTests {
    @Suite struct DescriptorTests {
        @Test func `the kernel's list shows the reader and its descriptors`() async throws {
            try await ReaderUnderTest.prepare()
            let device = try await ReaderUnderTest.device(on: LibUSBBus())
            #expect(device.product == "QEMU USB CCID")
            let interfaces = try CCIDInterface.all(in: device)
            #expect(interfaces.count == 1)
            let interface = try #require(interfaces.first)
            #expect(interface.interrupt?.address == 0x81)
            #expect(interface.bulkIn.address == 0x82)
            #expect(interface.bulkOut.address == 0x03)
            #expect(interface.bulkIn.maximumPacketSize == 64)
            #expect(interface.descriptor.level == .tpdu)
            #expect(interface.descriptor.protocols == .t0)
            #expect(interface.descriptor.maximumSlotIndex == 0)
        }
    }
}
