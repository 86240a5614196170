import EMV
public import Settings

/// An expected result, and its location in the file.
public struct Expectation: Sendable {
    /// The key in the file.
    public var key: String
    /// The location in the source.
    public var location: SettingsLocation
    /// The property to check, and the expected value.
    public var check: Check

    /// Creates an expectation from a file or source location.
    public init(key: String, location: SettingsLocation, check: Check) {
        (self.key, self.location, self.check) = (key, location, check)
    }

    /// Creates an expectation without a location.
    public init(_ check: Check) { self.init(key: check.key, location: .nowhere, check: check) }

    /// The property to check, and the expected value.
    public enum Check: Sendable {
        /// How the payment or refund ended: `approved`, `declined`, …
        case outcome(String)
        /// The error code; nil when no error is expected.
        case error(String?)
        /// The payment's state in the records: `captured`, `refunded`, …
        case state(String)
        /// Events in this order, with others between them allowed.
        case events([TextPattern])
        /// Events that must not occur.
        case noEvents([TextPattern])
        /// Texts on the reader's display in this order, with others between them allowed.
        case display([TextPattern])
        /// Texts that must not be on the reader's display.
        case noDisplay([TextPattern])
        /// Exchanges with the card, `00A4* *9000`, in this order, with others between them allowed.
        case apdu([TextPattern])
        /// Exchanges with the card that must not occur.
        case noAPDU([TextPattern])
        /// The complete list of exchanges with the card.
        case trace([String])
        /// Lines of the customer's receipt, in this order.
        case receipt([TextPattern])
        /// Lines that must not be on the customer's receipt.
        case noReceipt([TextPattern])
        /// Lines of the merchant's receipt, in this order.
        case merchantReceipt([TextPattern])
        /// Printed lines, in this order.
        case printed([TextPattern])
        /// Lines that must not be printed.
        case noPrinted([TextPattern])
        /// The state of each print job, in order.
        case prints([String])
        /// The complete list of states of the last attempt.
        case journal([String])
        /// Rows of the till's database.
        case rows([RowsExpectation])
        /// The complete issuer's ledger.
        case ledger([LedgerLine])
        /// The net amount that the issuer charged, in minor units.
        case charged(minorUnits: Int64, currency: String)
        /// The number of charges at the issuer that were not reversed.
        case charges(Int)
        /// The state of the store.
        case site(SiteExpectation)
        /// Terminal verification results, tag 95.
        case tvr(BitExpectation)
        /// Transaction status information, tag 9B.
        case tsi(BitExpectation)
        /// The cardholder verification method, such as `signature`.
        case cvm(String)
        /// How the card was read, such as `chip`.
        case entry(String)
        /// The duration on the virtual clock.
        case elapsed(TimeBounds)
        /// Whether the journal and the issuer's ledger agree and nothing is open.
        case reconciled(Bool)
    }
}

/// Named bits that must be set or clear.
public struct BitExpectation: Hashable, Sendable {
    /// The names of bits that must be set.
    public var set: [String]
    /// The names of bits that must be clear.
    public var clear: [String]

    /// Creates an expectation from bit names as in scenario files.
    public init(set: [String], clear: [String]) {
        (self.set, self.clear) = (set, clear)
    }
}

/// A part of a session's results that is compared as a whole with the golden file beside the scenario.
public enum GoldenSection: String, Hashable, Sendable, CaseIterable {
    case events, display, apdu, receipt, merchantReceipt, journal
}

/// A line of the issuer's ledger; nil matches any value.
public struct LedgerLine: Hashable, Sendable {
    /// The kind of the answered message, such as `authorisation`.
    public var kind: String?
    /// The amount, in minor units.
    public var minorUnits: Int64?
    /// The ISO 4217 code of the currency.
    public var currency: String?
    /// The response code (ISO 8583 DE 39).
    public var response: String?
    /// The reason of a decline.
    public var reason: String?
    /// The issuer rule that applied.
    public var rule: String?

    /// Creates an expectation. Nil matches any value.
    public init(
        kind: String? = nil, minorUnits: Int64? = nil, currency: String? = nil, response: String? = nil,
        reason: String? = nil, rule: String? = nil
    ) {
        (self.kind, self.minorUnits, self.currency) = (kind, minorUnits, currency)
        (self.response, self.reason, self.rule) = (response, reason, rule)
    }
}

/// The number of requests that match a pattern, such as `POST *capture_terminal_payment`.
public struct RequestCount: Hashable, Sendable {
    /// Method and path, with `*` for anything.
    public var pattern: TextPattern
    /// The expected number of matching requests.
    public var count: Int

    /// Expects exactly `count` requests that match.
    public init(_ pattern: TextPattern, count: Int) { (self.pattern, self.count) = (pattern, count) }
}

/// A query of the till's database and its expected rows.
public struct RowsExpectation: Hashable, Sendable {
    /// A SELECT statement.
    public var query: String
    /// The rows, with values as text; NULL is the empty text.
    public var rows: [[String]]

    /// Expects these rows, with values as text; NULL is the empty text.
    public init(query: String, rows: [[String]]) { (self.query, self.rows) = (query, rows) }
}

/// The expected state of the store; nil matches any value.
public struct SiteExpectation: Hashable, Sendable {
    /// The number of charges that the store recorded.
    public var charges: Int?
    /// The status of the most recently paid order.
    public var order: String?
    /// The expected numbers of requests.
    public var requests: [RequestCount]

