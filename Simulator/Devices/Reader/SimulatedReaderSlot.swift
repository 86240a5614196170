import SmartCard

/// A slot of the simulated reader, with its card and the reader's state for it.
struct SimulatedReaderSlot: Sendable {
    private typealias Failure = CardExchange.Failure

    var contacts: SimulatedCardContacts?
    /// Whether a card was inserted or removed since the last notification.
    var hasChanged = false
    /// Whether the card was powered up or down since it was inserted.
    var wasPowered = false
    var isClockStopped = false
    var parameters = ReaderParameters()
    /// The bytes that the card sent and the host has not read yet, at character level.
    var line = CardLine()
    /// The reader's side of T=1, at the levels where the reader runs it.
    var interfaceDevice: T1InterfaceDevice?
    /// Whether a protocol was started or negotiated; it stays until the next reset.
    var isProtocolFixed = false
    /// The received part of a chained command.
    var incoming: [UInt8]?
    /// The remaining part of a chained answer.
    var outgoing: ArraySlice<UInt8> = []
    /// The PIN entry in progress.
    var pinEntry: ReaderPINEntry?
    /// The sequence numbers of the received halves of an abort.
    var abortRequest: UInt8?
    var abortCommand: UInt8?

    var status: ReaderAnswer.CardStatus {
        guard let contacts else { return .absent }
        return contacts.isPowered ? .active : .inactive
    }

    /// Returns the card status that the reader reports.
    func reportedStatus(_ model: SimulatedReaderModel) -> ReaderAnswer.CardStatus {
        model.misbehavior.reportsNewCardsActive && status == .inactive && !wasPowered ? .active : status
    }

    /// Powers the card down and clears the state of the session.
    mutating func deactivate() {
        contacts?.deactivate()
        (parameters, interfaceDevice, isProtocolFixed) = (ReaderParameters(), nil, false)
        (incoming, outgoing, isClockStopped) = (nil, [], false)
        (pinEntry, line) = (nil, CardLine())
    }
}

/// The protocol data structures of Get/SetParameters (CCID 1.1 §6.1.7).
struct ReaderParameters: Hashable, Sendable {
    static let lengths = [5, 7]

    /// bProtocolNum, 0 or 1.
    private(set) var number: UInt8 = 0
    private(set) var bytes: [UInt8] = [0x11, 0x00, 0x00, 0x0A, 0x00]

    init() {}

    /// Creates the parameters that an ATR gives for one of its protocols.
    init(_ transmission: CardTransmission, protocol number: UInt8) {
        self.number = number
        bytes =
            number == 0
            ? [transmission.rates, 0x00, transmission.extraGuardTime, transmission.waitingInteger, 0x00]
            : [
                transmission.rates, transmission.errorDetection == .crc ? 0x11 : 0x10, transmission.extraGuardTime,
                transmission.waitingIntegers, 0x00, transmission.informationFieldSize, 0x00,
            ]
    }

    /// Creates the parameters that the host sets.
    ///
    /// - Throws: the offset of the invalid byte.
    init(number: UInt8, bytes: [UInt8]) throws(CardExchange.Failure) {
        guard let length = Self.lengths.indices.contains(Int(number)) ? Self.lengths[Int(number)] : nil else {
            throw CardExchange.Failure(code: ReaderError.badFirstParameter)
        }
        guard bytes.count == length else { throw CardExchange.Failure(code: ReaderError.badLength) }
        // IFSC 00 and FF are reserved for future use.
        if number == 1, bytes[5] == 0 || bytes[5] == 0xFF { throw CardExchange.Failure(code: 15) }
        (self.number, self.bytes) = (number, bytes)
    }

    var errorDetection: T1Block.ErrorDetection { number == 1 && bytes[1] & 1 != 0 ? .crc : .lrc }
    /// The IFSC of T=1.
    var informationFieldSize: UInt8 { number == 1 ? bytes[5] : 32 }
}

