internal import SettingsFile
internal import SmartCard

/// A command to a recorded card, and what came of it.
struct RecordedExchange: Sendable {
    enum Outcome: Hashable, Sendable {
        /// Data with gaps, and the status word.
        case answered(MaskedBytes, StatusWord)
        /// The card was pulled out before it answered.
        case removed
        /// The card said nothing, or nothing that could be understood.
        case mute
    }

    /// Zero where a byte is masked.
    let command: CommandAPDU
    let outcome: Outcome

    /// - Throws: `SettingsError`
    init(_ node: SettingsNode) throws(SettingsError) {
        try node.mapping(allowedKeys: ["c", "r", "e"])
        let text = try node.required("c")
        let masked = try MaskedBytes(text)
        do throws(APDUError) { command = try CommandAPDU(bytes: masked.bytes) } catch {
            throw text.concealed.error("\(error)")
        }
        if let failure = try node.optional("e") {
            if let answer = try node.optional("r") { throw answer.error("there was an answer, or there was none") }
            outcome = try failure.choice(of: ["removed": .removed, "mute": .mute])
            return
        }
        let response = try node.required("r")
        var answer = try MaskedBytes(response)
        guard answer.bytes.count >= 2, answer.isHidden.suffix(2) == [false, false] else {
            throw response.concealed.error("an answer ends with its status word")
        }
        let status = StatusWord(answer.bytes[answer.bytes.count - 2], answer.bytes[answer.bytes.count - 1])
        answer.bytes.removeLast(2)
        answer.isHidden.removeLast(2)
        outcome = .answered(answer, status)
    }
}
