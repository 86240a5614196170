import Determinism
import Foundation
public import GRDB
import Money
public import Payments

extension SettlementBatch.State: DatabaseValueConvertible {}

extension SettlementBatch: IdentifiedObject {
    public static let databaseTableName = "batch"
    public static let columnNames = [
        "id", "number", "hostName", "destination", "terminal", "currency", "state", "totals", "hostTotals", "request",
        "message", "tries", "responseCode", "lastError", "openedAt", "sentAt", "closedAt", "isHostAccepted",
    ]
    public static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    public var objectID: Int64 { id }

    /// Reads a row.
    ///
    /// - Throws: `UnreadableRow` for a value that does not fit its column.
    public init(row reader: inout RowReader) throws {
        let (id, number): (Int64, Int64) = (try reader.value("id"), try reader.value("number"))
        let place = SettlementPlace(
            hostName: try reader.value("hostName"), destination: try reader.value("destination"),
            terminal: try reader.value("terminal"))
        guard let currency = try? Currency(code: try reader.value("currency")) else {
            throw reader.unreadable("currency")
        }
        let state: State = try reader.value("state")
        guard let totals = try reader.totals("totals") else { throw reader.unreadable("totals") }
        let hostTotals = try reader.totals("hostTotals")
        guard let request = try reader.messageIdentity("request") else { throw reader.unreadable("request") }
        self.init(
            id: id, place: place, number: number, currency: currency, state: state, totals: totals,
            hostTotals: hostTotals, request: request, message: try reader.value("message"),
            tries: try reader.value("tries"), responseCode: try reader.optional("responseCode"),
            lastError: try reader.optional("lastError"), openedAt: try reader.timestamp("openedAt"),
            sentAt: try reader.timestamp("sentAt"),
            closedAt: try reader.optional("closedAt").map { Timestamp(milliseconds: $0) },
            isHostAccepted: try reader.value("isHostAccepted"))
    }

    public var columnValues: [(any DatabaseValueConvertible)?] {
        [
            id == 0 ? nil : id,
            number,
            place.hostName,
            place.destination,
            place.terminal,
            currency.code,
            state,
            totals.text,
            hostTotals?.text,
            request.text,
            message,
            tries,
            responseCode,
            lastError.map(PANMasking.masked),
            openedAt.milliseconds,
            sentAt.milliseconds,
            closedAt?.milliseconds,
            isHostAccepted,
        ]
    }

    public mutating func didInsert(rowID: Int64) { id = rowID }
}

/// The batch of an attempt. An attempt has one at most, and never another one.
struct BatchAttempt: Object {
    static let databaseTableName = "batchAttempt"
    static let columnNames = ["attemptID", "batchID"]
    static let statements = RecordStatements(table: databaseTableName, columns: columnNames)

    let attemptID: Int64
    let batchID: Int64

    init(attemptID: Int64, batchID: Int64) { (self.attemptID, self.batchID) = (attemptID, batchID) }

    init(row reader: inout RowReader) throws {
        (attemptID, batchID) = (try reader.value("attemptID"), try reader.value("batchID"))
    }

    var columnValues: [(any DatabaseValueConvertible)?] { [attemptID, batchID] }
}

extension SettlementTotals {
    /// One line of JSON, in which the keys are in order.
    var text: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension RowReader {
    /// Reads a column of ``SettlementTotals/text``; nil when it is empty.
    fileprivate mutating func totals(_ column: String) throws -> SettlementTotals? {
        guard let text: String = try optional(column) else { return nil }
        guard let totals = try? JSONDecoder().decode(SettlementTotals.self, from: Data(text.utf8)) else {
            throw unreadable(column)
        }
        return totals
    }
}
