import Amounts
import Determinism
import EMV
import Hardware
import Simulator
import Testing
import USB

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

        @Test func `a reader that is pulled out in the middle ends a payment, and the next one is approved`()
            async throws
        {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.shortAPDU)
                let shop = try Shop(at: plugged.simulated, bench)
                try await shop.connect()
                plugged.simulated.arm(.xfrBlock(5, .unplugged))
                await #expect(throws: CardReaderServiceError.self) { try await shop.pay() }
                try await bench.unplug(plugged)
                // Whether the service has noticed by itself that the reader is gone is all the same here.
                try? await shop.service.disconnect()
                _ = try await bench.plug(plugged.simulated)
                try await shop.connect()
                #expect(try await shop.pay(number: 2).status == .requiresCapture)
                try await shop.close()
            }
        }
    }

    /// A terminal at one reader, and somebody with a card, who is quick.
    private struct Shop {
        let service: LocalCardReaderService
        private let cardholder: SimulatedCardholder

        init(at reader: SimulatedCCIDReader, _ bench: BridgeBench) throws {
            var profile = try CardProfileLibrary.profile("visa-credit")
            profile.cardholder.insertsAfter = .zero
            let (keys, random, time) = (try TestKeys.embedded(), SeededRandomSource(seed: 1), SystemTimeSource())
            let card = try SimulatedEMVCard(profile: profile, keys: keys, random: random.stream("card"))
            cardholder = SimulatedCardholder(
                profile: profile, card: card, reader: reader, clock: bench.clock,
                pinPad: try SimulatedPINPad(keys: keys, random: random.stream("pin pad")))
            let issuer = try SimulatedIssuer(
                accounts: profile.issuerAccounts(keys: keys), keys: keys, time: time, random: random.stream("host"))
            service = LocalCardReaderService(
                sources: [USBCardReaderSource(bench.bus, time: time)], host: issuer, terminal: .standard,
                cardholder: cardholder, time: time, random: random.stream("terminal"))
        }

        /// Connects the first reader that is found.
        func connect() async throws {
            try await service.start(.usb)
            for await readers in await service.discoveredReaders {
                guard let reader = readers.first else { continue }
                _ = try await service.connect(reader)
                return
            }
        }

        func pay(number: UInt32 = 1) async throws -> PaymentIntent {
            let parameters = PaymentIntentParameters(
                key: IdempotencyKey(rawValue: "attempt-\(number)"), stan: number,
                amount: try Money(minorUnits: 1250, currency: .usDollar), cardTimeout: .seconds(10))
            return try await service.capturePayment(parameters) { [cardholder] in cardholder.observe($0) }
        }

        func close() async throws {
            try await service.disconnect()
            await service.cancelDiscovery()
        }
    }
}
