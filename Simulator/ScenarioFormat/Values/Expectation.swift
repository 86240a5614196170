public import SettingsFile

/// One thing that must be so, and where the file says it.
public struct Expectation: Sendable {
    /// The key in the file.
    public var key: String
    /// Where it is written.
    public var location: SettingsLocation
    /// What is looked at, and what it must be.
    public var check: Check

    /// An expectation, as it is written.
    public init(key: String, location: SettingsLocation, check: Check) {
        (self.key, self.location, self.check) = (key, location, check)
    }

    /// An expectation that no file has yet.
    public init(_ check: Check) { self.init(key: check.key, location: .nowhere, check: check) }

    /// What is looked at, and what it must be.
    public enum Check: Sendable {
        /// How the payment or refund ended: `approved`, `declined`, …
        case outcome(String)
        /// The error's word for programs; nil when there must be none.
        case error(String?)
        /// What the records make of the payment: `captured`, `refunded`, …
        case state(String)
        /// These in this order, others between them allowed.
        case events([TextPattern])
        /// None of these.
        case noEvents([TextPattern])
        /// What the reader showed, in this order, others between them allowed.
        case display([TextPattern])
        /// What it did not show.
        case noDisplay([TextPattern])
        /// Exchanges with the card, `00A4* *9000`, in this order, others between them allowed.
        case apdu([TextPattern])
        /// None of these exchanges.
        case noAPDU([TextPattern])
        /// Every exchange with the card, all of them.
        case trace([String])
        /// Lines of the customer's receipt, in this order.
        case receipt([TextPattern])
        /// None of these lines on the customer's receipt.
        case noReceipt([TextPattern])
        /// Lines of the merchant's receipt, in this order.
        case merchantReceipt([TextPattern])
        /// Lines on paper, in this order.
        case printed([TextPattern])
        /// None of these lines on paper.
        case noPrinted([TextPattern])
        /// How far each print job came, in the order of the jobs.
        case prints([String])
        /// The states of the last attempt, all of them.
        case journal([String])
        /// Rows of the till's database.
        case rows([RowsExpectation])
        /// The issuer's book, all of it.
        case ledger([LedgerLine])
        /// What the issuer has moved in the end, in minor units, by currency.
        case charged(minorUnits: Int64, currency: String)
        /// How many charges the issuer holds that were not taken back.
        case charges(Int)
        /// What the store knows.
        case site(SiteExpectation)
        /// Terminal verification results, tag 95.
        case tvr(BitExpectation)
        /// Transaction status information, tag 9B.
        case tsi(BitExpectation)
        /// How the cardholder was verified: `signature`.
        case cvm(String)
        /// How the card was read: `chip`.
        case entry(String)
        /// How long it took on the virtual clock.
        case elapsed(TimeBounds)
        /// Whether journal and book agree, and nothing is open.
        case reconciled(Bool)
    }
}
