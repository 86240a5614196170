/// How many payments the card made since the issuer last saw it (EMV Book 3 §10.6.3).
struct VelocityCheck {
    /// Tag 9F14
    var lowerLimit: UInt8
    /// Tag 9F23
    var upperLimit: UInt8
    /// Tag 9F36; nil when the card does not give it.
    var counter: UInt16?
    /// Tag 9F13; nil when the card does not give it.
    var lastOnlineCounter: UInt16?

    func evaluate() -> TerminalVerificationResults {
        var results: TerminalVerificationResults = []
        if lastOnlineCounter == 0 { results.insert(.newCard) }
        guard let counter, let lastOnlineCounter else {
            return results.union([.lowerOfflineLimitExceeded, .upperOfflineLimitExceeded])
        }
        guard counter > lastOnlineCounter else {
            return results.union([.lowerOfflineLimitExceeded, .upperOfflineLimitExceeded])
        }
        let offline = counter - lastOnlineCounter
        if offline > UInt16(lowerLimit) { results.insert(.lowerOfflineLimitExceeded) }
        if offline > UInt16(upperLimit) { results.insert(.upperOfflineLimitExceeded) }
        return results
    }
}
