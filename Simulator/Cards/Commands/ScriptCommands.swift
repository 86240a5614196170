import CardSecrets
import Cryptography
import SmartCard

/// The issuer script commands: CARD BLOCK, APPLICATION BLOCK and UNBLOCK, PIN CHANGE/UNBLOCK, PUT DATA, and UPDATE
/// RECORD (EMV Book 3 §6.5.1-3 and §6.5.10). Their data ends with a MAC (Book 2 §9.2, format 2).
extension CardOperatingSystem {
    mutating func issuerScript(_ instruction: CardInstruction, _ command: CommandAPDU) -> ResponseAPDU {
        guard let index = selectedIndex, applications[index].profile.takesScripts else {
            return .failed(.instructionNotSupported)
        }
        // The MAC is bound to an ARQC and cannot be checked without one.
        guard let transaction = session.transaction, let arqc = transaction.arqc else {
            return .failed(.conditionsNotSatisfied)
        }
        let outcome = perform(instruction, command, index, atc: transaction.atc, arqc: arqc)
        // Visa counts all commands received, the others only successful ones.
        if outcome == .success || applications[index].profile.cryptogram.countsFailedScriptCommands {
            memories[index].scriptCommandCount = min(memories[index].scriptCommandCount + 1, 15)
        }
        if outcome != .success {
            memories[index].scriptFailed = true
            session.transaction?.scriptFailed = true
        }
        session.transaction?.results.scriptCommandCount = memories[index].scriptCommandCount
        session.transaction?.results.scriptFailed = memories[index].scriptFailed
        return ResponseAPDU(status: outcome)
    }

