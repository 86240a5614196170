public import GRDB

/// Tells a card from every other without telling its number: a keyed hash of the PAN, as 32 hexadecimal digits.
/// Whoever has the database and not the key learns nothing from it.
public struct CardFingerprint: Hashable, Sendable, DatabaseValueConvertible {
    private let digits: String

    /// nil unless there are 16 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private init(digits: String) { self.digits = digits }

    public var databaseValue: DatabaseValue { digits.databaseValue }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> CardFingerprint? {
        String.fromDatabaseValue(value).flatMap { $0.utf8.count == 32 ? CardFingerprint(digits: $0) : nil }
    }
}
