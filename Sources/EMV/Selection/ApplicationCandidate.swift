/// An application that card and terminal both support (EMV Book 1 §12.3).
struct ApplicationCandidate: Hashable, Sendable {
    /// The card's name for it: ADF name or DF name.
    let dfName: [UInt8]
    let terminalApplication: TerminalApplication
    let name: ApplicationName
    /// 1 highest ... 15; nil when the card states none.
    let priority: UInt8?
    let needsConfirmation: Bool

    /// The priority indicator is the value of tag 87.
    init(
        dfName: [UInt8], terminalApplication: TerminalApplication, name: ApplicationName, priorityIndicator: [UInt8]?
    ) {
        (self.dfName, self.terminalApplication, self.name) = (dfName, terminalApplication, name)
        let indicator = priorityIndicator?.first ?? 0
        priority = indicator & 0x0F == 0 ? nil : indicator & 0x0F
        needsConfirmation = indicator & 0x80 != 0
    }

    var choice: ApplicationChoice {
        ApplicationChoice(
            name: name.shown(aid: dfName), aid: dfName, priority: priority, needsConfirmation: needsConfirmation)
    }
}

/// The applications to choose from, the highest priority first; those without one come last, in the
/// order in which they were found (EMV Book 1 §12.4).
struct CandidateList: Hashable, Sendable {
    private(set) var candidates: [ApplicationCandidate] = []
    /// Whether an application was left out because the issuer blocked it.
    var foundBlocked = false

    /// Adds an application. The same DF name counts once, with the terminal AID that fits it best.
    mutating func add(_ candidate: ApplicationCandidate) {
        if let known = candidates.firstIndex(where: { $0.dfName == candidate.dfName }) {
            guard candidate.terminalApplication.aid.count > candidates[known].terminalApplication.aid.count else {
                return
            }
            candidates.remove(at: known)
        }
        let position = candidates.firstIndex { ($0.priority ?? 16) > (candidate.priority ?? 16) }
        candidates.insert(candidate, at: position ?? candidates.endIndex)
    }

    mutating func remove(_ candidate: ApplicationCandidate) { candidates.removeAll { $0.dfName == candidate.dfName } }
}