/// The effect of each command on a slot (CCID 1.1 §6.1).
extension SimulatedReaderSlot {
    /// Executes a command and fills in the data and the specific byte of the answer.
    mutating func execute(
        _ command: ReaderCommand, _ model: SimulatedReaderModel, _ exchange: inout CardExchange,
        _ reply: inout ReaderAnswer
    ) throws(CardExchange.Failure) {
        switch command.type {
        case 0x62:
            wasPowered = true
            reply.data = try powerOn(command.specific.0, model, &exchange)
        case 0x63:
            wasPowered = true
            deactivate()
            reply.specific = clockStatus
        case 0x65:
            reply.specific = clockStatus
        case 0x6F:
            isClockStopped = false
            reply.data = try transfer(command, model, &exchange, &reply.specific)
        case 0x6C, 0x6D, 0x61:
            try parameters(command, model, &exchange)
            (reply.specific, reply.data) = (parameters.number, parameters.bytes)
        case 0x6B:
            guard let answer = model.escapeAnswers[command.data] else { throw Failure(code: ReaderError.unsupported) }
            reply.data = answer
        case 0x6E:
            try switchClock(command.specific.0, model)
            reply.specific = clockStatus
        case 0x6A:
            try changeT0Classes(command, model)
            reply.specific = clockStatus
        case 0x73:
            guard command.data.count == 8 else { throw Failure(code: ReaderError.badLength) }
            // The reader supports one clock and one data rate, and reports them whatever was requested.
            reply.data.append(word: SimulatedReaderModel.clock)
            reply.data.append(word: SimulatedReaderModel.dataRate)
        default:
            // Mechanical is not supported: nothing in the reader moves. All other commands are unknown.
            throw Failure(code: ReaderError.unsupported)
        }
    }

    /// bClockStatus: running, or stopped low.
    private var clockStatus: UInt8 { isClockStopped || status != .active ? 1 : 0 }

    private mutating func powerOn(
        _ select: UInt8, _ model: SimulatedReaderModel, _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        let all: [SimulatedReaderModel.Voltages] = [.volts5, .volts3, .volts1_8]
        var ladder: [SimulatedReaderModel.Voltages]
        switch select {
        case 0 where model.features.contains(.automaticVoltage): ladder = all
        case 1...3: ladder = [all[Int(select) - 1]]
        default: throw Failure(code: ReaderError.badFirstParameter)
        }
        ladder.removeAll { model.voltages.isDisjoint(with: $0) }
        guard !ladder.isEmpty else { throw Failure(code: ReaderError.badFirstParameter) }
        guard var card = contacts else { throw Failure(code: ReaderError.cardMute) }
        (interfaceDevice, isProtocolFixed, incoming, outgoing, isClockStopped) = (nil, false, nil, [], false)
        line = CardLine()
        parameters = ReaderParameters()
        var answer: [UInt8] = []
        for voltage in ladder where answer.isEmpty {
            answer = card.activate(voltage)
            exchange.wait(model.activationTime)
            if answer.isEmpty { card.deactivate() }
        }
        contacts = card
        guard let start = answer.first else { throw Failure(code: ReaderError.cardMute) }
        if model.isContactless {
            let answer = card.transmission.contactlessAnswerToReset
            parameters = ReaderParameters(CardTransmission(answerToReset: answer), protocol: 1)
            return answer
        }
        guard start == 0x3B || start == 0x3F else {
            deactivate()
            throw Failure(code: ReaderError.badATRStart)
        }
        if model.features.contains(.automaticParameters) {
            guard card.transmission.isCorrect else {
                deactivate()
                throw Failure(code: ReaderError.badATRCheck)
            }
            parameters = ReaderParameters(card.transmission, protocol: card.transmission.firstProtocol)
        }
        return answer
    }

