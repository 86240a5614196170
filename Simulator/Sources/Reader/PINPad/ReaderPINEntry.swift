/// A PIN entry under way on the reader's keys.
struct ReaderPINEntry {
    /// What a key press leads to.
    enum Step {
        case goesOn
        case confirmed
        case cancelled
    }

    let command: ReaderCommand
    let structure: ReaderPINStructure
    private var typed: [UInt8] = []

    init(_ command: ReaderCommand, _ model: SimulatedReaderModel) throws(CardExchange.Failure) {
        self.command = command
        structure = try ReaderPINStructure(command.data, model.misbehaviour)
        typed.reserveCapacity(structure.digits.upperBound)
    }

    mutating func press(_ key: SimulatedReaderKey) -> Step {
        switch key {
        case .digit(let digit):
            guard digit <= 9, typed.count < structure.digits.upperBound else { return .goesOn }
            typed.append(digit)
            return structure.confirmsWhenFull && typed.count == structure.digits.upperBound ? .confirmed : .goesOn
        case .correction:
            wipe()
            return .goesOn
        case .confirmation:
            // Too short an entry is not taken: the reader waits for more.
            return structure.hasConfirmationKey && structure.digits.contains(typed.count) ? .confirmed : .goesOn
        case .cancel:
            wipe()
            return .cancelled
        }
    }

    /// The command for the card. Forgets the digits.
    mutating func takeCommand() -> [UInt8] {
        defer { wipe() }
        return structure.command(typed)
    }

    mutating func wipe() {
        for index in typed.indices { typed[index] = 0 }
        typed.removeAll(keepingCapacity: true)
    }
}
