import Money
import PostgreSQL

/// A currency that a column holds: its code of three letters (ISO 4217).
private struct StoredCurrency: PostgreSQLValue {
    static let columnName = "a currency"
    let currency: Currency

    init?(column bytes: [UInt8], type: UInt32) {
        guard let code = String(column: bytes, type: type), let currency = try? Currency(code: code) else { return nil }
        self.currency = currency
    }
}

extension PostgreSQLRow {
    /// Reads the column `currency`.
    ///
    /// - Throws: ``PostgreSQLError`` with the reason `column`.
    func currency() throws(PostgreSQLError) -> Currency { try value("currency", as: StoredCurrency.self).currency }
}
