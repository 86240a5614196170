import Determinism
import Foundation
import GRDB
import Money
import Payments

/// The columns of a partial approval and of a pre-authorization in the table of payments.
enum PreauthorizationColumns {
    static let names = ["requestedAmount", "authorizedAmount", "capturedAmount", "holdExpiresAt", "increments"]

    static func values(of payment: Payment) -> [(any DatabaseValueConvertible)?] {
        let hold = payment.preauthorization
        return [
            payment.requestedAmount?.minorUnits, hold?.authorized.minorUnits, hold?.captured?.minorUnits,
            hold?.expiresAt.milliseconds, hold.flatMap { StoredIncrement.text(of: $0.increments) },
        ]
    }

    static func preauthorization(_ reader: inout RowReader) throws -> Preauthorization? {
        guard let authorized = try reader.optionalMoney("authorizedAmount") else { return nil }
        return Preauthorization(
            authorized: authorized, captured: try reader.optionalMoney("capturedAmount"),
            expiresAt: try reader.timestamp("holdExpiresAt"),
            increments: try reader.increments("increments", in: authorized.currency))
    }
}

/// An approved increment in the column `increments`, a list of JSON: `[{"amount":2000,"at":1767355200000}]`.
private struct StoredIncrement: Codable {
    /// In minor units of the payment's currency.
    let amount: Int64
    /// In milliseconds since 1970.
    let at: Int64

    /// The list as one line, in which the keys are in order; nil for an empty one.
    static func text(of increments: [HoldIncrement]) -> String? {
        guard !increments.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let stored = increments.map { StoredIncrement(amount: $0.amount.minorUnits, at: $0.approvedAt.milliseconds) }
        return (try? encoder.encode(stored)).map { String(decoding: $0, as: UTF8.self) }
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

    /// Reads the approved increments of a pre-authorization; none when the column is empty.
    fileprivate mutating func increments(_ column: String, in currency: Currency) throws -> [HoldIncrement] {
        guard let text: String = try optional(column) else { return [] }
        guard let stored = try? JSONDecoder().decode([StoredIncrement].self, from: Data(text.utf8)) else {
            throw unreadable(column)
        }
        return try stored.map {
            HoldIncrement(
                amount: try Money(minorUnits: $0.amount, currency: currency),
                approvedAt: Timestamp(milliseconds: $0.at))
        }
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
