internal import Sessions

/// How the printer and the disk are to be, as a client writes it.
enum ConditionBodies {
    static let printerSchema = schema(printerWords)
    static let diskSchema = schema(diskWords)
    static let printerWords = [
        "ready", "out_of_paper", "jammed", "offline", "refusing", "away", "slow", "failing",
    ]
    static let diskWords = ["working", "full", "read_only", "slow", "failing"]

    private static func schema(_ words: [String]) -> Schema {
        .object([
            Field("condition", .word(words)),
            Field("seconds", .integer(0...31_622_400), "How slow; 30 without.", optional: true),
        ])
    }

    static func printer(_ node: BodyNode) throws(APIError) -> PrinterCondition {
        try node.object(printerSchema.fields)
        let delay = try node["seconds"]?.seconds() ?? .seconds(30)
        return switch try node.required("condition").word(printerWords, called: "condition of a printer") {
        case "ready": .ready
        case "out_of_paper": .outOfPaper
        case "jammed": .jammed
        case "offline": .offline
        case "refusing": .refusing
        case "away": .away
        case "slow": .slow(delay)
        default: .failing
        }
    }

    static func disk(_ node: BodyNode) throws(APIError) -> DiskCondition {
        try node.object(diskSchema.fields)
        let delay = try node["seconds"]?.seconds() ?? .seconds(30)
        return switch try node.required("condition").word(diskWords, called: "condition of a disk") {
        case "working": .working
        case "full": .full
        case "read_only": .readOnly
        case "slow": .slow(delay)
        default: .failing
        }
    }
}
