import HTTPInterface
import Sessions
import Simulator
import StoreSite
import Text

/// The bodies for the conditions of the printer and the disk.
enum ConditionBodies {
    static func words<Condition: SimulatedCondition>(_ type: Condition.Type) -> Schema {
        .word(Condition.named(delay: .zero).map(\.word))
    }

    static func schema<Condition: SimulatedCondition>(_ type: Condition.Type) -> Schema {
        .object([
            Field("condition", words(type)),
            Field("seconds", .integer(0...31_622_400), "The delay of a slow device. Default: 30.", optional: true),
        ])
    }

    /// Reads the condition of a device, which `device` names in errors.
    static func condition<Condition: SimulatedCondition>(
        _ node: BodyNode, of device: String
    ) throws(APIError) -> Condition {
        try node.object(schema(Condition.self).fields)
        let delay = try node["seconds"]?.seconds() ?? .seconds(30)
        return try node.required("condition").choice(
            of: Condition.named(delay: delay), called: "condition of \(device)")
    }
}

/// The bodies for faults.
enum FaultBodies {
    // MARK: On the way to the issuer

    static let issuerSchema = Schema.object([
        Field("fault", .word(issuerWords)),
        Field("seconds", .integer(0...31_622_400), "The delay of a late answer. Default: 60.", optional: true),
        Field(
            "messages", .list(.word(IssuerMessageKind.allCases.map(\.rawValue)), 1...10),
            "The affected messages. Default: all.",
            optional: true),
        Field("times", .integer(1...1_000_000), "The number of affected messages. Default: all.", optional: true),
    ])
    static let issuerWords = ["not_reachable", "request_lost", "answer_lost", "answer_delayed"]

    /// Returns the word of a fault.
    static func word(_ fault: IssuerFault) -> String {
        switch fault {
        case .notReachable: "not_reachable"
        case .requestLost: "request_lost"
        case .answerLost: "answer_lost"
        case .answerDelayed: "answer_delayed"
        }
    }

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
        Field(
            "at", .integer(1...1_000_000), "The number of the affected command, counted from the next one (1).",
            optional: true),
        Field("exchangesOnly", .boolean, "Whether to count only card exchanges.", optional: true),
        Field("bytes", .integer(-65_536...65_536), "The number of bytes, for faults of lengths.", optional: true),
        Field("untilReset", .boolean, "Whether a device reset ends a hang.", optional: true),
    ])
    static let readerWords = disturbances.map(\.0) + ["hang", "hardware_error"]
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
                throw .body("an answer can only be truncated to 0 bytes or more", at: node.path + ".bytes")
            }
            return isExchange ? .xfrBlock(place, disturbance) : .command(place, disturbance)
        }
    }

    // MARK: At the store

    static let storeSchema = Schema.object([
        Field(
            "rule", .phrase(1...200),
            "`[METHOD] [/PATH] [WHEN] FAULT`, for example `POST /wc/v3/orders/* #1 lost-answer`.")
    ])

    static func store(_ node: BodyNode) throws(APIError) -> FaultRule {
        do throws(FaultRuleError) { return try FaultRule(text(node)) } catch {
            throw .body("\(error)", at: node.path)
        }
    }

    private static func text(_ node: BodyNode) -> String { if case .text(let text) = node.value { text } else { "" } }
}

/// The body for key presses.
enum KeysBody {
    static let schema = Schema.object([
        Field(
            "keys", .list(.word(words), 1...32),
            "The keys in order, for example `[\"1\", \"2\", \"3\", \"4\", \"confirm\"]`.")
    ])
    private static let words = (0...9).map(String.init) + ["correct", "confirm", "cancel"]

    static func key(_ node: BodyNode) throws(APIError) -> SimulatedReaderKey {
        let word: String
        // Errors must not contain the pressed keys.
        do throws(APIError) { word = try node.word(words, called: "key") } catch {
            throw .body("unknown key", at: node.path, fix: "use 0 to 9, correct, confirm, cancel")
        }
        return switch word {
        case "correct": .correction
        case "confirm": .confirmation
        case "cancel": .cancel
        default: .digit(UInt8(word) ?? 0)
        }
    }
}
