internal import SmartCard

/// What each command does to a slot (CCID 1.1 §6.1).
extension ReaderSlot {
    private typealias Failure = CardExchange.Failure

    /// Executes a command and fills in the answer's data and specific byte.
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
            // The reader has one of each, and says so whatever was asked for.
            reply.data.append(word: SimulatedReaderModel.clock)
            reply.data.append(word: SimulatedReaderModel.dataRate)
        default:
            // Nothing that moves for Mechanical, and nothing else is known.
            throw Failure(code: ReaderError.unsupported)
        }
    }

    /// bClockStatus: running or stopped low.
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
            // The reader negotiates for the host, which works once after each reset.
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

    /// T0APDU: which class byte the reader uses for GET RESPONSE and ENVELOPE. It only has the command's.
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
