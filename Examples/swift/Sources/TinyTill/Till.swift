import Determinism
import Hardware
import Money
import Payments
import Settings
import Storage
import Yosemite

/// A till that fits on a page: it takes payments and refunds, records them, and notifies a store of paid orders.
public struct Till: Sendable {
    /// The reader, for user interfaces.
    public let reader: any CardReaderService
    private let stores: StoresManager

    /// Creates the till on a machine, and finishes the open payments of the last one.
    public static func open(on machine: Machine) async throws -> Till {
        let till = try Till(on: machine)
        _ =
            try await till.stores.perform {
                CardPresentPaymentsAction.recoverPayments(onCompletion: $0)
            } as RecoveryReport
        try await till.syncPayments()
        return till
    }

    private init(on machine: Machine) throws {
        let journal = PaymentJournal(storage: machine.storage, lease: try ProcessLease(in: machine.storage))
        // The payments store creates the host for the reader service: one that records each request before it is sent.
        let reader = ReaderBox()
        let composition = StoreComposition(
            storage: machine.storage, session: SessionManager(signIn: machine.signIn), network: machine.network,
            preferences: nil, features: DefaultFeatureFlagService(overrides: FeatureOverrides()), time: machine.time,
            random: machine.random
        ) { _ in 2 }
        stores = try composition.manager(local: { session in
            let payments = CardPresentPaymentsStore(
                host: machine.host, journal: journal,
                merchant: Merchant(name: "Tiny Shop", merchantID: "TINY", terminalID: "00000001"),
                site: session.flatMap(PaymentSite.init), time: machine.time,
                random: machine.random.stream("identity")
            ) { host in
                reader.keep(
                    LocalCardReaderService(
                        sources: [USBCardReaderSource(machine.bus, time: machine.time)], host: host,
                        terminal: machine.terminal, cardholder: machine.cardholder, time: machine.time,
                        random: machine.random))
            }
            return [payments]
        })
        guard let made = reader.service else { throw TillError.noReader }
        self.reader = made
    }

    /// Connects the first reader that is plugged in.
    public func connect() async throws {
        let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
        try await stores.perform {
            CardPresentPaymentsAction.startCardReaderDiscovery(
                discoveryMethod: .usb, onReaderDiscovered: { continuation.yield($0) }, onCompletion: $0)
        } as Void
        var plugged = lists.makeAsyncIterator()
        guard let first = await plugged.next()?.first else { throw TillError.noReader }
        _ =
            try await stores.perform {
                CardPresentPaymentsAction.connect(reader: first, onCompletion: $0)
            } as CardReader
    }

    /// Takes a payment and records it, however it ends.
    public func sell(_ amount: String, in currency: Currency = .usDollar) async throws -> Payment {
        let request = PaymentRequest(amount: try Money(amount, currency: currency))
        return try await stores.perform {
            CardPresentPaymentsAction.collectPayment(
                request: request, onCardReaderMessage: { _ in }, onProcessingCompletion: { _ in }, onCompletion: $0)
        }
    }

    /// Takes the payment of an order and notifies the store.
    public func sell(order: Int64) async throws -> Payment {
        guard let siteID = stores.siteID else { throw TillError.noStore }
        return try await stores.perform {
            CardPresentPaymentsAction.collectOrderPayment(
                request: OrderPaymentRequest(siteID: siteID, orderID: order), onCardReaderMessage: { _ in },
                onProcessingCompletion: { _ in }, onCompletion: $0)
        }
    }

    /// Refunds a payment.
    public func refund(_ payment: Payment) async throws -> Payment {
        try await stores.perform {
            CardPresentPaymentsAction.refundPayment(paymentID: payment.id, amount: nil, onCompletion: $0)
        }
    }

    /// Notifies the store of payments that it does not know yet.
    public func syncPayments() async throws {
        _ =
            try await stores.perform {
                CardPresentPaymentsAction.syncOrderPayments(paymentID: nil, onCompletion: $0)
            } as OrderPaymentReport
    }

    /// The payments so far, newest first.
    public func payments() async throws -> [Payment] {
        try await stores.perform { CardPresentPaymentsAction.loadPayments(limit: nil, onCompletion: $0) }
    }
}
