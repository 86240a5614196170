internal import SmartCard

/// XfrBlock at the exchange levels (CCID 1.1 §6.1.4 and §3.2).
extension ReaderSlot {
    private typealias Failure = CardExchange.Failure

    // XfrBlock; `chain` becomes bChainParameter of the answer.
    mutating func transfer(
        _ command: ReaderCommand, _ model: SimulatedReaderModel, _ exchange: inout CardExchange, _ chain: inout UInt8
    ) throws(CardExchange.Failure) -> [UInt8] {
        if contacts == nil, model.misbehaviour.callsMissingCardsDone { return [] }
        guard status == .active else { throw Failure(code: ReaderError.cardMute) }
        if let instruction = model.misbehaviour.emptyAnswerInstruction,
            command.data.dropFirst().first == instruction
        {
            return []
        }
        guard !ReaderFirmware.isTooFast(parameters, model) else { throw Failure(code: ReaderError.parity) }
        let level = model.actualLevel
        guard level != .character else { return try characters(command, &exchange) }
        guard level == .extendedAPDU || command.level == 0 else {
            throw Failure(code: ReaderError.badLevelParameter)
        }
        wasUsed = true
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

    /// As much of the answer as fits in a message: 00 all, 01 the first part, 03 another, 02 the last.
    private mutating func nextPart(_ model: SimulatedReaderModel, isFirst: Bool, _ chain: inout UInt8) -> [UInt8] {
        let room = min(model.actualMessageLength - ReaderCommand.headerLength, model.misbehaviour.partLength ?? .max)
        let part = outgoing.prefix(max(1, room))
        outgoing = outgoing.dropFirst(part.count)
        chain = outgoing.isEmpty ? (isFirst ? 0x00 : 0x02) : (isFirst ? 0x01 : 0x03)
        return Array(part)
    }

    /// Character level: bytes as they are, and as many of the card's as wLevelParameter asks for.
    private mutating func characters(
        _ command: ReaderCommand, _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        guard var card = contacts else { throw Failure(code: ReaderError.cardMute) }
        defer { contacts = card }
        (wasUsed, isProtocolFixed) = (true, true)
        if !command.data.isEmpty { line = CardLine(signals: card.send(command.data)[...]) }
        let limit =
            parameters.number == 1
            ? card.transmission.blockWaitingTime * max(1, Int(command.specific.0)) : nil
        var answer: [UInt8] = []
        while answer.count < Int(command.level) {
            guard let taken = line.take(Int(command.level) - answer.count), taken.delay <= limit ?? taken.delay else {
                // What has come by then is the answer.
                guard answer.isEmpty else { break }
                exchange.wait(limit ?? card.transmission.workWaitingTime)
                throw Failure(code: ReaderError.cardMute)
            }
            exchange.wait(taken.delay)
            answer += taken.bytes
        }
        return answer
    }

    /// TPDU level: one T=0 TPDU, one T=1 block or a PPS request, as it is.
    private mutating func tpdu(
        _ command: ReaderCommand, _ model: SimulatedReaderModel, _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        guard var card = contacts else { throw Failure(code: ReaderError.cardMute) }
        defer { contacts = card }
        let isNegotiation = command.data.first == 0xFF && !isProtocolFixed
        if isNegotiation || parameters.number == 1 {
            isProtocolFixed = true
            // bBWI: how many block waiting times the host grants for this block; 00 is one.
            let limit =
                isNegotiation
                ? card.transmission.workWaitingTime
                : card.transmission.blockWaitingTime * max(1, Int(command.specific.0))
            return try exchange.block(command.data, &card, waitingTime: limit)
        }
        isProtocolFixed = true
        return try exchange.t0(command.data, &card)
    }

    /// APDU levels: the reader speaks the protocol.
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
        // In a field nothing is left of what the card speaks at its contacts but that it takes whole commands.
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
