internal import SettingsFile
internal import Simulator

/// The words for what goes wrong in a reader.
enum ReaderFaultWords {
    static let disturbances = plain.map(\.key) + ["truncated N", "wrongLength N"]

    private static let plain: KeyValuePairs<String, SimulatedReaderFault.Disturbance> = [
        "commandStalled": .commandStalled, "answerStalled": .answerStalled, "zeroLengthFirst": .zeroLengthFirst,
        "wrongSequence": .wrongSequence, "hugeLength": .hugeLength, "unanswered": .unanswered,
        "cardRemoved": .cardRemoved, "unplugged": .unplugged,
    ]

    static func disturbance(_ node: SettingsNode) throws(SettingsError) -> SimulatedReaderFault.Disturbance {
        let words = try node.text(length: 1...40).split(separator: " ").map(String.init)
        if words.count == 2, let number = Int(words[1]), (-1000...1000).contains(number) {
            if words[0] == "truncated", number >= 0 { return .truncated(number) }
            if words[0] == "wrongLength" { return .wrongLength(number) }
        }
        guard words.count == 1, let found = plain.first(where: { $0.key == words[0] }) else {
            let nearest = NearestName.to(words.first ?? "", among: plain.map(\.key))
            throw node.error(
                "no such disturbance",
                fix: nearest.map { "did you mean '\($0)'?" } ?? "use one of \(disturbances.joined(separator: ", "))")
        }
        return found.value
    }

    /// A fault as a file says it.
    static func node(_ fault: SimulatedReaderFault) -> SettingsNode {
        let entries: [(key: String, value: SettingsNode)] =
            switch fault {
            case .command(let number, let disturbance): [("command", .text(String(number))), word(disturbance)]
            case .xfrBlock(let number, let disturbance): [("xfrBlock", .text(String(number))), word(disturbance)]
            case .unplugged(let transfers): [("unpluggedAfter", .text(String(transfers)))]
            case .hang(let untilReset): [("hang", .text(untilReset ? "untilReset" : "untilReplugged"))]
            case .hardwareError(let slot): [("overcurrent", .text(String(slot)))]
            }
        return .mapping(entries)
    }

    private static func word(_ disturbance: SimulatedReaderFault.Disturbance) -> (key: String, value: SettingsNode) {
        let word =
            switch disturbance {
            case .truncated(let count): "truncated \(count)"
            case .wrongLength(let surplus): "wrongLength \(surplus)"
            default: plain.first { $0.value == disturbance }?.key ?? ""
            }
        return ("do", .text(word))
    }
}
