internal import Determinism
internal import SmartCard

/// The program in the chip: it takes one command at a time and always answers.
///
/// Each command is handled in a file of its own under `Commands`.
struct CardOperatingSystem: Sendable {
    let applications: [CardApplication]
    let hasPSE: Bool
    let random: any RandomSource

    /// What each application keeps when power goes away.
    var memories: [ApplicationMemory]
    /// The whole card was blocked.
    var isBlocked: Bool
    var session = CardSession()
    /// What it has answered to GENERATE AC, oldest first.
    var cryptograms: [MadeCryptogram] = []

    init(applications: [CardApplication], hasPSE: Bool, isBlocked: Bool, random: any RandomSource) {
        (self.applications, self.hasPSE, self.isBlocked) = (applications, hasPSE, isBlocked)
        self.random = random
        memories = applications.map { ApplicationMemory($0.profile) }
    }

    /// Power comes or goes: the session is lost.
    mutating func reset() { session = CardSession() }

    mutating func process(_ command: CommandAPDU) -> ResponseAPDU {
        // A challenge is good for the next command only (EMV Book 2 §7.2).
        let challenge = session.challenge
        session.challenge = nil
        guard CardInstruction.allCases.contains(where: { $0.classes.contains(command.cla) }) else {
            return .failed(.classNotSupported)
        }
        guard let instruction = CardInstruction(rawValue: command.ins) else {
            return .failed(.instructionNotSupported)
        }
        guard instruction.classes.contains(command.cla) else { return .failed(.classNotSupported) }
        if instruction.sendsData, command.data.isEmpty { return .failed(.wrongLength) }
        if !instruction.sendsData, !command.data.isEmpty { return .failed(.wrongLength) }
        switch instruction {
        case .select: return select(command)
        case .readRecord: return readRecord(command)
        case .getProcessingOptions: return getProcessingOptions(command)
        case .getData: return getData(command)
        case .getChallenge: return getChallenge(command)
        case .verify: return verify(command, challenge: challenge)
        case .generateAC: return generateAC(command)
        case .internalAuthenticate: return internalAuthenticate(command)
        case .externalAuthenticate: return externalAuthenticate(command)
        case .cardBlock, .applicationUnblock, .applicationBlock, .pinUnblock, .putData, .updateRecord:
            return issuerScript(instruction, command)
        }
    }

    /// The position of the selected application; nil when none is.
    var selectedIndex: Int? {
        guard case .application(let index) = session.selection, applications.indices.contains(index) else { return nil }
        return index
    }
}

extension ResponseAPDU {
    static func failed(_ status: StatusWord) -> ResponseAPDU { ResponseAPDU(status: status) }
    static func succeeded(_ data: [UInt8] = []) -> ResponseAPDU { ResponseAPDU(data: data, status: .success) }
}
