import Hardware
import Payments
import Simulator
import Testing

extension OverLibUSB {
    /// The whole way of a payment, from the service to the card and back.
    @Suite struct PaymentTests {
        @Test(arguments: [SimulatedReaderModel.tpdu, .extendedAPDU])
        func `a payment is approved`(model: SimulatedReaderModel) async throws {
            try await BridgeBench.run { bench in
                let shop = try Shop(at: try await bench.plug(model).simulated, bench)
                try await shop.connect()
                #expect(try await shop.pay().status == .requiresCapture)
                try await shop.close()
            }
        }

        @Test func `unplugging the reader during a payment ends it, and the next one is approved`()
            async throws
        {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.shortAPDU)
                let shop = try Shop(at: plugged.simulated, bench)
                try await shop.connect()
                plugged.simulated.arm(.xfrBlock(5, .unplugged))
                await #expect(throws: CardReaderServiceError.self) { try await shop.pay() }
                // The cardholder takes the card out a second later, and must not do so during the next payment.
                await bench.until { !plugged.simulated.hasCard() }
                try await bench.unplug(plugged)
                // It does not matter here whether the service has noticed that the reader is gone.
                try? await shop.service.disconnect()
                _ = try await bench.plug(plugged.simulated)
                try await shop.connect()
                #expect(try await shop.pay(number: 2).status == .requiresCapture)
                try await shop.close()
            }
        }
    }
}
