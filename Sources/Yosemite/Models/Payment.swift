public import Amounts
public import Determinism
public import Hardware

/// A payment as it is recorded. Read-only.
public struct Payment: Hashable, Sendable, Identifiable {
    /// How the payment ended, as the clerk needs to know it.
    public enum Outcome: String, Hashable, Sendable, Codable {
        case approved
        case declined
        case cancelled
        /// Nothing was sent to the host, and not because somebody cancelled.
        case failed
        /// The host may have moved money and did not say. It is being asked.
        case unknown
        /// It has not ended.
        case pending
    }

    public let id: Int64
    public let siteID: Int64
    public let orderID: Int64?
    public let amount: Money
    /// In the payment's currency.
    public let refundedMinorUnits: Int64
    public let state: String
    public let outcome: Outcome
    public let createdAt: Timestamp
    public let updatedAt: Timestamp
    /// What was read of the card; nil when no card was read.
    public let card: CardPresentTransactionDetails?
    /// Why the payment did not succeed: a word for programs and a sentence for people.
    public let errorCode: String?
    public let errorMessage: String?
    /// What the store site knows of it; nil when it has not to be told anything.
    public internal(set) var capture: PaymentCapture?

    /// The name that people use: `P000001`.
    public var name: String { Self.name(of: id) }

    static func name(of id: Int64) -> String {
        let digits = String(id)
        return "P" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// Reads a payment's name: `P000001`, `p1` or `1`.
    public static func id(named name: String) -> Int64? {
        let digits = name.first == "P" || name.first == "p" ? name.dropFirst() : name[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(digits)
    }
}