    private mutating func parameters(
        _ command: ReaderCommand, _ model: SimulatedReaderModel, _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) {
        guard status == .active, var card = contacts else { throw Failure(code: ReaderError.cardMute) }
        guard command.type != 0x6C else { return }
        var new = ReaderParameters()
        if command.type == 0x61 {
            new = try ReaderParameters(number: command.specific.0, bytes: command.data)
            guard model.protocols >> UInt32(new.number) & 1 == 1 else {
                throw Failure(code: ReaderError.badFirstParameter)
            }
        } else if model.isContactless {
            new = parameters
        } else if model.features.contains(.automaticParameters) {
            new = ReaderParameters(card.transmission, protocol: card.transmission.firstProtocol)
        }
        if !model.actualLevel.leavesProtocolToHost, !model.isContactless, new.number != parameters.number {
            // The reader negotiates for the host, which works only once after each reset.
            guard !isProtocolFixed, card.transmission.protocols.contains(new.number) else {
                throw Failure(code: ReaderError.protocolUnsupported)
            }
            let request: [UInt8] = [0xFF, new.number, 0xFF ^ new.number]
            let answer = try exchange.block(request, &card, waitingTime: card.transmission.workWaitingTime)
            contacts = card
            guard answer == request else { throw Failure(code: ReaderError.protocolUnsupported) }
            isProtocolFixed = true
        }
        interfaceDevice = nil
        parameters = new
    }

    private mutating func switchClock(
        _ action: UInt8, _ model: SimulatedReaderModel
    ) throws(CardExchange.Failure) {
        guard model.features.contains(.clockStop) else { throw Failure(code: ReaderError.unsupported) }
        guard action < 2 else { throw Failure(code: ReaderError.badFirstParameter) }
        guard status == .active else { throw Failure(code: ReaderError.cardMute) }
        isClockStopped = action == 1
    }

    /// T0APDU sets the class byte for GET RESPONSE and ENVELOPE. This reader supports only the command's own.
    private func changeT0Classes(
        _ command: ReaderCommand, _ model: SimulatedReaderModel
    ) throws(CardExchange.Failure) {
        guard !model.actualLevel.leavesProtocolToHost else { throw Failure(code: ReaderError.unsupported) }
        let (changes, getResponse, envelope) = command.specific
        guard changes & ~3 == 0 else { throw Failure(code: ReaderError.badFirstParameter) }
        if changes & 1 != 0, getResponse != 0xFF { throw Failure(code: 8) }
        if changes & 2 != 0, envelope != 0xFF { throw Failure(code: 9) }
    }
}

/// XfrBlock at the exchange levels (CCID 1.1 §6.1.4 and §3.2).
extension SimulatedReaderSlot {
    // Executes XfrBlock; `chain` becomes bChainParameter of the answer.
    mutating func transfer(
        _ command: ReaderCommand, _ model: SimulatedReaderModel, _ exchange: inout CardExchange, _ chain: inout UInt8
    ) throws(CardExchange.Failure) -> [UInt8] {
        if contacts == nil, model.misbehavior.reportsSuccessWithoutCard { return [] }
        guard status == .active else { throw Failure(code: ReaderError.cardMute) }
        if let instruction = model.misbehavior.emptyAnswerInstruction,
            command.data.dropFirst().first == instruction
        {
            return []
        }
        guard !SimulatedReaderFirmware.isTooFast(parameters, model) else { throw Failure(code: ReaderError.parity) }
        let level = model.actualLevel
        guard level != .character else { return try characters(command, &exchange) }
        guard level == .extendedAPDU || command.level == 0 else {
            throw Failure(code: ReaderError.badLevelParameter)
        }
        guard level != .tpdu else { return try tpdu(command, model, &exchange) }
        switch command.level {
        case 0x00:
            (incoming, outgoing) = (nil, [])
            outgoing = try apdu(command.data, model, &exchange)[...]
        case 0x01:
            (incoming, outgoing) = (command.data, [])
            chain = 0x10
            return []
        case 0x02, 0x03:
            guard let begun = incoming, begun.count + command.data.count <= 65_544 else {
                incoming = nil
                throw Failure(code: ReaderError.badLevelParameter)
            }
            guard command.level == 0x02 else {
                incoming = begun + command.data
                chain = 0x10
                return []
            }
            incoming = nil
            outgoing = try apdu(begun + command.data, model, &exchange)[...]
        case 0x10:
            guard !outgoing.isEmpty, command.data.isEmpty else { throw Failure(code: ReaderError.badLevelParameter) }
            return nextPart(model, isFirst: false, &chain)
        default:
            throw Failure(code: ReaderError.badLevelParameter)
        }
        return nextPart(model, isFirst: true, &chain)
    }

