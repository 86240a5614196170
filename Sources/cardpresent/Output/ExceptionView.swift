internal import Determinism
internal import Storage

/// An entry of the exception file as it is shown.
struct ExceptionView: Encodable, Sendable {
    var id: Int64
    var lastFour: String
    /// null for every card with the number.
    @Nullable var sequenceNumber: UInt8?
    @Nullable var reason: String?
    /// UTC, RFC 3339
    var addedAt: String

    init(_ card: ExceptionCard) {
        (id, lastFour) = (card.id, card.last4)
        _sequenceNumber = Nullable(wrappedValue: card.sequenceNumber)
        _reason = Nullable(wrappedValue: card.reason)
        addedAt = card.addedAt.description
    }

    var line: String {
        "\(id)".padded(to: 6) + "**** \(lastFour)  " + (sequenceNumber.map { "sequence number \($0)  " } ?? "")
            + addedAt + (reason.map { "  " + $0 } ?? "") + "\n"
    }
}
