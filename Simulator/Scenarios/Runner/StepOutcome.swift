import Hardware
import Payments
import Sessions
import Yosemite

/// The outcome of a step.
public struct StepOutcome: Sendable {
    /// The step's payment; nil for none.
    public var payment: Int64?
    /// How the card was read.
    public var entryMode: String?
    /// The outcome: `approved`, `declined`, …; nil for a step without one. `failed` means that certainly no money moved
    /// in the step.
    public var outcome: String?
    /// The error code for programs; nil without an error.
    public var errorCode: String?
    /// The error message for people; nil without an error.
    public var errorMessage: String?

    init() {}

    init(_ payment: Payment) {
        self.payment = payment.id.rawValue
        entryMode = payment.card?.entryMode.rawValue
        (outcome, errorCode, errorMessage) = (payment.outcome.rawValue, payment.errorCode, payment.errorMessage)
    }

    /// Creates the outcome of a capture, which is open until the host has taken it.
    init(captureOf payment: Payment) {
        self.init(payment)
        if !payment.state.isCaptured { outcome = "unknown" }
    }

    init(_ print: ReceiptPrint) { (payment, outcome) = (print.paymentID.rawValue, print.state.rawValue) }

    /// Creates the outcome of a payment's last refund, from the journal.
    ///
    /// - Throws: `SimulatedSessionError` when the journal cannot be read.
    init(refundOf payment: Int64, in session: SimulatedSession) throws(SimulatedSessionError) {
        self.payment = payment
        let record = try session.payments().first { $0.id == payment }
        let refund = record?.attempts.last { $0.kind == "refund" }
        outcome =
            switch refund?.states.last {
            case "captured": "approved"
            case "created", "authorizing", "reversing": "pending"
            case let state: state
            }
        guard outcome != "approved" else { return }
        (errorCode, errorMessage) = (record?.errorCode, refund?.lastError)
    }

    /// Creates the outcome of a payment's last increment, from the journal.
    ///
    /// - Throws: `SimulatedSessionError` when the journal cannot be read.
    init(incrementOf payment: Int64, in session: SimulatedSession) throws(SimulatedSessionError) {
        self.payment = payment
        let record = try session.payments().first { $0.id == payment }
        let increment = record?.attempts.last { $0.kind == "increment" }
        outcome =
            switch increment?.states.last {
            case "authorizedOnly": "approved"
            case "created", "authorizing", "reversing": "pending"
            // Taken back: what is held stays as it was.
            case "reversed": "failed"
            case let state: state
            }
        if outcome != "approved" { errorMessage = increment?.lastError }
    }

    /// Creates the outcome of a step that threw an error. `mayHaveMoved` is whether an attempt that the step worked on
    /// may have moved money.
    init(_ error: SimulatedSessionError, mayHaveMoved: Bool) {
        outcome =
            switch error {
            case .processDied: "crashed"
            case .payments(.unrecorded): "unknown"
            default: mayHaveMoved ? "unknown" : "failed"
            }
        (errorCode, errorMessage) = (Self.code(of: error), String(describing: error))
    }

    private static func code(of error: SimulatedSessionError) -> String {
        switch error {
        case .plan: "plan"
        case .noSuchReader: "no_such_reader"
        case .noSuchCard: "no_such_card"
        case .readerNotFound: "reader_not_found"
        case .processDied: "crashed"
        case .over: "over"
        case .storage: "storage"
        case .receipt(let error): code(of: error)
        case .refused: "refused"
        case .fault: "internal"
        case .stuck: "stuck"
        case .payments(let error): code(of: error)
        }
    }

    private static func code(of error: CardPresentPaymentsError) -> String {
        switch error {
        case .noStoreSite: "no_store_site"
        case .site: "site"
        case .order: "order_not_payable"
        case .gateway: "gateway"
        case .refund: "refund_lines"
        case .readerConfiguration: "reader_location"
        case .reader(let error): error.code
        case .journal, .unrecorded: "journal"
        case .busy: "busy"
        case .restored: "database_restored"
        case .cardData: "card_data_closed"
        }
    }

    private static func code(of error: ReceiptStoreError) -> String {
        switch error {
        case .printer, .notPrinted: "printer"
        case .printUncertain: "printer_uncertain"
        case .notRendered: "not_rendered"
        default: "receipt"
        }
    }
}