    /// Expects what is not nil, and each number of requests.
    public init(charges: Int? = nil, order: String? = nil, requests: [RequestCount] = []) {
        (self.charges, self.order, self.requests) = (charges, order, requests)
    }
}

/// A text pattern in which `*` matches any text, including none.
public struct TextPattern: Hashable, Sendable, CustomStringConvertible {
    /// The text of the pattern.
    public let text: String
    private let bytes: [UInt8]

    /// Creates a pattern with any number of `*`.
    public init(_ text: String) { (self.text, bytes) = (text, Array(text.utf8)) }

    public var description: String { text }

    /// Returns whether a text matches the pattern or begins with its words.
    public func fitsBeginning(of candidate: String) -> Bool {
        matches(candidate) || candidate.hasPrefix(text + " ")
    }

    /// Returns whether all of `candidate` matches. The time is at most proportional to the product of both lengths.
    public func matches(_ candidate: some StringProtocol) -> Bool {
        let candidate = Array(candidate.utf8)
        var (pattern, place) = (0, 0)
        // Where to continue when the text after the last `*` does not match: one byte later.
        var retry: (pattern: Int, place: Int)?
        while true {
            if pattern < bytes.count, bytes[pattern] == UInt8(ascii: "*") {
                pattern += 1
                retry = (pattern, place)
            } else if place < candidate.count, pattern < bytes.count, bytes[pattern] == candidate[place] {
                (pattern, place) = (pattern + 1, place + 1)
            } else if place == candidate.count, pattern == bytes.count {
                return true
            } else if let last = retry, last.place < candidate.count {
                (pattern, place) = (last.pattern, last.place + 1)
                retry = (last.pattern, last.place + 1)
            } else {
                return false
            }
        }
    }
}

/// Bounds on a duration on the virtual clock.
public struct TimeBounds: Hashable, Sendable {
    /// The lower bound; nil for none.
    public var atLeast: Duration?
    /// The upper bound; nil for none.
    public var atMost: Duration?

    /// Creates an expectation. Nil matches any value.
    public init(atLeast: Duration? = nil, atMost: Duration? = nil) {
        (self.atLeast, self.atMost) = (atLeast, atMost)
    }
}

/// The names of TVR and TSI bits in scenario files.
public enum VerificationBitNames {
    /// Terminal verification results, tag 95.
    static let tvr: KeyValuePairs<String, TerminalVerificationResults> = [
        "offlineDataAuthenticationNotPerformed": .offlineDataAuthenticationNotPerformed, "sdaFailed": .sdaFailed,
        "iccDataMissing": .iccDataMissing, "cardOnExceptionFile": .cardOnExceptionFile, "ddaFailed": .ddaFailed,
        "cdaFailed": .cdaFailed, "sdaSelected": .sdaSelected, "xdaSelected": .xdaSelected,
        "versionsDiffer": .versionsDiffer,
        "expiredApplication": .expiredApplication, "applicationNotYetEffective": .applicationNotYetEffective,
        "serviceNotAllowed": .serviceNotAllowed, "newCard": .newCard,
        "cardholderVerificationFailed": .cardholderVerificationFailed, "unrecognisedCVM": .unrecognizedCVM,
        "pinTryLimitExceeded": .pinTryLimitExceeded, "pinPadNotWorking": .pinPadNotWorking,
        "pinNotEntered": .pinNotEntered, "onlinePINEntered": .onlinePINEntered,
        "floorLimitExceeded": .floorLimitExceeded, "lowerOfflineLimitExceeded": .lowerOfflineLimitExceeded,
        "upperOfflineLimitExceeded": .upperOfflineLimitExceeded,
        "randomlySelectedForOnline": .randomlySelectedForOnline, "merchantForcedOnline": .merchantForcedOnline,
        "xdaFailed": .xdaFailed,
        "defaultTDOLUsed": .defaultTDOLUsed, "issuerAuthenticationFailed": .issuerAuthenticationFailed,
        "scriptFailedBeforeFinalCryptogram": .scriptFailedBeforeFinalCryptogram,
        "scriptFailedAfterFinalCryptogram": .scriptFailedAfterFinalCryptogram,
    ]

    /// Transaction status information, tag 9B.
    static let tsi: KeyValuePairs<String, TransactionStatusInformation> = [
        "offlineDataAuthenticationPerformed": .offlineDataAuthenticationPerformed,
        "cardholderVerificationPerformed": .cardholderVerificationPerformed,
        "cardRiskManagementPerformed": .cardRiskManagementPerformed,
        "issuerAuthenticationPerformed": .issuerAuthenticationPerformed,
        "terminalRiskManagementPerformed": .terminalRiskManagementPerformed,
        "scriptProcessingPerformed": .scriptProcessingPerformed,
    ]

    /// Returns the names of the set bits of tag 95; nil unless there are 5 bytes.
    public static func names(inTVR bytes: [UInt8]) -> [String]? {
        TerminalVerificationResults(bytes: bytes).map { bits in tvr.filter { bits.contains($0.value) }.map(\.key) }
    }

    /// Returns the names of the set bits of tag 9B; nil unless there are 2 bytes.
    public static func names(inTSI bytes: [UInt8]) -> [String]? {
        TransactionStatusInformation(bytes: bytes).map { bits in tsi.filter { bits.contains($0.value) }.map(\.key) }
    }
}
