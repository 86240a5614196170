import CardSecrets
import Cryptography
import Determinism
import EMV
import SmartCard
import Synchronization

/// The data that the recorded terminal and its issuer sent to the card, decoded from the commands with the card's data
/// object lists.
struct RecordedTerminal: Sendable {
    /// The DF name of the application that accepted GET PROCESSING OPTIONS; nil if none did.
    private(set) var aid: [UInt8]?
    /// The data sent for PDOL, DDOL, and CDOL1; the first value of each tag.
    private(set) var values: [BERTag: [UInt8]] = [:]
    /// The data sent for each list: PDOL (9F38), DDOL (9F49), CDOL1 (8C), and CDOL2 (8D). A terminal may use another
    /// unpredictable number for each command.
    private(set) var valuesByList: [BERTag: [BERTag: [UInt8]]] = [:]
    /// The data sent for CDOL2; nil if there was no second GENERATE AC.
    private(set) var finalValues: [BERTag: [UInt8]]?
    /// The data field of EXTERNAL AUTHENTICATE; nil if there was none.
    private(set) var issuerAuthenticationData: [UInt8]?
    /// The issuer script commands before the second GENERATE AC, and those after it.
    private(set) var scriptsBeforeFinal: [[UInt8]] = []
    private(set) var scriptsAfterFinal: [[UInt8]] = []
    /// The requested cryptogram types, in order.
    private(set) var requests: [UInt8] = []
    /// Whether a PIN was sent to the card.
    private(set) var verifiesPIN = false
    /// The card's data object lists by tag, and the list for a command.
    private var lists: [BERTag: [UInt8]] = [:]

    init(_ trace: CardTrace) {
        for exchange in trace.exchanges { read(exchange.command, exchange.response) }
    }

    /// Returns the data object list for a command's data field; nil if the card has none.
    func list(for command: CommandAPDU, isFinal: Bool) -> DataObjectList? {
        let tag: BERTag? =
            switch command.ins {
            case Instruction.getProcessingOptions: 0x9F38
            case Instruction.internalAuthenticate: 0x9F49
            case Instruction.generateAC: isFinal ? 0x8D : 0x8C
            default: nil
            }
        return tag.flatMap { lists[$0] }.flatMap { try? DataObjectList($0) }
    }

    private mutating func read(_ command: CommandAPDU, _ response: ResponseAPDU) {
        switch command.ins {
        case Instruction.select where response.status == .success:
            let objects = (try? BERTLV.parse(response.data)) ?? []
            // A new application starts a new transaction.
            if let name = objects.first(0x84)?.value, !name.dropFirst().starts(with: Self.environment) {
                pendingAID = name
            }
            lists[0x9F38] = objects.first(0x9F38)?.value
        case Instruction.getProcessingOptions where response.status == .success:
            aid = pendingAID
            let options = (try? BERTLV.parse(command.data))?.first?.value ?? []
            take(options, by: 0x9F38)
            // Kernel 8 reads CDOL1 here.
            let objects = (try? BERTLV.parse(response.data)) ?? []
            if let list = objects.first(0x8C)?.value { lists[0x8C] = list }
        case Instruction.readRecord where response.status == .success:
            let objects = (try? BERTLV.parse(response.data)) ?? []
            for tag: BERTag in [0x8C, 0x8D, 0x9F49] {
                if let list = objects.first(tag)?.value { lists[tag] = list }
            }
        case Instruction.internalAuthenticate:
            // Without a DDOL on the card, the terminal's default contains only the unpredictable number.
            if lists[0x9F49] == nil { lists[0x9F49] = [0x9F, 0x37, 0x04] }
            take(command.data, by: 0x9F49)
        case Instruction.verify: verifiesPIN = true
        case Instruction.generateAC:
            requests.append(command.p1)
            if requests.count == 1 {
                take(command.data, by: 0x8C)
            } else {
                finalValues = decode(command.data, by: 0x8D)
                valuesByList[0x8D] = finalValues
            }
        case Instruction.externalAuthenticate: issuerAuthenticationData = command.data
        case _ where Instruction.isIssuerScript(command) && !requests.isEmpty:
            if requests.count == 1 {
                scriptsBeforeFinal.append(command.bytes)
            } else {
                scriptsAfterFinal.append(command.bytes)
            }
        default: break
        }
    }

    private var pendingAID: [UInt8]?
    /// Of the directories of contact and contactless cards, after their first character.
    private static let environment = Array("PAY.SYS".utf8)

    private mutating func take(_ data: [UInt8], by tag: BERTag) {
        let sent = decode(data, by: tag)
        valuesByList[tag] = sent
        values.merge(sent) { first, _ in first }
    }

    private func decode(_ data: [UInt8], by tag: BERTag) -> [BERTag: [UInt8]] {
        guard let list = lists[tag].flatMap({ try? DataObjectList($0) }) else { return [:] }
        return list.values(in: data)
    }
}