    /// Returns as much of the answer as fits into a message, and sets `chain`: 00 all, 01 the first part, 03 another,
    /// 02 the last.
    private mutating func nextPart(_ model: SimulatedReaderModel, isFirst: Bool, _ chain: inout UInt8) -> [UInt8] {
        let room = min(model.actualMessageLength - ReaderCommand.headerLength, model.misbehavior.partLength ?? .max)
        let part = outgoing.prefix(max(1, room))
        outgoing = outgoing.dropFirst(part.count)
        chain = outgoing.isEmpty ? (isFirst ? 0x00 : 0x02) : (isFirst ? 0x01 : 0x03)
        return Array(part)
    }

    /// Character level: transfers raw bytes, and returns as many as wLevelParameter asks for.
    private mutating func characters(
        _ command: ReaderCommand, _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        guard var card = contacts else { throw Failure(code: ReaderError.cardMute) }
        defer { contacts = card }
        isProtocolFixed = true
        if !command.data.isEmpty { line = CardLine(signals: card.send(command.data)[...]) }
        let limit =
            parameters.number == 1
            ? card.transmission.blockWaitingTime * max(1, Int(command.specific.0)) : nil
        var answer: [UInt8] = []
        while answer.count < Int(command.level) {
            guard let taken = line.take(Int(command.level) - answer.count), taken.delay <= limit ?? taken.delay else {
                // Return what has arrived by then.
                guard answer.isEmpty else { break }
                exchange.wait(limit ?? card.transmission.workWaitingTime)
                throw Failure(code: ReaderError.cardMute)
            }
            exchange.wait(taken.delay)
            answer += taken.bytes
        }
        return answer
    }

    /// TPDU level: transfers one T=0 TPDU, one T=1 block, or a PPS request unchanged.
    private mutating func tpdu(
        _ command: ReaderCommand, _ model: SimulatedReaderModel, _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        guard var card = contacts else { throw Failure(code: ReaderError.cardMute) }
        defer { contacts = card }
        let isNegotiation = command.data.first == 0xFF && !isProtocolFixed
        if isNegotiation || parameters.number == 1 {
            isProtocolFixed = true
            // bBWI: the number of block waiting times granted for this block; 00 means one.
            let limit =
                isNegotiation
                ? card.transmission.workWaitingTime
                : card.transmission.blockWaitingTime * max(1, Int(command.specific.0))
            return try exchange.block(command.data, &card, waitingTime: limit)
        }
        isProtocolFixed = true
        return try exchange.t0(command.data, &card)
    }

    /// APDU levels: the reader runs the protocol.
    mutating func apdu(
        _ bytes: [UInt8], _ model: SimulatedReaderModel, _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        guard var card = contacts else { throw Failure(code: ReaderError.cardMute) }
        defer { contacts = card }
        guard model.protocols >> UInt32(parameters.number) & 1 == 1 else {
            throw Failure(code: ReaderError.protocolUnsupported)
        }
        let command: CommandAPDU
        do throws(APDUError) { command = try CommandAPDU(bytes: bytes) } catch {
            throw Failure(code: ReaderError.badLength)
        }
        guard model.actualLevel == .extendedAPDU || !command.isExtended else {
            throw Failure(code: ReaderError.badLength)
        }
        isProtocolFixed = true
        // A contactless card keeps only the property that it accepts whole commands.
        let protocolNumber = model.isContactless ? card.transmission.firstProtocol : parameters.number
        guard protocolNumber == 1 else { return try exchange.commandOverT0(command, &card) }
        var device: T1InterfaceDevice
        if let interfaceDevice {
            device = interfaceDevice
        } else {
            device =
                model.isContactless
                ? T1InterfaceDevice(
                    cardInformationFieldSize: card.transmission.informationFieldSize,
                    errorDetection: card.transmission.errorDetection)
                : T1InterfaceDevice(
                    cardInformationFieldSize: parameters.informationFieldSize,
                    errorDetection: parameters.errorDetection)
            let request = device.negotiateInformationFieldSize(model.maximumIFSD)
            _ = try exchange.run(&device, request, &card)
        }
        defer { interfaceDevice = device }
        let first = device.transmit(bytes)
        return try exchange.run(&device, first, &card)
    }
}
