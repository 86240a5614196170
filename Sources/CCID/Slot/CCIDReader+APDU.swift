internal import CardSecrets
internal import SmartCard

/// Commands at the APDU levels: the reader runs the transmission protocol. An APDU that is longer than a
/// message goes and comes in parts (CCID 1.1 §6.1.4, §6.2.1).
extension CCIDReader {
    /// The longest answer: 65,536 bytes and the status word.
    private static let maximumAnswer = 65_538

    func exchangeAPDU(
        _ command: CommandAPDU, _ slot: UInt8, _ session: CCIDCardSession, _ time: CCIDCommandTime
    ) async throws(CCIDError) -> ResponseAPDU {
        guard interface.descriptor.level == .extendedAPDU || !command.isExtended else {
            throw .extendedLengthNotSupported
        }
        var apdu = command.bytes
        // It may hold a PIN.
        defer { apdu.wipe() }
        let first = try await sendParts(apdu, slot, time)
        let response = try Self.response(try await receiveParts(first, slot, time))
        // Some readers leave T=0's way of announcing data to the host.
        guard session.transmissionProtocol == 0, response.status.sw1 == 0x61 || response.status.sw1 == 0x6C,
            command.data.isEmpty || response.data.isEmpty, var mapper = try? T0CommandMapper(command)
        else { return response }
        _ = mapper.start()
        let step: T0CommandMapper.Step
        do throws(T0Error) {
            step = try mapper.received(response.bytes)
        } catch {
            throw .t0(error)
        }
        return try await finishT0(&mapper, step, slot, time)
    }

    private func sendParts(
        _ apdu: [UInt8], _ slot: UInt8, _ time: CCIDCommandTime
    ) async throws(CCIDError) -> CCIDReply {
        let room = interface.descriptor.usableMessageLength - CCIDResponseHeader.length
        guard apdu.count > room else { return try await transfer(apdu, slot, time) }
        var offset = 0
        while true {
            let end = min(offset + room, apdu.count)
            let level: CCIDLevelParameter = offset == 0 ? .begins : end == apdu.count ? .ends : .continues
            var part = Array(apdu[offset..<end])
            defer { part.wipe() }
            let reply = try await transfer(part, slot, time, level: level)
            guard end < apdu.count else { return reply }
            guard reply.header.specific == CCIDChainParameter.awaitsMore.rawValue, reply.isEmpty else {
                throw .brokenChain(reply.header.specific)
            }
            offset = end
        }
    }

    private func receiveParts(
        _ first: consuming CCIDReply, _ slot: UInt8, _ time: CCIDCommandTime
    ) async throws(CCIDError) -> [UInt8] {
        let place = first.header.specific
        var answer = first.payload()
        guard place != CCIDChainParameter.whole.rawValue else { return answer }
        guard place == CCIDChainParameter.begins.rawValue, !answer.isEmpty else { throw .brokenChain(place) }
        while true {
            let reply = try await transfer([], slot, time, level: .awaitsMore)
            let place = reply.header.specific
            let part = reply.payload()
            guard answer.count + part.count <= Self.maximumAnswer else {
                throw .response(.responseTooLong(answer.count + part.count))
            }
            answer += part
            switch CCIDChainParameter(rawValue: place) {
            case .ends: return answer
            case .continues where !part.isEmpty: continue
            default: throw .brokenChain(place)
            }
        }
    }

    /// Exchanges one block with the card, which must be there and powered when it answers.
    func transfer(
        _ block: [UInt8], _ slot: UInt8, _ time: CCIDCommandTime, multiplier: UInt8 = 0,
        level: CCIDLevelParameter = .whole
    ) async throws(CCIDError) -> CCIDReply {
        try await transfer(
            .transferBlock(block, waitingTimeMultiplier: multiplier, level: level), slot, time, multiplier: multiplier)
    }

    /// Exchanges an XfrBlock with the card, which must be there and powered when it answers.
    func transfer(
        _ command: CCIDCommand, _ slot: UInt8, _ time: CCIDCommandTime, multiplier: UInt8
    ) async throws(CCIDError) -> CCIDReply {
        let reply = try await exchange(
            command, slot: slot, wait: time.wait * max(1, Int(multiplier)), within: try time.left())
        let status = reply.header.status
        // A reader may call a command done that found no card.
        guard status.card != .absent else { throw .cardAbsent }
        if case .failed(let error) = status.outcome { throw .failed(.transferBlock, error) }
        guard status.card == .active else { throw .cardNotPowered }
        return reply
    }

    /// Splits the status word off an answer, in place.
    static func response(_ answer: consuming [UInt8]) throws(CCIDError) -> ResponseAPDU {
        guard answer.count >= 2 else { throw .response(.responseTooShort(answer.count)) }
        guard answer.count <= maximumAnswer else { throw .response(.responseTooLong(answer.count)) }
        let sw2 = answer.removeLast()
        let sw1 = answer.removeLast()
        return ResponseAPDU(data: answer, status: StatusWord(sw1, sw2))
    }
}
