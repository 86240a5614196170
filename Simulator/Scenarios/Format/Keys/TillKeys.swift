import Settings

extension ScenarioKeys {
    static let till = RecordShape(
        "till", "A till that speaks a terminal protocol, instead of steps.",
        [
            KeyShape(
                "protocol", .word(TillProtocol.allCases.map(\.rawValue)), "The protocol of the till.",
                isRequired: true),
            KeyShape(
                "requests", .list(.either([.word(bareActions), .record(request)]), 1...200),
                "The till's requests, in order, and steps between them.", isRequired: true),
        ])

    static let request = RecordShape(
        "request", "A request of the till, or a step: exactly one method or action key.", methods + message + step.keys)

    private static let methods: [KeyShape] = TillHTTPRequest.Method.allCases.map { method in
        let word = method.rawValue.uppercased()
        return KeyShape(
            method.rawValue, .text(1...400), "Sends \(word) with this path. `<name>` stands for a kept value.")
    }

    private static let message: [KeyShape] = [
        KeyShape("form", .table(.text(0...1000)), "The fields of the body, such as `amount` or `a[b]`."),
        KeyShape("key", .text(1...255), "The idempotency key."),
        KeyShape(
            "keep", .table(.text(1...200)),
            "Values of the answer that later requests name: the name, and the place, such as `action.status`."),
        KeyShape("answer", .record(answer), "What the till expects. Default: any answer that is no error."),
    ]

    static let answer = RecordShape(
        "answer", "The expected answer.",
        [
            KeyShape("status", .number(100...599), "The HTTP status."),
            KeyShape(
                "fields", .table(.text(0...1000)),
                "Values by their places, such as `data.0.status`: texts, with `*` for any text. JSON null is `\"null\"`."
            ),
            KeyShape("lost", .boolean, "Whether the connection is closed without an answer."),
            KeyShape("replayed", .boolean, "Whether it is the answer that the key got before."),
        ])
}
