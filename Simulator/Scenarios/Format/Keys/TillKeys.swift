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
        "request", "A request of the till, or a step: exactly one method, message, or action key.",
        methods + messages + message + step.keys)

    /// The keys of the requests of each protocol: those that say what is sent, and those that say more of it.
    static let requestKeys: [TillProtocol: (first: [String], more: [String])] = [
        .stripe: (["get", "post", "delete"], ["form", "key"]),
        .nexo: (["send", "get", "post", "delete"], ["service", "path", "json"]),
        .zvt: (["command", "hex", "listen"], ["data", "bmps", "cut"]),
    ]
    /// The keys of the expected answers of each protocol.
    static let answerKeys: [TillProtocol: [String]] = [
        .stripe: ["status", "fields", "lost", "replayed"], .nexo: ["status", "fields", "lost"],
        .zvt: ["messages", "fields", "lost"],
    ]

    private static let messages: [KeyShape] = [
        KeyShape("send", .line, "Sends a nexo message of this category, such as `Payment`."),
        KeyShape("service", .text(1...40), "The ServiceID of the nexo message."),
        KeyShape("path", .text(1...400), "Where the nexo message goes. Default: /nexo."),
        KeyShape("json", .foreign("JSON"), "The object of the nexo request, or the body of another one."),
        KeyShape(
            "command", .word(TillZVTCommand.Name.allCases.map(\.rawValue)), "Sends this ZVT command."),
        KeyShape("data", .text(1...2000), "What stands before the fields of the ZVT command, in hexadecimal digits."),
        KeyShape(
            "bmps", .table(.text(1...2000)),
            "The fields of the ZVT command: numbers such as `\"04\"`, and values without lengths, in hexadecimal digits."
        ),
        KeyShape("hex", .text(1...10_000), "Sends these bytes to the ZVT terminal, in hexadecimal digits."),
        KeyShape("listen", .duration, "Sends nothing, and takes the messages of the ZVT terminal for this time."),
        KeyShape(
            "cut", .line, "The message at which the ZVT till closes the connection, such as `status_information`."),
    ]

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
            KeyShape(
                "messages", .list(.line, 0...200),
                "The messages of the ZVT terminal, in order, such as `status_information`; the same one after another is one."
            ),
            KeyShape("lost", .boolean, "Whether the connection is closed without an answer."),
            KeyShape("replayed", .boolean, "Whether it is the answer that the key got before."),
        ])
}
