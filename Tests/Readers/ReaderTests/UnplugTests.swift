import CCID
import Glibc
import Simulator
import SmartCard
import Testing
import USB

extension OverLibUSB {
    /// Unplugging a reader: every running operation ends with one error, and nothing is left behind, which
    /// ``BridgeBench/run(_:)`` looks at each time.
    @Suite struct UnplugTests {
        private static let models: [SimulatedReaderModel] = [.tpdu, .shortAPDU, .extendedAPDU]
        private static let gone = CardChannelError.readerUnavailable(CCIDError.readerGone.description)

        @Test func `while a command is sent`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged)
                let channel = try await reader.powerOn()
                let before = try await plugged.count(.transfers)
                try await USBBridge.hold(SimulatedReaderModel.bulkOutEndpoint, of: plugged.device.address)
                let command = Task { try await channel.transmit(.read(4)) }
                await bench.until { try await plugged.count(.transfers) > before }
                try await bench.unplug(plugged)
                await #expect(throws: Self.gone) { try await command.value }
                await #expect(throws: CCIDError.readerGone) { try await reader.cardStatus() }
                await reader.close()
            }
        }

        @Test(arguments: models, [TestCard.t0, TestCard.t1])
        func `while waiting for an answer`(
            model: SimulatedReaderModel, answerToReset: [UInt8]
        ) async throws {
            try await BridgeBench.run { bench in
                let card = TestCard(answerToReset)
                let plugged = try await bench.plug(model, card)
                let reader = try await bench.open(plugged)
                let channel = try await reader.powerOn()
                let command = Task { try await channel.transmit(.workForEver) }
                await bench.until { card.received.contains(0xE2) }
                try await bench.unplug(plugged)
                await #expect(throws: Self.gone) { try await command.value }
                await #expect(throws: CCIDError.readerGone) { try await reader.powerOn() }
                await reader.close()
            }
        }

        @Test(arguments: models)
        func `after it received the command, before the answer`(model: SimulatedReaderModel) async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(model, TestCard(TestCard.t1))
                let reader = try await bench.open(plugged)
                let channel = try await reader.powerOn()
                plugged.simulated.arm(.xfrBlock(1, .unplugged))
                await #expect(throws: Self.gone) { try await channel.transmit(.read(4)) }
                await reader.close()
            }
        }

        @Test func `during a long answer`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.extendedAPDU, TestCard(TestCard.t1))
                let reader = try await bench.open(plugged)
                let channel = try await reader.powerOn()
                plugged.simulated.arm(.unplugged(afterBulkTransfers: 9))
                await #expect(throws: Self.gone) { try await channel.transmit(.read(3_000)) }
                await reader.close()
            }
        }

        @Test func `while only the interrupt endpoint is read`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu)
                let reader = try await bench.open(plugged)
                await bench.until { try await plugged.count(.transfers) == 1 }
                var timing = CCIDTiming.short
                timing.pollInterval = .seconds(60)
                try await bench.unplug(plugged)
                // The listener reports it without any command.
                await #expect(throws: CCIDError.readerGone) {
                    try await reader.waitForCard(present: true, timeout: .seconds(30))
                }
                await reader.close()
            }
        }

        @Test func `while waiting for a card`() async throws {
            var timing = CCIDTiming.short
            (timing.pollInterval, timing.notifiedPollInterval) = (.seconds(60), .seconds(60))
            try await BridgeBench.run { [timing] bench in
                let plugged = try await bench.plug(.tpdu)
                let reader = try await bench.open(plugged, timing)
                let wait = Task { try await reader.waitForCard(present: true, timeout: .seconds(30)) }
                try await Task.sleep(for: .milliseconds(20))
                try await bench.unplug(plugged)
                await #expect(throws: CCIDError.readerGone) { try await wait.value }
                await reader.close()
            }
        }

        @Test func `during a control request`() async throws {
            try await BridgeBench.run { bench in
                let card = TestCard(TestCard.t0)
                let plugged = try await bench.plug(.tpdu, card)
                let reader = try await bench.open(plugged)
                let channel = try await reader.powerOn()
                let command = Task { try await channel.transmit(.workForEver) }
                await bench.until { card.received.contains(0xE2) }
                try await USBBridge.hold(0x00, of: plugged.device.address)
                // Canceling aborts the command, which begins with a control request.
                command.cancel()
                await bench.until { try await plugged.count(.held) == 1 }
                try await bench.unplug(plugged)
                // Canceled, or without a reader, depending on which is noticed first.
                await #expect(throws: CardChannelError.self) { try await command.value }
                await #expect(throws: CCIDError.readerGone) { try await reader.cardStatus() }
                await reader.close()
            }
        }

        @Test func `while it is opened`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu)
                plugged.simulated.arm(.unplugged(afterBulkTransfers: 1))
                await #expect(throws: CCIDError.readerGone) { try await bench.open(plugged) }
            }
        }

        @Test func `before it is opened`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu)
                try await bench.unplug(plugged)
                await #expect(throws: CCIDError.readerGone) { try await bench.open(plugged) }
            }
        }

        @Test func `with an active card, and closed by several tasks afterward`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged)
                _ = try await reader.powerOn()
                async let departure: Void = bench.unplug(plugged)
                async let first: Void = reader.close()
                async let second: Void = reader.close()
                _ = try await (departure, first, second)
                await #expect(throws: CCIDError.closed) { try await reader.cardStatus() }
            }
        }

        @Test func `a reader that is plugged in again has a new address, and works`() async throws {
            try await BridgeBench.run { bench in
                var events = bench.bus.hotplugEvents().makeAsyncIterator()
                _ = try await bench.bus.devices()
                let card = TestCard(TestCard.t1)
                var plugged = try await bench.plug(.shortAPDU, card)
                for _ in 0..<3 {
                    #expect(await events.next() == .arrived(plugged.device))
                    let reader = try await bench.open(plugged)
                    #expect(try await reader.powerOn().transmit(.read(52)).data == card.data(52))
                    try await bench.unplug(plugged)
                    #expect(await events.next() == .left(plugged.device))
                    await #expect(throws: CCIDError.readerGone) { try await reader.cardStatus() }
                    await reader.close()
                    let before = plugged.device.address
                    plugged = try await bench.plug(plugged.simulated)
                    #expect(plugged.device.address != before)
                }
            }
        }

        @Test func `twenty repetitions leave no more threads than one`() async throws {
            try await BridgeBench.run { bench in
                var threads: [Int] = []
                var plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                for _ in 0..<20 {
                    let reader = try await bench.open(plugged)
                    let channel = try await reader.powerOn()
                    plugged.simulated.arm(.xfrBlock(1, .unplugged))
                    await #expect(throws: Self.gone) { try await channel.transmit(.read(1)) }
                    await reader.close()
                    try await bench.unplug(plugged)
                    threads.append(ProcessResources.threads)
                    plugged = try await bench.plug(plugged.simulated)
                }
                let (early, late) = (threads.prefix(10).max() ?? 0, threads.suffix(10).max() ?? 0)
                // Threads that wait for work come and go; one a round would be ten.
                #expect(late < early + 8, "\(threads)")
            }
        }
    }
}
