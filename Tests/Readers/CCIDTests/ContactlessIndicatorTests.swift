import CCID
import Determinism
import SmartCard
import Synchronization
import Testing
import USB

/// Lights and buzzer of contactless readers, byte for byte on the wire.
struct ContactlessIndicatorTests {
    private let recovery = RecoveryLog()

    /// Opens a reader with these identifiers, and plays a script of its bulk messages.
    private func open(
        vendor: UInt16 = 0x072F, product: UInt16, _ script: [String]
    ) async throws -> (CCIDReader, ScriptedTransport) {
        let time = VirtualTimeSource()
        let template = Rig.device(Rig.qemuDescriptor)
        let device = USBDevice(
            bus: 1, address: 2, descriptor: USBDeviceDescriptor(vendorID: vendor, productID: product, release: 0x0300),
            configuration: template.configuration)
        let transport = ScriptedTransport(device, time)
        transport.append(["> 65 00000000 00 00 000000", "< 81 00000000 00 00 01 00 00"] + script)
        let reader = try await CCIDReader.open(
            device, on: ScriptedBus(transport: transport), quirks: .none, time: time, onRecovery: recovery.append)
        return (reader, transport)
    }

    private func expectDone(_ transport: ScriptedTransport) async {
        #expect(transport.problems == [])
        #expect(transport.remaining == [])
        await transport.close()
    }

    @Test func `the ACR1252 family gets its lights, and then its buzzer`() async throws {
        let (reader, transport) = try await open(
            product: 0x223E,
            [
                "> 6B 06000000 00 01 000000 E00000290102", "< 83 06000000 00 01 01 00 00 E10000000102",
                "> 6B 06000000 00 02 000000 E00000290102", "< 83 06000000 00 02 01 00 00 E10000000102",
                "> 6B 06000000 00 03 000000 E00000280114", "< 83 06000000 00 03 01 00 00 E10000000114",
                "> 6B 06000000 00 04 000000 E00000290101", "< 83 06000000 00 04 01 00 00 E10000000101",
                "> 6B 06000000 00 05 000000 E0000028010A", "< 83 06000000 00 05 01 00 00 E1000000010A",
                "> 6B 06000000 00 06 000000 E00000290100", "< 83 06000000 00 06 01 00 00 E10000000100",
            ])
        for indication in [ContactlessIndication.ready, .cardRead, .failed, .off] { await reader.indicate(indication) }
        await expectDone(transport)
    }

    @Test func `the ACR122U gets pseudo-APDUs in Escape while no card has power`() async throws {
        let (reader, transport) = try await open(
            product: 0x2200,
            [
                "> 6B 09000000 00 01 000000 FF00400E0400000000", "< 83 02000000 00 01 01 00 00 9002",
                "> 6B 09000000 00 02 000000 FF00400E0402000101", "< 83 02000000 00 02 01 00 00 9002",
                "> 6B 09000000 00 03 000000 FF00400D0401010201", "< 83 02000000 00 03 01 00 00 9001",
                "> 6B 09000000 00 04 000000 FF00400C0400000000", "< 83 02000000 00 04 01 00 00 9000",
            ])
        for indication in [ContactlessIndication.ready, .cardRead, .failed, .off] { await reader.indicate(indication) }
        await expectDone(transport)
    }

    @Test func `the ACR122U gets them through the card that has power`() async throws {
        let (reader, transport) = try await open(product: 0x2200, [])
        let channel = RecordingChannel()
        await reader.indicate(.cardRead, through: channel)
        #expect(channel.commands.map(\.bytes) == [hex("FF00400E0402000101")])
        await expectDone(transport)
    }

    @Test func `a reader that refuses the command tells nothing, and nothing fails`() async throws {
        let (reader, transport) = try await open(
            product: 0x223E,
            [
                "> 6B 06000000 00 01 000000 E00000290102", "< 83 00000000 00 01 41 00 00",
                "> 6B 06000000 00 02 000000 E00000280114", "< 83 00000000 00 02 41 00 00",
            ])
        await reader.indicate(.cardRead)
        await expectDone(transport)
        // Reported once.
        #expect(recovery.steps == [.indicatorsFailed(slot: 0)])
    }

