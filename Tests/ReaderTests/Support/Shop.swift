import Amounts
import Determinism
import EMV
import Hardware
import Simulator
import USB

extension OverLibUSB {
    /// A terminal at one reader, and somebody with a card, who is quick.
    struct Shop {
        let service: LocalCardReaderService
        private let cardholder: SimulatedCardholder

        init(
            at reader: SimulatedCCIDReader, _ bench: BridgeBench, reconnection: ReconnectionPolicy = .off
        ) throws {
            try self.init(
                at: reader, on: USBCardReaderSource(bench.bus, time: SystemTimeSource()), clock: bench.clock,
                reconnection: reconnection)
        }

        /// - Parameters:
        ///   - reader: where the cardholder puts the card.
        ///   - source: where the terminal finds the reader.
        ///   - clock: what the cardholder goes by.
        ///   - reconnection: what is done when the reader is lost, in real time.
        /// - Throws: what cannot be made.
        init(
            at reader: SimulatedCCIDReader, on source: any CardReaderSource, clock: SimulationClock,
            reconnection: ReconnectionPolicy
        ) throws {
            var profile = try CardProfileLibrary.profile("visa-credit")
            profile.cardholder.insertsAfter = .zero
            let (keys, random, time) = (try TestKeys.embedded(), SeededRandomSource(seed: 1), SystemTimeSource())
            let card = try SimulatedEMVCard(profile: profile, keys: keys, random: random.stream("card"))
            cardholder = SimulatedCardholder(
                profile: profile, card: card, reader: reader, clock: clock,
                pinPad: try SimulatedPINPad(keys: keys, random: random.stream("pin pad")))
            let issuer = try SimulatedIssuer(
                accounts: profile.issuerAccounts(keys: keys), keys: keys, time: time, random: random.stream("host"))
            service = LocalCardReaderService(
                sources: [source], host: issuer, terminal: .standard, cardholder: cardholder, time: time,
                random: random.stream("terminal"), reconnection: reconnection)
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
