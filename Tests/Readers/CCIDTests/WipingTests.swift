import CCID
import CardSecrets
import Determinism
import SmartCard
import Testing

/// A PIN that went to a card is nowhere in memory anymore, whichever way it took.
@Suite struct WipingTests {
    private static let levels: [CCIDExchangeLevel] = [.character, .tpdu, .shortAPDU, .extendedAPDU]

    private static let cards: [(answerToReset: String, mood: ObligingTransport.Mood)] = [
        (TestATR.t0, .willing), (TestATR.t0, .mute), (TestATR.t1, .willing), (TestATR.t1, .mute),
    ]

    @Test(arguments: levels, cards)
    func `the PIN block of a VERIFY is wiped, with and without a response`(
        level: CCIDExchangeLevel, card: (answerToReset: String, mood: ObligingTransport.Mood)
    ) async throws {
        let descriptor = CCIDClassDescriptor(level: level, features: [.automaticNegotiation, .automaticIFSD])
        let transport = ObligingTransport(
            Rig.device(descriptor.bytes), answerToReset: hex(card.answerToReset), isCharacterLevel: level == .character,
            card.mood
        )
        let reader = try await CCIDReader.open(
            transport.device, on: ObligingBus(transport: transport), time: VirtualTimeSource())
        let channel = TracingCardChannel(try await reader.powerOn()) { _ in }
        let block = Self.invertedPINBlock()
        let isVerified = await Self.verify(block, channel)
        #expect(isVerified == (card.mood == .willing))
        #expect(try await ProcessMemory.forgets(inverted: block))
        await reader.close()
    }

    @Test func `the test detects a PIN block that is not wiped`() {
        let block = Self.invertedPINBlock()
        let bytes = block.map { ~$0 }
        #expect(ProcessMemory.contains(inverted: block))
        withExtendedLifetime(bytes) {}
    }

    /// Eight bytes like no others, each bit inverted. The first one is that of a PIN block with four digits.
    private static func invertedPINBlock() -> [UInt8] { [~0x24] + SystemRandomSource().bytes(7) }

    /// Sends VERIFY and wipes the block, as the kernel does.
    private static func verify(_ inverted: [UInt8], _ channel: any CardChannel) async -> Bool {
        var block = inverted.map { ~$0 }
        defer { block.wipe() }
        return await send(block, channel)
    }

    private static func send(_ block: [UInt8], _ channel: any CardChannel) async -> Bool {
        guard
            let command = try? CommandAPDU(cla: 0, ins: 0x20, p1: 0, p2: 0x80, data: block, expectedLength: nil),
            let answer = try? await channel.transmit(command)
        else { return false }
        return answer.status == .success
    }
}
