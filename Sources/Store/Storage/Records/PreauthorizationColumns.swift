internal import Determinism
internal import Foundation
internal import GRDB
internal import Money
internal import Payments

/// The columns of a partial approval and of a pre-authorization in the table of payments.
enum PreauthorizationColumns {
    static let names = ["requestedAmount", "authorizedAmount", "capturedAmount", "holdExpiresAt"]

    static func values(of payment: Payment) -> [(any DatabaseValueConvertible)?] {
        let hold = payment.preauthorization
        return [
            payment.requestedAmount?.minorUnits, hold?.authorized.minorUnits, hold?.captured?.minorUnits,
            hold?.expiresAt.milliseconds,
        ]
    }

    static func preauthorization(_ reader: inout RowReader) throws -> Preauthorization? {
        guard let authorized = try reader.optionalMoney("authorizedAmount") else { return nil }
        return Preauthorization(
            authorized: authorized, captured: try reader.optionalMoney("capturedAmount"),
            expiresAt: try reader.timestamp("holdExpiresAt"))
    }
}

extension CompletionMessage {
    /// One line of JSON, in which the keys are in order: `{"stan":7}`.
    var text: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension RowReader {
    /// Reads an amount in minor units of the currency in the column `currency`; nil when the column is empty.
    mutating func optionalMoney(_ column: String) throws -> Money? {
        try optional(column, as: Int64.self) == nil ? nil : try money(column)
    }

    /// Reads a column of ``CompletionMessage/text``; nil when it is empty.
    mutating func completion(_ column: String) throws -> CompletionMessage? {
        guard let text: String = try optional(column) else { return nil }
        guard let completion = try? JSONDecoder().decode(CompletionMessage.self, from: Data(text.utf8)) else {
            throw unreadable(column)
        }
        return completion
    }
}
