internal import EMV
internal import SmartCard

/// What the recorded terminal told the card, and what its issuer answered: read out of the commands by the
/// card's own data object lists.
struct RecordedTerminal: Sendable {
    /// The DF name of the application that took GET PROCESSING OPTIONS; nil when none did.
    private(set) var aid: [UInt8]?
    /// What PDOL, DDOL and CDOL1 carried, the first value of each tag.
    private(set) var values: [BERTag: [UInt8]] = [:]
    /// What CDOL2 carried; nil when there was no second GENERATE AC.
    private(set) var finalValues: [BERTag: [UInt8]]?
    /// The data field of EXTERNAL AUTHENTICATE; nil when there was none.
    private(set) var issuerAuthenticationData: [UInt8]?
    /// The commands between EXTERNAL AUTHENTICATE or the first GENERATE AC and the second one that only an
    /// issuer sends, and those after it.
    private(set) var scriptsBeforeFinal: [[UInt8]] = []
    private(set) var scriptsAfterFinal: [[UInt8]] = []
    /// The cryptograms asked for, in their order.
    private(set) var requests: [UInt8] = []
    /// Whether a PIN was sent to the card.
    private(set) var verifiesPIN = false
    /// The card's lists by tag, and the list that is used for a command.
    private var lists: [BERTag: [UInt8]] = [:]

    init(_ trace: CardTrace) {
        for exchange in trace.exchanges { read(exchange.command, exchange.response) }
    }

    /// The list that says what the data field of a command means; nil when the card gave none.
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
            // A new application is a new start.
            if let name = objects.first(0x84)?.value, !name.starts(with: Self.environment) { pendingAID = name }
            lists[0x9F38] = objects.first(0x9F38)?.value
        case Instruction.getProcessingOptions where response.status == .success:
            aid = pendingAID
            let options = (try? BERTLV.parse(command.data))?.first?.value ?? []
            take(options, by: 0x9F38)
        case Instruction.readRecord where response.status == .success:
            let objects = (try? BERTLV.parse(response.data)) ?? []
            for tag: BERTag in [0x8C, 0x8D, 0x9F49] {
                if let list = objects.first(tag)?.value { lists[tag] = list }
            }
        case Instruction.internalAuthenticate:
            // Without a list of the card, a terminal's own one asks for the unpredictable number alone.
            if lists[0x9F49] == nil { lists[0x9F49] = [0x9F, 0x37, 0x04] }
            take(command.data, by: 0x9F49)
        case Instruction.verify: verifiesPIN = true
        case Instruction.generateAC:
            requests.append(command.p1)
            if requests.count == 1 {
                take(command.data, by: 0x8C)
            } else {
                finalValues = decode(command.data, by: 0x8D)
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
    private static let environment = Array("1PAY.SYS".utf8)

    private mutating func take(_ data: [UInt8], by tag: BERTag) {
        values.merge(decode(data, by: tag)) { first, _ in first }
    }

    private func decode(_ data: [UInt8], by tag: BERTag) -> [BERTag: [UInt8]] {
        guard let list = lists[tag].flatMap({ try? DataObjectList($0) }) else { return [:] }
        return list.values(in: data)
    }
}

extension DataObjectList {
    /// What a filled list holds, by tag; empty when `data` is not ``filledLength`` long.
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
