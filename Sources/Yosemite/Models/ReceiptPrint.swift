public import Determinism
public import Hardware

/// One time that a receipt was printed, or was to be, and what became of the paper. Read-only.
public struct ReceiptPrint: Hashable, Sendable, Identifiable {
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Written down; the print server was told nothing, or its answer has not come.
        case queued
        /// The print server has given it a number, or the printer has taken the connection.
        case accepted
        /// The printer has all of it, or is printing. A link that carries nothing back ends here.
        case sent
        /// The printer says that it is printed.
        case completed
        /// It ended without being printed to its end: refused, cancelled, given up.
        case failed
        /// Nobody can say.
        case unknown
    }

    public let id: Int64
    public let receiptID: Int64
    public let paymentID: Int64
    /// The printer's name; empty when none was named and none was found.
    public let printer: String
    /// The print server's number; nil when it gave none, or there is no server.
    public let jobID: Int64?
    public let copy: ReceiptCopy
    /// How many sheets of the same.
    public let copies: Int
    /// The paper that was asked for; nil for the printer's own.
    public let medium: String?
    /// The MIME type of what was sent; nil when it never came to that.
    public let format: String?
    /// Whether the paper says that it is not the first one.
    public let isDuplicate: Bool
    public let state: State
    /// Keywords of IPP.
    public let reasons: [String]
    /// What the printer, the server or the program says of it, for people.
    public let message: String?
    /// Whether more may be heard of it.
    public let isOpen: Bool
    /// Whether there may be paper: false only when it failed before the printer got a byte.
    public let mayBePrinted: Bool
    public let createdAt: Timestamp
    public let updatedAt: Timestamp

    /// The name that people use: `J000001`. The print server's number is another one.
    public var name: String { Self.name(of: id) }

    /// The payment's name: `P000001`.
    public var paymentName: String { Payment.name(of: paymentID) }

    static func name(of id: Int64) -> String {
        let digits = String(id)
        return "J" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// Reads a print's name: `J000001`, `j1` or `1`.
    public static func id(named name: String) -> Int64? {
        let digits = name.first == "J" || name.first == "j" ? name.dropFirst() : name[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(digits)
    }
}
