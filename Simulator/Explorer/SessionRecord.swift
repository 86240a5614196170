import Payments
import Sessions
import Simulator
import StoreSite

/// The results of a session that the invariants check, as plain values.
struct SessionRecord: Sendable {
    /// The result of a step.
    struct Step: Hashable, Sendable {
        /// The step's word in the file.
        var word: String
        var outcome: String?
        var errorCode: String?
        var errorMessage: String?
        /// Whether it is one of the final steps of every session.
        var isEnding = false
    }

    /// The net result of a key in the issuer's ledger.
    struct Charge: Hashable, Sendable {
        var key: String
        var isRefund: Bool
        /// The key of the refunded payment.
        var original: String?
        /// The amount moved; zero when it was declined or reversed.
        var minorUnits: Int64
        /// The amount held with its increments; zero once it is captured or reversed.
        var held: Int64 = 0
        var currency: String
    }

    /// A payment notification of the till to the store.
    struct Capture: Hashable, Sendable {
        /// The payment's number.
        var payment: Int64
        var state: String
        var intent: String?
        /// Whether the till itself sets the order to paid, for a store without a gateway.
        var isOfTill = false
    }

    /// A notification of the till to the store that money went back.
    struct RefundNotice: Hashable, Sendable {
        /// The payment's number.
        var payment: Int64
        var state: String
        var minorUnits: Int64
    }

    /// A receipt of the database.
    struct IssuedReceipt: Hashable, Sendable {
        var id: Int64
        /// The number of the attempt whose result it documents.
        var attempt: Int64
        var content: ReceiptContent
    }

    /// The paper of a receipt.
    struct Paper: Hashable, Sendable {
        var receipt: Int64
        var lines: [String]
    }

    /// A secret, and the place where it was found.
    struct Leak: Hashable, Sendable {
        var secret: String
        var place: String
    }

    var steps: [Step] = []
    var events: [SessionEvent] = []
    /// What the models of `Proof` need of the session; empty unless somebody asks for it.
    var traced: [TracedEvent] = []
    var attempts: [SessionPayment.Attempt] = []
    var payments: [SessionPayment] = []
    var charges: [Charge] = []
    /// The lines of the issuer's ledger.
    var book: [IssuerLedgerEntry] = []
    var captures: [Capture] = []
    var refundNotices: [RefundNotice] = []
    /// Whether the second till has a database of its own; see ``number(_:of:)``.
    var hasTwoDatabases = false
    /// The numbers of the events of the second till.
    var eventsOfSecondTill: Set<Int> = []
    /// The charges that the store recorded.
    var storeCharges: [LedgerEntry] = []
    /// The orders of the store.
    var storeOrders: [SiteOrder] = []
    /// Whether the store answered with old data. It may then have a refund again for each lost answer.
    var hadOldData = false
    /// The orders of refunds whose answers were lost, one for each answer.
    var lostRefunds: [Int64] = []
    /// The orders that are paid at the store.
    var paidOrders: Set<Int64> = []
    var cryptograms: [IssuedCryptogram] = []
    var leaks: [Leak] = []
    var openResources = LeakReport.none
    /// What the commands told, in order.
    var tellings: [SessionTelling] = []
    /// The approvals that the display was let show, in order.
    var displays: [SessionDisplay] = []
    /// For each line of ``book``, the number of the session's events when it was written.
    var bookMoments: [Int] = []
    /// The receipts of the database, oldest first.
    var receipts: [IssuedReceipt] = []
    /// What was printed of them.
    var papers: [Paper] = []
    /// Files that were still open after the session.
    var openFiles: [String] = []
    /// The step that never ended; nil when the session ended.
    var stuckStep: String?
    /// Why the session could not start; nil when it did.
    var refusal: String?
    /// Why a session that had begun has no results; nil when it has them.
    var breakdown: String?
    /// Whether the draft was not a valid scenario.
    var isUnreadable = false
}

extension SessionRecord {
    /// The numbers of a second database begin here, so that the payments, attempts, and receipts of both are different.
    static let firstOfSecondDatabase: Int64 = 1_000_000

    /// Returns the number of a payment, an attempt, or a receipt that a till knows under a number of its own.
    func number(_ number: Int64, of till: TillPlace) -> Int64 {
        till == .second && hasTwoDatabases ? number + Self.firstOfSecondDatabase : number
    }

    /// Whether a payment is one of the second database.
    func isInSecondDatabase(_ payment: Int64) -> Bool { hasTwoDatabases && payment > Self.firstOfSecondDatabase }
}

extension IssuerLedgerEntry {
    /// Whether the issuer approved the message.
    var isApproved: Bool { ["00", "10", "11"].contains(answer?.responseCode) }
}

extension SessionPayment.Attempt {
    var isRefund: Bool { kind == "refund" }
    /// The last state.
    var state: String { states.last ?? "none" }
    /// Whether certainly no money moved.
    var movedNothing: Bool { ["declined", "cancelled", "failed", "reversed"].contains(state) }
    /// Whether nothing is open: money moved, or is held, or neither.
    var isFinal: Bool { movedNothing || ["captured", "authorizedOnly"].contains(state) }
    /// Whether it is or was a pre-authorization that the issuer approved.
    var wasHeld: Bool { states.contains("authorizedOnly") }
    /// The words for it in a finding.
    var name: String { "the \(kind) of payment \(payment)" }
}