    private mutating func perform(
        _ instruction: CardInstruction, _ command: CommandAPDU, _ index: Int, atc: UInt16, arqc: [UInt8]
    ) -> StatusWord {
        let macLength = macLength(instruction, command)
        guard command.data.count >= macLength else { return .secureMessagingMissing }
        let content = Array(command.data.dropLast(macLength))
        let mac = try? ScriptMAC.compute(
            header: [command.cla, command.ins, command.p1, command.p2, UInt8(truncatingIfNeeded: command.data.count)],
            data: content, atc: atc, applicationCryptogram: arqc, version: applications[index].profile.cryptogram,
            masterKey: applications[index].keys.scriptMAC, length: macLength)
        guard let mac, SensitiveBytes(mac).isEqual(to: SensitiveBytes(command.data.suffix(macLength))) else {
            return .secureMessagingIncorrect
        }
        switch instruction {
        case .putData: return putData(BERTag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2)), content, index)
        case .updateRecord: return updateRecord(command, content, index)
        case .pinUnblock where command.p1 == 0 && (command.p2 == 1 || command.p2 == 2):
            return changePIN(content, usesCurrent: command.p2 == 1, index, atc: atc, arqc: arqc)
        case .cardBlock, .applicationBlock, .applicationUnblock, .pinUnblock:
            guard command.p1 == 0, command.p2 == 0 else { return .incorrectParameters }
            guard content.isEmpty else { return .wrongLength }
            return block(instruction, index)
        default: return .instructionNotSupported
        }
    }

    private mutating func block(_ instruction: CardInstruction, _ index: Int) -> StatusWord {
        switch instruction {
        case .cardBlock: isBlocked = true
        case .applicationBlock: memories[index].isBlocked = true
        case .applicationUnblock: memories[index].isBlocked = false
        default:
            guard let limit = applications[index].profile.pin?.tryLimit else { return .referencedDataNotFound }
            memories[index].pinTriesLeft = limit
            noteTries(limit)
        }
        return .success
    }

    /// Returns the length of the MAC, 4 or 8 bytes, from the rest of the command; 8 if that is ambiguous.
    private func macLength(_ instruction: CardInstruction, _ command: CommandAPDU) -> Int {
        let count = command.data.count
        let (short, long) = (ScriptMAC.lengths.min() ?? ScriptMAC.length, ScriptMAC.length)
        switch instruction {
        case .putData:
            let tag = BERTag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
            return selectedIndex.flatMap { changeableLength(tag, $0) } == count - short ? short : long
        case .updateRecord:
            return (try? BERTLV.parse(Array(command.data.dropLast(short))))?.count == 1 ? short : long
        case .pinUnblock where command.p2 != 0: return count % 8 == short ? short : long
        default: return count == short ? short : long
        }
    }

    // MARK: PIN CHANGE

    private mutating func changePIN(
        _ content: [UInt8], usesCurrent: Bool, _ index: Int, atc: UInt16, arqc: [UInt8]
    ) -> StatusWord {
        let (profile, keys) = (applications[index].profile, applications[index].keys)
        guard !usesCurrent || profile.cryptogram.takesCurrentPIN else { return .incorrectParameters }
        guard !content.isEmpty else { return .wrongLength }
        guard let limit = profile.pin?.tryLimit, let reference = memories[index].pinBlock else {
            return .referencedDataNotFound
        }
        do {
            let block = try ScriptEncipherment.decipher(
                content, atc: atc, applicationCryptogram: arqc, version: profile.cryptogram,
                masterKey: keys.scriptConfidentiality)
            let current =
                usesCurrent
                ? try PINBlock.pin(formatTwo: reference.bytes).withUnsafeBytes { SealedBytes($0) } : nil
            let opened = try ScriptEncipherment.formatTwoBlock(
                in: block, currentPIN: current, version: profile.cryptogram, cryptogramKey: keys.applicationCryptogram)
            memories[index].pinBlock = opened.withUnsafeBytes { SealedBytes($0) }
        } catch {
            return .secureMessagingIncorrect
        }
        memories[index].pinTriesLeft = limit
        noteTries(limit)
        return .success
    }

    private mutating func noteTries(_ left: UInt8) {
        session.transaction?.results.pinTriesLeft = left
        session.transaction?.results.pinTryLimitExceeded = left == 0
    }

    // MARK: PUT DATA and UPDATE RECORD

    /// Returns the length of a data object that PUT DATA can change; nil if it cannot change it.
    private func changeableLength(_ tag: BERTag, _ index: Int) -> Int? {
        let tags = OfflineLimitTags(applications[index].profile.cryptogram)
        if let limit = memories[index].limits.values(tags)[tag] { return limit.count }
        return [0x9F14, 0x9F23].contains(tag) && applications[index].values[tag] != nil ? 1 : nil
    }

    private mutating func putData(_ tag: BERTag, _ content: [UInt8], _ index: Int) -> StatusWord {
        guard let length = changeableLength(tag, index) else { return .referencedDataNotFound }
        guard content.count == length else { return .incorrectData }
        let tags = OfflineLimitTags(applications[index].profile.cryptogram)
        let isLimit = memories[index].limits.values(tags)[tag] != nil
        guard !isLimit || memories[index].limits.take(tag, content, tags) else { return .incorrectData }
        if applications[index].values[tag] != nil { memories[index].changedValues[tag] = SealedBytes(content) }
        return .success
    }

    /// Replaces a whole record: a template 70 with the same data objects in the same order.
    private mutating func updateRecord(_ command: CommandAPDU, _ content: [UInt8], _ index: Int) -> StatusWord {
        guard command.p2 & 0x07 == 0x04 else { return .incorrectParameters }
        let (file, number) = (command.p2 >> 3, Int(command.p1) - 1)
        guard let records = applications[index].files.first(where: { $0.identifier == file })?.records else {
            return .fileNotFound
        }
        guard records.indices.contains(number) else { return .recordNotFound }
        guard let objects = try? BERTLV.parse(content), objects.count == 1, let template = objects.first,
            template.tag == 0x70, template.children.map(\.tag) == records[number]
        else { return .incorrectData }
        let tags = OfflineLimitTags(applications[index].profile.cryptogram)
        for object in template.children {
            memories[index].changedValues[object.tag] = SealedBytes(object.value)
            _ = memories[index].limits.take(object.tag, object.value, tags)
        }
        return .success
    }
}

extension CryptogramVersion {
    /// Whether the script command counter in the card verification results includes failed commands.
    fileprivate var countsFailedScriptCommands: Bool {
        switch self {
        case .cvn10, .cvn18: true
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000, .aes: false
        }
    }
}
