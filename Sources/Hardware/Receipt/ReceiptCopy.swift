/// For whom a receipt is printed.
public enum ReceiptCopy: String, Hashable, Sendable, Codable, CaseIterable {
    case merchant
    case customer
}
