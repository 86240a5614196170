import Determinism
import EMV
import Hardware
import Money
import Payments
import Simulator
import SmartCard
import Storage
import TillConfiguration
import USB
import Yosemite

/// A till with its reader, card, and customer, composed as in the command line program: everything between a
/// dispatched action and the bytes on a simulated USB bus.
final class Lane: Sendable {
    private let stores: StoresManager
    private let cardholder: RepeatingCardholder
    private let amount: Money
    private let queue = RunQueue()

    // The card is the name of a card profile whose payments are approved. Lanes may share a journal.
    init(reader model: SimulatedReaderModel, card name: String, journal: PaymentJournal) async throws {
        let random = SeededRandomSource(seed: 1)
        let clock = SimulationClock()
        queue.add(clock)
        let bus = SimulatedUSBBus(clock: clock)
        let reader = SimulatedCCIDReader(model: model, clock: clock)
        bus.plug(reader)
        let keys = try TestKeys.embedded()
        let profile = try CardProfileLibrary.profile(name)
        let card = try SimulatedEMVCard(profile: profile, keys: keys, random: random.stream("card"))
        let cardholder = RepeatingCardholder(card: card, reader: reader, clock: clock)
        var accounts = try profile.issuerAccounts(keys: keys)
        for index in accounts.indices { accounts[index].available = nil }
        let issuer = try SimulatedIssuer(accounts: accounts, keys: keys, time: clock, random: random.stream("host"))
        let currency = profile.applications.first?.currency ?? .usDollar
        let settings = TillConfiguration()
        let configured = settings.terminal(for: currency)
        let terminal = configured.adding(
            certificationAuthorityKeys: try profile.certificationAuthorityKeys(keys))
        let store = CardPresentPaymentsStore(
            host: issuer, journal: journal, merchant: settings.merchant, time: clock,
            random: random.stream("identity")
        ) { host in
            LocalCardReaderService(
                sources: [USBCardReaderSource(bus, time: clock)], host: host, terminal: terminal,
                cardholder: cardholder, time: clock,
                random: random.stream("terminal"))
        }
        self.cardholder = cardholder
        amount = try Money(minorUnits: 1250, currency: currency)
        stores = try StoresManager(
            dispatcher: Dispatcher(time: clock), session: SessionManager(),
            configuration: StoresManager.Configuration(
                authenticated: { signIn, _ in AuthenticatedState(signIn: signIn, stores: [store]) },
                deauthenticated: { DeauthenticatedState(stores: [store]) },
                disconnectReader: { dispatcher in
                    _ = try? await dispatcher.perform { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
                }))
        try await play { [self] in try await connect() }
    }

    /// Runs `body` in the lane's simulated time.
    private func play(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let result = await queue.turn {
            $0 ? nil : Timestamp(milliseconds: .max)
        } _: {
            () -> Result<Void, any Error> in
            do { return .success(try await body()) } catch { return .failure(error) }
        }
        guard let result else { throw BenchmarkError("a payment waits for something that never happens") }
        try result.get()
    }

    private func connect() async throws {
        let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
        try await stores.perform {
            CardPresentPaymentsAction.startCardReaderDiscovery(
                discoveryMethod: .usb, onReaderDiscovered: { continuation.yield($0) }, onCompletion: $0)
        } as Void
        for await readers in lists {
            guard let reader = readers.first else { throw BenchmarkError("no reader on the simulated bus") }
            _ =
                try await stores.perform { CardPresentPaymentsAction.connect(reader: reader, onCompletion: $0) }
                as CardReader
            return
        }
    }

    /// Takes payments one after the other.
    ///
    /// - Throws: when a payment is not approved; then the measurement is void.
    func pay(_ count: Int) async throws { try await play { [self] in try await take(count) } }

    private func take(_ count: Int) async throws {
        let cardholder = cardholder
        let request = PaymentRequest(amount: amount)
        var (approved, failed) = (0, 0)
        while approved < count {
            let payment: Payment = try await stores.perform {
                CardPresentPaymentsAction.collectPayment(
                    request: request, onCardReaderMessage: { cardholder.observe($0) },
                    onProcessingCompletion: { _ in }, onCompletion: $0)
            }
            if payment.outcome == .approved {
                approved += 1
                continue
            }
            failed += 1
            guard failed * 50 <= count else {
                throw BenchmarkError(
                    "\(failed) payments not approved: " + (payment.errorMessage ?? payment.outcome.rawValue))
            }
        }
    }

    /// Disconnects the reader.
    func close() async throws {
        try await play { [stores] in
            try await stores.perform { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
        }
    }
}
