public import SettingsFile

/// One thing that must be so, and where the file says it.
public struct Expectation: Sendable {
    /// The key in the file.
    public var key: String
    public var location: SettingsLocation
    public var check: Check

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
        case display([TextPattern])
        case noDisplay([TextPattern])
        case apdu([TextPattern])
        case noAPDU([TextPattern])
        case receipt([TextPattern])
        case noReceipt([TextPattern])
        case merchantReceipt([TextPattern])
        case printed([TextPattern])
        case noPrinted([TextPattern])
        /// How far each print job came, in the order of the jobs.
        case prints([String])
        /// The states of the last attempt, all of them.
        case journal([String])
        case rows([RowsExpectation])
        /// The issuer's book, all of it.
        case ledger([LedgerLine])
        /// What the issuer has moved in the end, in minor units, by currency.
        case charged(minorUnits: Int64, currency: String)
        /// How many charges the issuer holds that were not taken back.
        case charges(Int)
        case site(SiteExpectation)
        case tvr(BitExpectation)
        case tsi(BitExpectation)
        case cvm(String)
        case entry(String)
        case elapsed(TimeBounds)
        case reconciled(Bool)
    }
}
