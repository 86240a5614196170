import ContactlessKernel8
import EMV
import SmartCard

extension CardTrace {
    /// Whether the card was tapped: the trace begins with the directory of contactless cards, or with an application of
    /// kernel 8.
    public var isOfTap: Bool {
        exchanges.contains { $0.selects(Self.contactlessDirectory) || $0.selectsKernel8Application }
    }

    /// What follows a tap, in the same trace, from the directory of contact cards on: the chip of the same card; nil if
    /// the card was not tapped, or nothing follows.
    public var chipAfterTap: CardTrace? {
        guard isOfTap, let start = chipStart else { return nil }
        return CardTrace(header: header, exchanges: Array(exchanges[start...]))
    }

    /// The trace up to the chip.
    var tap: CardTrace { CardTrace(header: header, exchanges: Array(exchanges[..<(chipStart ?? exchanges.endIndex)])) }

    private var chipStart: Int? { exchanges.firstIndex { $0.selects(Self.contactDirectory) } }

    static let contactlessDirectory = Array("2PAY.SYS.DDF01".utf8)
    private static let contactDirectory = Array("1PAY.SYS.DDF01".utf8)
}

extension CardTrace.Exchange {
    /// Whether the exchange selects a name, with or without success.
    func selects(_ name: [UInt8]) -> Bool { command.ins == Instruction.select && command.data == name }

    /// The data objects of a file control information with the name of an application; nil for anything else.
    var application: [BERTLV]? {
        guard command.ins == Instruction.select, response.status == .success,
            command.data != CardTrace.contactlessDirectory
        else { return nil }
        return try? BERTLV.parse(response.data)
    }

    /// Whether the card answers with an application of kernel 8, which has a card qualifier.
    var selectsKernel8Application: Bool { application?.first(Kernel8Tag.cardQualifier) != nil }
}

/// What the commands of a recorded kernel 8 tell about it.
struct RecordedTap: Sendable {
    /// One application that was selected, up to the next one.
    struct Activation: Sendable {
        let aid: [UInt8]
        /// Whether it is an application of kernel 8.
        let isOfKernel8: Bool
        /// The kernel's public key (9E) in GET PROCESSING OPTIONS; nil without one.
        var kernelKeyData: [UInt8]?
        /// Tag 9F37; nil if the card never asked for it.
        var unpredictableNumber: [UInt8]?
        /// Whether the command was sent.
        var hasStarted = false
    }

    private(set) var activations: [Activation] = []
    /// The tags of READ DATA, one after the other.
    private(set) var tagsToRead: [UInt8] = []
    /// The values of CDOL1 for the first cryptogram.
    let cdol1Values: [BERTag: [UInt8]]

    init(_ trace: CardTrace, _ terminal: RecordedTerminal) {
        cdol1Values = terminal.valuesByList[EMVTag.cdol1] ?? [:]
        for exchange in trace.exchanges {
            if exchange.application != nil {
                activations.append(
                    Activation(aid: exchange.command.data, isOfKernel8: exchange.selectsKernel8Application))
            } else {
                read(exchange.command, terminal)
            }
        }
    }

    private mutating func read(_ command: CommandAPDU, _ terminal: RecordedTerminal) {
        guard let last = activations.indices.last else { return }
        switch command.ins {
        case Instruction.getProcessingOptions:
            activations[last].hasStarted = true
            take(ReplayedCard.options(command), terminal.list(for: command, isFinal: false), last)
        case Instruction.generateAC: take(command.data, terminal.list(for: command, isFinal: false), last)
        case Instruction.readData where command.cla == 0x84: tagsToRead += command.data
        default: break
        }
    }

    private mutating func take(_ data: [UInt8], _ list: DataObjectList?, _ index: Int) {
        let values = list?.values(in: data) ?? [:]
        if let key = values[Kernel8Tag.kernelKeyData] { activations[index].kernelKeyData = key }
        if activations[index].unpredictableNumber == nil {
            activations[index].unpredictableNumber = values[EMVTag.unpredictableNumber]
        }
    }

    /// The first application that was used without kernel 8; nil if there is none.
    var otherApplication: [UInt8]? { activations.first { $0.hasStarted && !$0.isOfKernel8 }?.aid }

    /// The first public key of the kernel.
    var kernelKeyData: [UInt8]? { activations.lazy.compactMap(\.kernelKeyData).first }

    /// Settings of kernel 8 that the recorded commands show.
    var kernelData: [BERTag: [UInt8]] {
        var data: [BERTag: [UInt8]] = [:]
        if let capabilities = cdol1Values[EMVTag.capabilities], capabilities.count == 3 {
            data[Kernel8Tag.cardDataInputCapability] = [capabilities[0]]
            data[Kernel8Tag.cvmCapabilityRequired] = [capabilities[1]]
            data[Kernel8Tag.cvmCapabilityNotRequired] = [capabilities[1]]
            data[Kernel8Tag.securityCapability] = [capabilities[2]]
        }
        if let risk = cdol1Values[Kernel8Tag.riskManagementData], risk.count == 8 {
            data[Kernel8Tag.riskManagementData] = risk
        }
        if !tagsToRead.isEmpty { data[Kernel8Tag.tagsToRead] = tagsToRead }
        return data
    }

    /// A directory of the applications, for a trace of a terminal that has read none.
    var directory: [UInt8] {
        let entries = activations.filter(\.isOfKernel8).flatMap { activation in
            BERTLV.encode(
                EMVTag.applicationTemplate,
                BERTLV.encode(EMVTag.adfName, activation.aid) + BERTLV.encode(EMVTag.kernelIdentifier, [0x08]))
        }
        return BERTLV.encode(
            EMVTag.fileControlInformation,
            BERTLV.encode(EMVTag.dfName, CardTrace.contactlessDirectory)
                + BERTLV.encode(
                    EMVTag.fciProprietary, BERTLV.encode(EMVTag.issuerDiscretionaryData, entries)))
    }
}
