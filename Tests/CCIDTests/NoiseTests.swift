import CCID
import Determinism
import SmartCard
import Testing
import USB

@Suite struct NoiseTests {
    @Test(arguments: [CCIDExchangeLevel.tpdu, .shortAPDU, .extendedAPDU], [false, true])
    func `whatever a reader answers, every call ends, and some succeed`(
        level: CCIDExchangeLevel, isAutomatic: Bool
    ) async throws {
        let command = try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: [1, 2, 3], expectedLength: 256)
        let descriptor = CCIDClassDescriptor(level: level, features: isAutomatic ? [.automaticNegotiation] : [])
        var answers = 0
        var errors = 0
        for seed in 0..<150 as Range<UInt64> {
            let transport = NoisyTransport(Rig.device(descriptor.bytes, interrupt: seed % 3 == 0), seed: seed)
            do {
                let reader = try await CCIDReader.open(
                    transport.device, on: NoisyBus(transport: transport), time: VirtualTimeSource())
                _ = try await reader.waitForCard(present: true, timeout: .seconds(1))
                let channel = try await reader.powerOn()
                for _ in 0..<5 {
                    _ = try await channel.transmit(command)
                    answers += 1
                }
                await reader.close()
            } catch {
                errors += 1
            }
        }
        #expect(answers > 0)
        #expect(errors > 0)
    }
}