/// Terminal data of a recording, as a replay sends it again.
struct RecordedTerminalData: TerminalDataRecording {
    let valuesByList: [BERTag: [BERTag: [UInt8]]]
    /// Values that the caller replaced.
    let replaced: Set<BERTag>

    func values(for list: BERTag) -> [BERTag: [UInt8]] {
        (valuesByList[list] ?? [:]).filter { tag, _ in
            guard !replaced.contains(tag), !Self.computed.contains(tag) else { return false }
            guard let element = DataElement[tag] else { return true }
            return element.source == .terminal && !element.isSecret
        }
    }

    /// Results of the kernel, which a replay compares: TVR, TSI, CVM results, TC hash, script results.
    private static let computed: Set<BERTag> = [0x95, 0x9B, 0x9F34, 0x98, 0x9F5B]
}

extension DataObjectList {
    /// Returns the values in a filled list by tag; empty if `data` is not ``filledLength`` bytes long.
    func values(in data: [UInt8]) -> [BERTag: [UInt8]] {
        guard data.count == filledLength else { return [:] }
        var values: [BERTag: [UInt8]] = [:]
        var rest = data[...]
        for entry in entries {
            if values[entry.tag] == nil { values[entry.tag] = Array(rest.prefix(entry.length)) }
            rest = rest.dropFirst(entry.length)
        }
        return values
    }
}

/// Enters a PIN where the recorded cardholder did. Any PIN works, because the card's answer is recorded.
struct RecordedCardholder: CardholderInterface {
    let typesPIN: Bool
    /// The DF name of the application used; nil if none was.
    let aid: [UInt8]?

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        applications.firstIndex { $0.aid == aid } ?? (applications.isEmpty ? nil : 0)
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        // The trace does not show an online PIN.
        typesPIN || prompt.method == .online ? .entered(SensitiveBytes([0, 0, 0, 0])) : .bypassed
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        EncipheredPINBlock(
            block: [UInt8](repeating: 0, count: 8), keySerialNumber: [UInt8](repeating: 0, count: 10))
    }
}

/// Returns the answer of the recorded terminal's issuer, as far as the card received it.
struct RecordedIssuer: OnlineAuthorizer {
    let result: OnlineAuthorizationResult

    init(_ terminal: RecordedTerminal) {
        guard terminal.requests.count > 1, let final = terminal.finalValues else {
            result = .unableToGoOnline
            return
        }
        let asksForApproval = terminal.requests[1] & 0xC0 == 0x40
        let code = final[0x8A] ?? Array((asksForApproval ? "00" : "05").utf8)
        // Y3 and Z3 are the terminal's codes for unable to go online.
        let isTerminalsOwn = [Array("Y3".utf8), Array("Z3".utf8)].contains(code)
        guard !isTerminalsOwn || terminal.issuerAuthenticationData != nil else {
            result = .unableToGoOnline
            return
        }
        func template(_ commands: [[UInt8]]) -> [[UInt8]] {
            commands.isEmpty ? [] : [commands.flatMap { BERTLV.encode(0x86, $0) }]
        }
        result = .answered(
            IssuerAnswer(
                authorizationResponseCode: isTerminalsOwn ? Array((asksForApproval ? "00" : "05").utf8) : code,
                issuerAuthenticationData: terminal.issuerAuthenticationData ?? final[0x91],
                scriptsBeforeFinal: template(terminal.scriptsBeforeFinal),
                scriptsAfterFinal: template(terminal.scriptsAfterFinal)))
    }

    func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult { result }
}

/// Returns the recorded unpredictable number when the kernel generates one, and seeded numbers otherwise.
final class RecordedRandomSource: RandomSource {
    private let unpredictableNumber: [UInt8]?
    private let seeded: any RandomSource
    private let drawn = Mutex(0)

    /// The maximum number of applications that the kernel starts. Later requests for four bytes are not for an
    /// unpredictable number and get seeded bytes.
    private static let limit = 16

    init(unpredictableNumber: [UInt8]?, seed: UInt64) {
        self.unpredictableNumber = unpredictableNumber
        seeded = SeededRandomSource(seed: seed)
    }

    func bytes(_ count: Int) -> [UInt8] {
        let isFresh = drawn.withLock { drawn in
            drawn += 1
            return drawn <= Self.limit
        }
        if count == 4, isFresh, let unpredictableNumber { return unpredictableNumber }
        return seeded.bytes(count)
    }

    func stream(_ label: String) -> any RandomSource { seeded.stream(label) }
}

/// A PAN as in tag 5A, boxed so that the types containing it stay copyable. It is never printed.
final class ConcealedPAN: Sendable {
    private let bytes: SensitiveBytes

    init(_ bytes: [UInt8]) { self.bytes = SensitiveBytes(bytes) }

    /// - Throws: `PrimaryAccountNumberError`
    func accountNumber() throws(PrimaryAccountNumberError) -> PrimaryAccountNumber {
        var copy = bytes.withUnsafeBytes { Array($0) }
        defer { copy.wipe() }
        return try PrimaryAccountNumber(compressedNumeric: copy)
    }
}
