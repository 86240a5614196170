internal import Sessions

/// One thing that happened.
struct EventView: Encodable, Sendable {
    var id: Int
    var milliseconds: Int64
    var kind: String
    var detail: String

    init(_ event: SessionEvent) {
        (id, milliseconds) = (event.number, event.milliseconds)
        (kind, detail) = (event.kind.rawValue, event.detail)
    }

    static let schema = Schema.object([
        Field("id", .integer(1...Int(Int32.max)), "1 and up, in the order in which things happened."),
        Field("milliseconds", .integer(0...Int.max), "Since the session began, on its clock."),
        Field("kind", .word(SessionEventKind.allCases.map(\.rawValue))),
        Field("detail", .text, "What there is to be said beyond the kind."),
    ])

    /// As a server-sent event.
    var stream: [UInt8] {
        Array("id: \(id)\nevent: \(kind)\ndata: ".utf8) + APIAnswer.encoded(self) + Array("\n\n".utf8)
    }
}

/// A page of events.
struct EventPage: Encodable, Sendable {
    var events: [EventView]
    /// To be given as `after` next.
    var last: Int

    static let schema = Schema.object([
        Field("events", .list(.named("Event"))),
        Field("last", .count, "The last id of this page: give it as `after` for the next one."),
    ])
}