    @Test func `a reader that does not answer is left as it is, and gets no further commands for its lights`()
        async throws
    {
        let (reader, transport) = try await open(
            product: 0x223E,
            [
                "> 6B 06000000 00 01 000000 E00000290102", "<! timedOut",
                // Its answer is skipped when it comes later.
                "> 65 00000000 00 02 000000", "< 83 06000000 00 01 01 00 00 E10000000102",
                "< 81 00000000 00 02 01 00 00",
            ])
        await reader.indicate(.cardRead)
        await reader.indicate(.off)
        #expect(try await reader.cardStatus() == .inactive)
        await expectDone(transport)
        #expect(recovery.steps == [.indicatorsFailed(slot: 0), .staleAnswer(slot: 0, message: 1)])
        // A payment waits a second for the lights, and no longer.
        #expect(transport.readTimeouts.dropFirst().first == .seconds(1))
    }

    @Test(arguments: ["<! stalled", "<! overflow", "< 83 FF", "< 80 00000000 00 01 00 00 00"])
    func `a broken answer for the lights ends them alone`(answer: String) async throws {
        let (reader, transport) = try await open(
            product: 0x223E,
            ["> 6B 06000000 00 01 000000 E00000290102", answer] + (answer == "<! stalled" ? ["H 82"] : [])
                + status("65", 2, "01 00 00"))
        await reader.indicate(.ready)
        #expect(try await reader.cardStatus() == .inactive)
        await expectDone(transport)
        #expect(recovery.steps == [.indicatorsFailed(slot: 0)])
    }

    @Test func `a reader that is unplugged meanwhile is gone`() async throws {
        let (reader, transport) = try await open(
            product: 0x223E, ["> 6B 06000000 00 01 000000 E00000290102", "<! disconnected"])
        await reader.indicate(.ready)
        #expect(await reader.ending == .readerGone)
        await expectDone(transport)
        #expect(recovery.steps == [])
    }

    @Test func `the lights go off in a canceled task, too`() async throws {
        let (reader, transport) = try await open(
            product: 0x223E,
            ["> 6B 06000000 00 01 000000 E00000290100", "< 83 06000000 00 01 01 00 00 E10000000100"])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await reader.indicate(.off)
        }
        await task.value
        await expectDone(transport)
    }

    @Test func `a card that is gone does not keep the payment`() async throws {
        let (reader, transport) = try await open(product: 0x2200, [])
        await reader.indicate(.failed, through: RecordingChannel(error: .cardRemoved))
        await expectDone(transport)
    }

    @Test func `a reader without commands is left alone`() async throws {
        let (reader, transport) = try await open(vendor: 0x076B, product: 0x5022, [])
        #expect(reader.indicators == nil)
        for indication in ContactlessIndication.allCases { await reader.indicate(indication) }
        await expectDone(transport)
    }

    @Test func `every row has a command for every indication`() {
        for indicators in ContactlessReaderRow.known.compactMap(\.indicators) {
            for indication in ContactlessIndication.allCases {
                let commands = indicators.commands(for: indication)
                #expect(!commands.isEmpty)
                if indicators.goesThroughChannel { #expect(commands.allSatisfy { $0.count == 5 + Int($0[4]) }) }
            }
        }
    }
}

/// A card's channel that keeps what is sent to it.
private final class RecordingChannel: CardChannel {
    private let state = Mutex<[CommandAPDU]>([])
    private let error: CardChannelError?

    init(error: CardChannelError? = nil) { self.error = error }

    var commands: [CommandAPDU] { state.withLock { $0 } }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        state.withLock { $0.append(command) }
        if let error { throw error }
        return ResponseAPDU(data: [], status: StatusWord(0x90, 0x02))
    }
}
