internal import Foundation
internal import Payments

extension MessageIdentity {
    /// One line of JSON, in which the keys are in order: `{"fields":{"11":"000001"},"type":"0200"}`.
    var text: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension RowReader {
    /// Reads a column of ``MessageIdentity/text``; nil when it is empty.
    mutating func messageIdentity(_ column: String) throws -> MessageIdentity? {
        guard let text: String = try optional(column) else { return nil }
        guard let identity = try? JSONDecoder().decode(MessageIdentity.self, from: Data(text.utf8)) else {
            throw unreadable(column)
        }
        return identity
    }
}
