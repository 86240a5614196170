internal import Determinism
internal import SmartCard

/// Commands at the APDU levels: the reader runs the transmission protocol. An APDU that is longer than a
/// message goes and comes in parts (CCID 1.1 §6.1.4, §6.2.1).
extension CCIDReader {
    /// The longest answer: 65,536 bytes and the status word.
    private static let maximumAnswer = 65_538

    func exchangeAPDU(
        _ command: CommandAPDU, _ slot: UInt8, _ session: CCIDCardSession
    ) async throws(CCIDError) -> ResponseAPDU {
        guard interface.descriptor.level == .extendedAPDU || !command.isExtended else {
            throw .extendedLengthNotSupported
        }
        var apdu = command.bytes
        // It may hold a PIN.
        defer { for index in apdu.indices { apdu[index] = 0 } }
        let first = try await sendParts(apdu, slot, session.wait)
        let response = try Self.response(try await receiveParts(first, slot, session.wait))
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
        return try await finishT0(&mapper, step, slot, session.wait)
    }

    private func sendParts(_ apdu: [UInt8], _ slot: UInt8, _ wait: Duration) async throws(CCIDError) -> CCIDReply {
        let room = interface.descriptor.usableMessageLength - CCIDResponseHeader.length
        guard apdu.count > room else { return try await transfer(apdu, slot, wait: wait) }
        let start = time.reading()
        var offset = 0
        while true {
            guard time.elapsed(since: start) < timing.total else { throw .timedOut(.transferBlock) }
            let end = min(offset + room, apdu.count)
            let level: CCIDLevelParameter = offset == 0 ? .begins : end == apdu.count ? .ends : .continues
            let reply = try await transfer(Array(apdu[offset..<end]), slot, wait: wait, level: level)
            guard end < apdu.count else { return reply }
            guard reply.header.specific == CCIDChainParameter.awaitsMore.rawValue, reply.isEmpty else {
                throw .brokenChain(reply.header.specific)
            }
            offset = end
        }
    }

    private func receiveParts(
        _ first: consuming CCIDReply, _ slot: UInt8, _ wait: Duration
    ) async throws(CCIDError) -> [UInt8] {
        let place = first.header.specific
        var answer = first.payload()
        guard place != CCIDChainParameter.whole.rawValue else { return answer }
        guard place == CCIDChainParameter.begins.rawValue, !answer.isEmpty else { throw .brokenChain(place) }
        let start = time.reading()
        while true {
            guard time.elapsed(since: start) < timing.total else { throw .timedOut(.transferBlock) }
            let reply = try await transfer([], slot, wait: wait, level: .awaitsMore)
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
        _ block: [UInt8], _ slot: UInt8, wait: Duration, multiplier: UInt8 = 0, level: CCIDLevelParameter = .whole
    ) async throws(CCIDError) -> CCIDReply {
        try await transfer(.transferBlock(block, waitingTimeMultiplier: multiplier, level: level), slot, wait: wait)
    }

    /// Exchanges an XfrBlock with the card, which must be there and powered when it answers.
    func transfer(_ command: CCIDCommand, _ slot: UInt8, wait: Duration) async throws(CCIDError) -> CCIDReply {
        let reply = try await exchange(command, slot: slot, wait: wait)
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
