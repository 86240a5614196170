internal import Determinism

/// Something that was seen in a recorded payment.
struct RecordedMoment: Sendable {
    enum Kind: Sendable {
        /// What the reader told.
        case reader
        /// An exchange with the card.
        case exchange
    }

    var kind: Kind
    /// As an event of a session has it.
    var text: String
    /// When a person has to do something next, who takes their time.
    var waitsForPerson = false
    var time: Timestamp
}
