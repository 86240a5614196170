import CCID
import Simulator
import SmartCard
import Testing
import USB

extension OverLibUSB {
    /// Commands and their answers, when nothing goes wrong.
    @Suite struct ExchangeTests {
        private static let models: [SimulatedReaderModel] = [.tpdu, .shortAPDU, .extendedAPDU]
        private static let habits: [SimulatedReaderModel.FullPacketBehavior] = [
            .endsTransfer, .zeroLengthAfter, .zeroLengthBefore,
        ]

        @Test(arguments: models, [TestCard.t0, TestCard.t1])
        func `the same commands get the same answers at every level and protocol`(
            model: SimulatedReaderModel, answerToReset: [UInt8]
        ) async throws {
            try await BridgeBench.run { bench in
                let card = TestCard(answerToReset)
                let reader = try await bench.open(try await bench.plug(model, card))
                #expect(try await reader.cardStatus() == .inactive)
                let channel = try await reader.powerOn()
                #expect(channel.atr.bytes == answerToReset)
                #expect(try await channel.transmit(.verify([0x24, 0x12, 0x34])).status == .success)
                // T=1 sends this in chains of blocks; T=0 has it fetched.
                let data = card.data(255)
                #expect(try await channel.transmit(.reverse(data)).data == data.reversed())
                #expect(try await channel.transmit(.read(256)).data == card.data(256))
                #expect(try await channel.transmit(CommandAPDU(0, 0x0C, 0, 0)).status == .instructionNotSupported)
                try await reader.powerOff()
                #expect(try await reader.cardStatus() == .inactive)
                await reader.close()
                #expect(card.received.first == 0x20 && card.received.last == 0x0C)
            }
        }

        @Test(arguments: models, habits)
        func `an answer of whole packets is read completely, and so is the next one`(
            model: SimulatedReaderModel, habit: SimulatedReaderModel.FullPacketBehavior
        ) async throws {
            var model = model
            model.fullPacketHabit = habit
            try await BridgeBench.run { bench in
                let cards = [TestCard(TestCard.t0), TestCard(TestCard.t1)]
                let plugged = try await bench.plug(model)
                let reader = try await bench.open(plugged)
                for card in cards {
                    plugged.simulated.insert(card)
                    let channel = try await reader.powerOn()
                    // 64, 128 and 192 bytes with header and status word; a block of T=1 has 4 bytes more.
                    for count in [1, 47, 48, 49, 51, 52, 53, 112, 116, 176, 180] {
                        #expect(try await channel.transmit(.read(count)).data == card.data(count))
                    }
                    plugged.simulated.removeCard()
                }
                await reader.close()
            }
        }

        @Test func `a long command and a long answer are sent in many messages`() async throws {
            try await BridgeBench.run { bench in
                let card = TestCard(TestCard.t1)
                let reader = try await bench.open(try await bench.plug(.extendedAPDU, card))
                let channel = try await reader.powerOn()
                let data = card.data(3_000)
                #expect(try await channel.transmit(.reverse(data)).data == data.reversed())
                await reader.close()
            }
        }

        @Test(arguments: [16_372, 16_373, 20_000, 40_000])
        func `an answer in one long message is received in many transfers`(count: Int) async throws {
            var model = SimulatedReaderModel.extendedAPDU
            model.maximumMessageLength = 65_600
            try await BridgeBench.run { bench in
                let card = TestCard(TestCard.t1)
                let reader = try await bench.open(try await bench.plug(model, card))
                let channel = try await reader.powerOn()
                #expect(try await channel.transmit(.read(count)).data == card.data(count))
                #expect(try await channel.transmit(.read(4)).data == card.data(4))
                await reader.close()
            }
        }

        @Test(arguments: models, [TestCard.t0, TestCard.t1])
        func `a card that requests time gets it`(model: SimulatedReaderModel, answerToReset: [UInt8]) async throws {
            try await BridgeBench.run { bench in
                let card = TestCard(answerToReset)
                let reader = try await bench.open(try await bench.plug(model, card))
                let channel = try await reader.powerOn()
                #expect(try await channel.transmit(.askForTime(3)).status == .success)
                #expect(try await channel.transmit(.read(4)).data == card.data(4))
                await reader.close()
            }
        }

        @Test(arguments: [true, false])
        func `inserting and removing a card is noticed`(hasInterruptEndpoint: Bool) async throws {
            var model = SimulatedReaderModel.shortAPDU
            model.hasInterruptEndpoint = hasInterruptEndpoint
            var timing = CCIDTiming.short
            // Only a notice can be in time; without one the reader is asked.
            if hasInterruptEndpoint {
                (timing.pollInterval, timing.notifiedPollInterval) = (.seconds(60), .seconds(60))
            }
            try await BridgeBench.run { [timing] bench in
                let plugged = try await bench.plug(model)
                let reader = try await bench.open(plugged, timing)
                for _ in 0..<3 {
                    async let arrival = reader.waitForCard(present: true, timeout: .seconds(30))
                    try await Task.sleep(for: .milliseconds(10))
                    plugged.simulated.insert(TestCard(TestCard.t0))
                    #expect(try await arrival)
                    async let departure = reader.waitForCard(present: false, timeout: .seconds(30))
                    try await Task.sleep(for: .milliseconds(10))
                    plugged.simulated.removeCard()
                    #expect(try await departure)
                }
                await reader.close()
            }
        }
    }
}
