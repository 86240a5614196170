internal import Sessions
internal import Simulator
internal import StoreSite

/// What is to go wrong, as a client writes it.
enum FaultBodies {
    // MARK: On the way to the issuer

    static let issuerSchema = Schema.object([
        Field("fault", .word(issuerWords)),
        Field("seconds", .integer(0...31_622_400), "How late an answer is; 60 without.", optional: true),
        Field(
            "messages", .list(.word(IssuerMessageKind.allCases.map(\.rawValue))), "Which messages; all without.",
            optional: true),
        Field("times", .integer(1...1_000_000), "How many messages; all without.", optional: true),
    ])
    private static let issuerWords = ["not_reachable", "request_lost", "answer_lost", "answer_delayed"]

    static func issuer(_ node: BodyNode) throws(APIError) -> IssuerFaultRule {
        try node.object(issuerSchema.fields)
        let delay = try node["seconds"]?.seconds() ?? .seconds(60)
        let fault: IssuerFault =
            switch try node.required("fault").word(issuerWords, called: "fault") {
            case "not_reachable": .notReachable
            case "request_lost": .requestLost
            case "answer_lost": .answerLost
            default: .answerDelayed(delay)
            }
        var messages = Set(IssuerMessageKind.allCases)
        if let list = node["messages"] {
            messages = []
            for entry in try list.list(1...10) {
                let word = try entry.word(IssuerMessageKind.allCases.map(\.rawValue), called: "message")
                if let kind = IssuerMessageKind(rawValue: word) { messages.insert(kind) }
            }
        }
        return IssuerFaultRule(fault, messages: messages, times: try node["times"]?.int(1...1_000_000))
    }

    // MARK: In a reader

    static let readerSchema = Schema.object([
        Field("fault", .word(readerWords)),
        Field("at", .integer(1...1_000_000), "The command that is struck, 1 being the next.", optional: true),
        Field("exchangesOnly", .boolean, "Count exchanges with the card alone.", optional: true),
        Field("bytes", .integer(-65_536...65_536), "How many bytes, where it is about lengths.", optional: true),
        Field("untilReset", .boolean, "A hang ends with a reset of the device.", optional: true),
    ])
    private static let readerWords = disturbances.map(\.0) + ["hang", "hardware_error"]
    private static let disturbances: [(String, @Sendable (Int) -> SimulatedReaderFault.Disturbance)] = [
        ("command_stalled", { _ in .commandStalled }), ("answer_stalled", { _ in .answerStalled }),
        ("zero_length_first", { _ in .zeroLengthFirst }), ("wrong_sequence", { _ in .wrongSequence }),
        ("wrong_length", { .wrongLength($0) }), ("huge_length", { _ in .hugeLength }),
        ("truncated", { .truncated($0) }), ("unanswered", { _ in .unanswered }),
        ("card_removed", { _ in .cardRemoved }), ("unplugged", { _ in .unplugged }),
    ]

    static func reader(_ node: BodyNode) throws(APIError) -> SimulatedReaderFault {
        try node.object(readerSchema.fields)
        let word = try node.required("fault").word(readerWords, called: "fault")
        let place = try node["at"]?.int(1...1_000_000) ?? 1
        let isExchange = try node["exchangesOnly"]?.bool() ?? false
        let untilReset = try node["untilReset"]?.bool() ?? true
        let bytes = try node["bytes"]?.int(-65_536...65_536) ?? 1
        switch word {
        case "hang": return .hang(untilReset: untilReset)
        case "hardware_error": return .hardwareError(slot: 0)
        default:
            guard let disturbance = disturbances.first(where: { $0.0 == word })?.1(bytes) else {
                throw .body("there is no fault '\(word)'", at: node.path)
            }
            if case .truncated(let count) = disturbance, count < 0 {
                throw .body("an answer is cut to 0 bytes or more", at: node.path + ".bytes")
            }
            return isExchange ? .xfrBlock(place, disturbance) : .command(place, disturbance)
        }
    }

    // MARK: At the store

    static let storeSchema = Schema.object([
        Field("rule", .text, "`[METHOD] [/PATH] [WHEN] FAULT`: `POST /wc/v3/orders/* #1 lost-answer`.")
    ])

    static func store(_ node: BodyNode) throws(APIError) -> FaultRule {
        do throws(FaultRuleError) { return try FaultRule(text(node)) } catch {
            throw .body("\(error)", at: node.path)
        }
    }

    private static func text(_ node: BodyNode) -> String { if case .text(let text) = node.value { text } else { "" } }
}
