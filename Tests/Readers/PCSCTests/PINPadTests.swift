import Determinism
import SmartCard
import Synchronization
import Testing

@testable import PCSC

extension WithFakeDaemon {
    /// FEATURE_VERIFY_PIN_DIRECT at 42330006, FEATURE_IFD_PIN_PROPERTIES at 4233000A, and one of no interest.
    @Suite("The PIN pad of a reader behind pcscd") struct PINPadTests {
        private static let features: [UInt8] = [
            0x06, 4, 0x42, 0x33, 0x00, 0x06, 0x07, 4, 0x42, 0x33, 0x00, 0x07, 0x0A, 4, 0x42, 0x33, 0x00, 0x0A,
        ]

        private func channel(
            display: [UInt8] = [0x10, 0x02, 0x07, 0x00], _ verify: @escaping @Sendable () -> FakeDaemon.Reply
        ) async throws -> (channel: PCSCCardChannel, daemon: FakeDaemon) {
            let daemon = FakeDaemon {
                $0.change = { known, _ in (.init(), known.map { .init(reader: $0.reader, state: 0x20) }) }
                $0.control = { code, _ in
                    switch code {
                    case 0x4200_0D48: .init(bytes: Self.features)
                    case 0x4233_000A: .init(bytes: display)
                    case 0x4233_0006: verify()
                    default: .failed(.unsupportedFeature)
                    }
                }
            }
            let reader = try await PCSCReader.open("Reader 00 00", library: daemon.library, time: ManualTime())
            return (try await reader.powerOn(), daemon)
        }

        @Test(arguments: [([0x10, 0x02, 0x07, 0x00], "01"), ([0x00, 0x00, 0x07, 0x00], "00"), ([], "00")])
        func `the driver gets the position of the PIN in the command`(display: [UInt8], messages: String) async throws {
            let (channel, daemon) = try await channel(display: display) { .init(bytes: [0x90, 0x00]) }
            #expect(channel.hasPINPad)
            #expect(try await channel.verifyPIN(PINPadEntry(digits: 4...6, seconds: 30)) == .verified(.success))
            // Two time limits, format, block, length; most and fewest digits; the confirmation key; how many messages;
            // US English; the first one; no prologue; 13 bytes of data; VERIFY with an empty PIN block.
            #expect(
                daemon.calls.last
                    == "control 42330006 1E1E894704060402\(messages)090400000000" + "0D000000"
                    + "002000800820FFFFFFFFFFFFFF")
        }

        @Test(arguments: [
            ([0x63, 0xC2], PINPadAnswer.verified(StatusWord(0x63, 0xC2))), ([0x64, 0x00], .timedOut),
            ([0x64, 0x01], .canceled), ([0x64, 0x03], .wrongLength), ([0x6B, 0x80], .unsupported),
        ])
        func `results of the reader's entry, and of the card's verification`(
            answer: [UInt8], meaning: PINPadAnswer
        ) async throws {
            let (channel, _) = try await channel { .init(bytes: answer) }
            #expect(try await channel.verifyPIN(PINPadEntry(seconds: 30)) == meaning)
            #expect(try await channel.transmit(CommandAPDU(0, 0xB0, 0, 0)).status == .success)
        }

        @Test func `a driver that rejects the command despite its features`() async throws {
            let (channel, _) = try await channel { .failed(.unsupportedFeature) }
            #expect(try await channel.verifyPIN(PINPadEntry(seconds: 30)) == .unsupported)
            #expect(try await channel.transmit(CommandAPDU(0, 0xB0, 0, 0)).status == .success)
        }

        @Test func `a card that is removed during the entry`() async throws {
            let (channel, _) = try await channel { .failed(.removedCard) }
            await #expect(throws: CardChannelError.cardRemoved) {
                _ = try await channel.verifyPIN(PINPadEntry(seconds: 30))
            }
        }

        @Test func `a reader without keys takes no PIN`() async throws {
            let daemon = FakeDaemon {
                $0.change = { known, _ in (.init(), known.map { .init(reader: $0.reader, state: 0x20) }) }
            }
            let reader = try await PCSCReader.open("Reader 00 00", library: daemon.library, time: ManualTime())
            let channel = try await reader.powerOn()
            #expect(!channel.hasPINPad)
            #expect(try await channel.verifyPIN(PINPadEntry(seconds: 30)) == .unsupported)
        }

        @Test(
            arguments: [
                ([], [:]), (features, [.verifyPIN: 0x4233_0006, .pinProperties: 0x4233_000A]),
                (Array(features.dropLast()), [.verifyPIN: 0x4233_0006]), ([0x06, 3, 1, 2, 3], [:]),
                ([0x06, 5, 1, 2, 3, 4, 5, 6], [:]),
            ] as [([UInt8], [PCSCFeature: UInt32])])
        func `the list of features`(answer: [UInt8], codes: [PCSCFeature: UInt32]) {
            #expect(PCSCFeature.codes(in: answer) == codes)
        }

        @Test func `random bytes are neither features nor properties, and are harmless`() {
            let random = SeededRandomSource(seed: 1)
            for length in 0..<600 {
                let bytes = random.bytes(length % 60)
                #expect(PCSCFeature.codes(in: bytes).count <= bytes.count / 6)
                #expect(PCSCReaderDescription.properties(in: bytes).values.allSatisfy { $0.count <= bytes.count })
                _ = PCSCReaderDescription.version(in: bytes)
                _ = PCSCReaderDescription.text(bytes)
            }
        }

        @Test func `the reader's properties from the driver`() async throws {
            let daemon = FakeDaemon {
                $0.change = { known, _ in (.init(), known.map { .init(reader: $0.reader, state: 0x10) }) }
                $0.attribute = { attribute in
                    switch attribute {
                    case 0x0001_0100: .init(bytes: Array("Gemalto\0".utf8))
                    case 0x0001_0102: .init(bytes: [0x34, 0x12, 0x05, 0x02])
                    default: .failed(.unsupportedFeature)
                    }
                }
                $0.control = { code, _ in
                    switch code {
                    case 0x4200_0D48: .init(bytes: Self.features + [0x12, 4, 0x42, 0x33, 0x00, 0x12])
                    case 0x4233_0012: .init(bytes: [0x0B, 2, 0xE6, 0x08, 0x01, 1, 0x00, 0x0C, 2, 0x37, 0x34, 0xFF])
                    default: .failed(.unsupportedFeature)
                    }
                }
            }
            let context = try await PCSCContext.establish(library: daemon.library, time: ManualTime())
            var expected = PCSCReaderDescription()
            (expected.manufacturer, expected.softwareVersion, expected.usbID) = ("Gemalto", "2.05", "08e6:3437")
            expected.hasPINPad = true
            #expect(try await context.describe("Reader 00 00") == expected)
            // Direct, with no protocol: the card in it, if there is one, is left alone.
            #expect(daemon.calls.first == "connect Reader 00 00 3 0")
            #expect(daemon.calls.last == "disconnect 0")

            daemon.script.withLock {
                $0.change = { known, _ in (.init(), known.map { .init(reader: $0.reader, state: 0x0120) }) }
            }
            #expect(try await context.describe("Reader 00 00") == PCSCReaderDescription())
        }
    }
}
