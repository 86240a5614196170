import CCID
import Simulator
import SmartCard
import Testing
import USB

extension OverLibUSB {
    /// Several readers at once, and several slots in one.
    @Suite struct SeveralReadersTests {
        /// Reads from a card again and again.
        private static func work(_ channel: CCIDCardChannel, _ card: TestCard, rounds: Int = 30) async throws {
            for round in 0..<rounds {
                let count = 40 + round
                #expect(try await channel.transmit(.read(count)).data == card.data(count))
            }
        }

        @Test func `two readers work at the same time`() async throws {
            try await BridgeBench.run { bench in
                let cards = [TestCard(TestCard.t0, mark: 1), TestCard(TestCard.t1, mark: 101)]
                let readers = [
                    try await bench.open(try await bench.plug(.tpdu, cards[0])),
                    try await bench.open(try await bench.plug(.extendedAPDU, cards[1])),
                ]
                #expect(readers[0].device.address != readers[1].device.address)
                try await withThrowingTaskGroup { group in
                    for (reader, card) in zip(readers, cards) {
                        let channel = try await reader.powerOn()
                        group.addTask { try await Self.work(channel, card) }
                    }
                    try await group.waitForAll()
                }
                for reader in readers { await reader.close() }
            }
        }

        @Test func `unplugging one reader does not disturb the other`() async throws {
            try await BridgeBench.run { bench in
                let (card, other) = (TestCard(TestCard.t0, mark: 1), TestCard(TestCard.t0, mark: 2))
                let stays = try await bench.open(try await bench.plug(.tpdu, card))
                let plugged = try await bench.plug(.tpdu, other)
                let leaves = try await bench.open(plugged)
                let (channel, doomed) = (try await stays.powerOn(), try await leaves.powerOn())
                async let work: Void = Self.work(channel, card, rounds: 60)
                let lost = Task { try await doomed.transmit(.workForEver) }
                await bench.until { other.received.contains(0xE2) }
                try await bench.unplug(plugged)
                await #expect(throws: CardChannelError.readerUnavailable(CCIDError.readerGone.description)) {
                    try await lost.value
                }
                try await work
                await leaves.close()
                await stays.close()
            }
        }

        @Test(arguments: [SimulatedReaderModel.tpdu, .shortAPDU, .extendedAPDU])
        func `the cards in two slots respond independently`(model: SimulatedReaderModel) async throws {
            var model = model
            model.slotCount = 2
            try await BridgeBench.run { [model] bench in
                let cards = [TestCard(TestCard.t0, mark: 1), TestCard(TestCard.t1, mark: 101)]
                let plugged = try await bench.plug(model, cards[0], cards[1])
                let reader = try await bench.open(plugged)
                #expect(reader.slotCount == 2)
                let channels = [try await reader.powerOn(slot: 0), try await reader.powerOn(slot: 1)]
                try await withThrowingTaskGroup { group in
                    for (channel, card) in zip(channels, cards) {
                        group.addTask { try await Self.work(channel, card) }
                    }
                    try await group.waitForAll()
                }
                await #expect(throws: CCIDError.noSuchSlot(2)) { try await reader.cardStatus(slot: 2) }

                // One card is removed, and the other one continues.
                plugged.simulated.removeCard(slot: 1)
                #expect(try await reader.waitForCard(present: false, slot: 1, timeout: .seconds(30)))
                await #expect(throws: CardChannelError.cardRemoved) { try await channels[1].transmit(.read(1)) }
                #expect(try await channels[0].transmit(.read(9)).data == cards[0].data(9))
                plugged.simulated.insert(cards[1], slot: 1)
                #expect(try await reader.waitForCard(present: true, slot: 1, timeout: .seconds(30)))
                #expect(try await reader.powerOn(slot: 1).transmit(.read(9)).data == cards[1].data(9))
                #expect(try await channels[0].transmit(.read(9)).data == cards[0].data(9))
                await reader.close()
            }
        }

        @Test func `a fault in one slot does not affect the card in the other`() async throws {
            var model = SimulatedReaderModel.shortAPDU
            model.slotCount = 2
            try await BridgeBench.run { [model] bench in
                let cards = [TestCard(TestCard.t0, mark: 1), TestCard(TestCard.t1, mark: 101)]
                let plugged = try await bench.plug(model, cards[0], cards[1])
                let reader = try await bench.open(plugged)
                let channels = [try await reader.powerOn(slot: 0), try await reader.powerOn(slot: 1)]
                plugged.simulated.arm(.xfrBlock(1, .wrongSequence))
                await #expect(throws: CardChannelError.self) { try await channels[0].transmit(.read(4)) }
                #expect(try await channels[1].transmit(.read(4)).data == cards[1].data(4))
                #expect(try await reader.powerOn(slot: 0).transmit(.read(4)).data == cards[0].data(4))
                #expect(try await channels[1].transmit(.read(4)).data == cards[1].data(4))
                await reader.close()
            }
        }
    }
}
