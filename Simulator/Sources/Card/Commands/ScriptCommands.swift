internal import CardSecrets
internal import SmartCard

/// The commands of issuer scripts: CARD BLOCK, APPLICATION BLOCK and UNBLOCK, PIN UNBLOCK and PUT DATA
/// (EMV Book 3 §6.5.1-3 and §6.5.10). Their data ends in a MAC (Book 2 §9.2, format 2).
extension CardOperatingSystem {
    /// The data objects that PUT DATA may change, and their lengths.
    private static let changeableTags: [BERTag: Int] = [0x9F14: 1, 0x9F23: 1]

    mutating func issuerScript(_ instruction: CardInstruction, _ command: CommandAPDU) -> ResponseAPDU {
        guard let index = selectedIndex, applications[index].profile.takesScripts else {
            return .failed(.instructionNotSupported)
        }
        // The MAC is bound to an ARQC: without one there is nothing to check it with.
        guard let transaction = session.transaction, let arqc = transaction.arqc else {
            return .failed(.conditionsNotSatisfied)
        }
        let outcome = perform(instruction, command, index, atc: transaction.atc, arqc: arqc)
        memories[index].scriptCommandCount = min(memories[index].scriptCommandCount + 1, 15)
        if outcome != .success { memories[index].scriptFailed = true }
        session.transaction?.results.scriptCommandCount = memories[index].scriptCommandCount
        session.transaction?.results.scriptFailed = memories[index].scriptFailed
        return ResponseAPDU(status: outcome)
    }

    private mutating func perform(
        _ instruction: CardInstruction, _ command: CommandAPDU, _ index: Int, atc: UInt16, arqc: [UInt8]
    ) -> StatusWord {
        guard command.data.count >= ScriptMAC.length else { return .secureMessagingMissing }
        let content = Array(command.data.dropLast(ScriptMAC.length))
        let mac = try? ScriptMAC.compute(
            header: [command.cla, command.ins, command.p1, command.p2, UInt8(truncatingIfNeeded: command.data.count)],
            data: content, atc: atc, applicationCryptogram: arqc, version: applications[index].profile.cryptogram,
            masterKey: applications[index].keys.scriptMAC)
        guard let mac, SensitiveBytes(mac).isEqual(to: SensitiveBytes(command.data.suffix(ScriptMAC.length))) else {
            return .secureMessagingIncorrect
        }

        if instruction == .putData {
            let tag = BERTag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
            guard let length = Self.changeableTags[tag], applications[index].values[tag] != nil else {
                return .referencedDataNotFound
            }
            guard content.count == length else { return .incorrectData }
            memories[index].changedValues[tag] = content
            return .success
        }
        guard command.p1 == 0, command.p2 == 0 else { return .incorrectParameters }
        guard content.isEmpty else { return .wrongLength }
        switch instruction {
        case .cardBlock: isBlocked = true
        case .applicationBlock: memories[index].isBlocked = true
        case .applicationUnblock: memories[index].isBlocked = false
        case .pinUnblock:
            guard let limit = applications[index].profile.pin?.tryLimit else { return .referencedDataNotFound }
            memories[index].pinTriesLeft = limit
        default: return .instructionNotSupported
        }
        return .success
    }
}
