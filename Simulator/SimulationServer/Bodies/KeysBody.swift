internal import Simulator

/// Keys that a client presses.
enum KeysBody {
    static let schema = Schema.object([
        Field("keys", .list(.word(words)), "In their order: `[\"1\", \"2\", \"3\", \"4\", \"confirm\"]`.")
    ])
    private static let words = (0...9).map(String.init) + ["correct", "confirm", "cancel"]

    static func key(_ node: BodyNode) throws(APIError) -> SimulatedReaderKey {
        let word: String
        // Which keys were pressed is in no error.
        do throws(APIError) { word = try node.word(words, called: "key") } catch {
            throw .body("this is no key", at: node.path, fix: "use 0 to 9, correct, confirm, cancel")
        }
        return switch word {
        case "correct": .correction
        case "confirm": .confirmation
        case "cancel": .cancel
        default: .digit(UInt8(word) ?? 0)
        }
    }
}
