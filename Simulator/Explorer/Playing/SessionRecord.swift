internal import Sessions
internal import Simulator

/// What a session has come to: everything that is judged, as plain values.
struct SessionRecord: Sendable {
    /// How a step of the session ended.
    struct Step: Hashable, Sendable {
        /// The word of the step in the file.
        var word: String
        var outcome: String?
        var errorCode: String?
        var errorMessage: String?
        /// Whether it is one of those that every session ends with.
        var isEnding = false
    }

    /// An attempt of the till's journal.
    struct Attempt: Hashable, Sendable {
        var key: String
        /// The payment's number.
        var payment: Int64
        var isRefund: Bool
        var minorUnits: Int64
        var currency: String
        /// In order.
        var states: [String]

        var state: String { states.last ?? "none" }
    }

    /// A payment of the till's database.
    struct Payment: Hashable, Sendable {
        var id: Int64
        var state: String
        var minorUnits: Int64
        var refundedMinorUnits: Int64
        /// The store's order.
        var order: Int64?
        var lastFour: String?
        /// `chip`, `swipe`, `fallback`; nil when no card was read.
        var entryMode: String?
    }

    /// What the issuer's book makes of a key.
    struct Charge: Hashable, Sendable {
        var key: String
        var isRefund: Bool
        /// The key of the payment that a refund is of.
        var original: String?
        /// What it moves; zero when it was declined or taken back.
        var minorUnits: Int64
        var currency: String
    }

    /// A line of the issuer's book.
    struct BookLine: Hashable, Sendable {
        /// `authorisation`, `advice`, `refund`, …
        var kind: String
        var key: String
        var isApproved: Bool
        /// Of the card's own cryptogram, which the issuer checked; nil when there was none.
        var counter: UInt16?
    }

    /// What the till has to tell the store.
    struct Capture: Hashable, Sendable {
        /// The payment's number.
        var payment: Int64
        var state: String
        var intent: String?
    }

    /// Money that the store knows of.
    struct StoreCharge: Hashable, Sendable {
        var intent: String
        var order: Int64
        var minorUnits: Int64
    }

    /// A place where a card's secret was found.
    struct Leak: Hashable, Sendable {
        var secret: String
        var place: String
    }

    var steps: [Step] = []
    var events: [SessionEvent] = []
    var attempts: [Attempt] = []
    var payments: [Payment] = []
    var charges: [Charge] = []
    var book: [BookLine] = []
    var captures: [Capture] = []
    var storeCharges: [StoreCharge] = []
    /// The orders that the store has as paid.
    var paidOrders: Set<Int64> = []
    var cryptograms: [MadeCryptogram] = []
    var leaks: [Leak] = []
    var remains = SessionRemains.none
    /// Files of the session that were still open when it was over.
    var openFiles: [String] = []
    /// The step that waits for something that never comes; nil when the session came to its end.
    var stuckStep: String?
    /// Why there is nothing to judge: the session could not begin; nil when it did.
    var refusal: String?
    /// Whether the draft made no scenario at all.
    var isUnreadable = false
}
