import Connections
import Determinism
import Hosts
import Money
import Payments
import Storage

/// The side of a till that talks to a host, composed as in the command line program: journal, host, link, and TLS. The
/// request is ready: there is no card, and no kernel.
struct HostLane {
    /// The milliseconds of a sale.
    struct Times {
        /// From the new payment in the journal to its end there.
        let sale: Double
        /// From the request to the host's answer.
        let exchange: Double
    }

    private static let name = "iso8583"
    private static let receipt = ReceiptDraft(kind: .sale, content: #"{"outcome":"approved"}"#)

    private let host: AcquirerHost
    private let link: HostLink
    private let journal: PaymentJournal
    private let sales: ChipSales
    private let time = SystemTimeSource()

    /// - Throws: `BenchmarkError`, and the errors of TLS.
    init(
        at address: TCPAddress, certificates: HostCertificates, journal: PaymentJournal, sales: ChipSales
    ) throws {
        (self.journal, self.sales) = (journal, sales)
        let tls = try TLSClient(
            TLSClient.Settings(authorities: .pinned(file: certificates.folder.authority.certificate)), time: time)
        let identity = TerminalIdentity(terminal: "TERM0001", merchant: ChipSales.merchant)
        let network = TraceNumberPlan(sales.profile).network
        link = HostLink(
            sales.profile, identity: identity, connector: try NetworkConnector(address, tls: tls, time: time),
            traceNumbers: CountedTraceNumbers(network, from: network.lowerBound), time: time,
            random: SystemRandomSource())
        host = AcquirerHost(
            name: Self.name, sales.profile, at: "\(address)",
            terminal: AcquirerTerminal(
                identity: identity, merchantName: "Corner Shop", city: "Springfield", countryCodes: ["US"],
                category: 5999),
            link: link, clock: time, time: time)
    }

    /// Connects, and signs on.
    func connect() async throws { try await link.connect() }

    /// Takes a sale with the steps that a payment takes at its host.
    ///
    /// - Throws: when it is not approved; then the measurement is void.
    func sell(_ number: Int) async throws -> Times {
        let (amount, objects) = (try sales.amount(number), try sales.objects(number))
        let clock = ContinuousClock()
        let start = clock.now
        let attempt = try journal.begin(
            siteID: 0, orderID: nil, amount: amount, hostName: Self.name, at: time.now()
        ).attempt
        let request = AuthorizationRequest(
            key: attempt.key, stan: attempt.stan, amount: amount, date: time.localDate(), card: sales.card(objects))
        let identity = try await host.identity(of: request.subject)
        try journal.markAuthorizing(attempt.id, identity: identity, at: time.now())
        let sent = clock.now
        let response = try await host.authorize(request)
        let answered = clock.now
        guard response.isApproved else { throw BenchmarkError("a sale was answered with \(response.responseCode)") }
        try journal.finish(
            attempt.id, as: .captured, hostReference: response.reference, receipt: Self.receipt, at: time.now())
        return Times(sale: Self.milliseconds(clock.now - start), exchange: Self.milliseconds(answered - sent))
    }

    /// Ends the connection.
    func close() async { await link.close() }

    private static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) * 1000 + Double(attoseconds) * 1e-15
    }
}
