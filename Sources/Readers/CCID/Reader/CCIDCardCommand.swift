import CardSecrets
import SmartCard

/// One command APDU to a powered card, at the reader's exchange level: at the APDU levels the reader runs the
/// transmission protocol, at TPDU level and below the host does.
struct CCIDCardCommand {
    /// The longest answer: 65,536 bytes and the status word.
    private static let maximumAnswer = 65_538

    let slot: UInt8
    let session: CCIDCardSession
    let time: CommandDeadline
    /// Whether the reader is recovered after an error.
    var recovers = true

    /// Exchanges the command with the card.
    ///
    /// - Throws: ``CCIDError``
    func transmit(_ command: CommandAPDU, on reader: isolated CCIDReader) async throws(CCIDError) -> ResponseAPDU {
        guard reader.interface.descriptor.level.leavesProtocolToHost else {
            return try await exchangeAPDU(command, reader)
        }
        guard session.transmissionProtocol == 1 else { return try await exchangeT0(command, reader) }
        return try await exchangeT1(command, reader)
    }

    // MARK: APDU levels

    /// Exchanges a whole APDU. One that is longer than a message goes and comes in parts (CCID 1.1 §6.1.4, §6.2.1).
    private func exchangeAPDU(
        _ command: CommandAPDU, _ reader: isolated CCIDReader
    ) async throws(CCIDError) -> ResponseAPDU {
        guard reader.interface.descriptor.level == .extendedAPDU || !command.isExtended else {
            throw .extendedLengthNotSupported
        }
        var apdu = command.bytes
        // It may hold a PIN.
        defer { apdu.wipe() }
        let first = try await sendParts(apdu, reader)
        let response = try Self.response(try await receiveParts(first, reader))
        // Some readers leave GET RESPONSE of T=0 to the host.
        guard session.transmissionProtocol == 0, response.status.sw1 == 0x61 || response.status.sw1 == 0x6C,
            command.data.isEmpty || response.data.isEmpty, var mapper = try? T0CommandMapper(command)
        else { return response }
        _ = mapper.start()
        let step = try Self.t0 { () throws(T0Error) in try mapper.received(response.bytes) }
        return try await finishT0(&mapper, step, reader)
    }

    private func sendParts(_ apdu: [UInt8], _ reader: isolated CCIDReader) async throws(CCIDError) -> CCIDReply {
        let room = reader.interface.descriptor.usableMessageLength - CCIDResponseHeader.length
        guard apdu.count > room else { return try await transfer(apdu, reader) }
        var offset = 0
        while true {
            let end = min(offset + room, apdu.count)
            let level: CCIDChainParameter = offset == 0 ? .begins : end == apdu.count ? .ends : .continues
            var part = Array(apdu[offset..<end])
            defer { part.wipe() }
            let reply = try await transfer(part, reader, level: level)
            guard end < apdu.count else { return reply }
            guard reply.header.specific == CCIDChainParameter.awaitsMore.rawValue, reply.isEmpty else {
                throw .brokenChain(reply.header.specific)
            }
            offset = end
        }
    }

    private func receiveParts(
        _ first: consuming CCIDReply, _ reader: isolated CCIDReader
    ) async throws(CCIDError) -> [UInt8] {
        let place = first.header.specific
        var answer = first.payload()
        guard place != CCIDChainParameter.whole.rawValue else { return answer }
        guard place == CCIDChainParameter.begins.rawValue, !answer.isEmpty else { throw .brokenChain(place) }
        while true {
            let reply = try await transfer([], reader, level: .awaitsMore)
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

    /// Splits the status word off an answer, in place.
    static func response(_ answer: consuming [UInt8]) throws(CCIDError) -> ResponseAPDU {
        guard answer.count >= 2 else { throw .response(.responseTooShort(answer.count)) }
        guard answer.count <= maximumAnswer else { throw .response(.responseTooLong(answer.count)) }
        let sw2 = answer.removeLast()
        let sw1 = answer.removeLast()
        return ResponseAPDU(data: answer, status: StatusWord(sw1, sw2))
    }

    // MARK: Blocks

    /// Exchanges one block with the card, which must be present and powered when it answers.
    private func transfer(
        _ block: [UInt8], _ reader: isolated CCIDReader, multiplier: UInt8 = 0, level: CCIDChainParameter = .whole
    ) async throws(CCIDError) -> CCIDReply {
        try await transfer(
            .transferBlock(block, waitingTimeMultiplier: multiplier, level: level), reader, multiplier: multiplier)
    }

    /// Exchanges an XfrBlock with the card, which must be present and powered when it answers.
    private func transfer(
        _ command: CCIDCommand, _ reader: isolated CCIDReader, multiplier: UInt8
    ) async throws(CCIDError) -> CCIDReply {
        let reply = try await reader.exchange(
            command, slot: slot, wait: time.wait * max(1, Int(multiplier)), within: try time.left(),
            recovers: recovers)
        let status = reply.header.status
        // A reader may report success without a card.
        guard status.card != .absent else { throw .cardAbsent }
        if case .failed(let error) = status.outcome { throw .failed(.transferBlock, error) }
        guard status.card == .active else { throw .cardNotPowered }
        return reply
    }

    // MARK: T=0

    private func exchangeT0(
        _ command: CommandAPDU, _ reader: isolated CCIDReader
    ) async throws(CCIDError) -> ResponseAPDU {
        var mapper = try Self.t0 { () throws(T0Error) in try T0CommandMapper(command) }
        let first = mapper.start()
        return try await finishT0(&mapper, consume first, reader)
    }

    /// Runs T=0 from `first` to the card's whole answer.
    private func finishT0(
        _ mapper: inout T0CommandMapper, _ first: consuming T0CommandMapper.Step, _ reader: isolated CCIDReader
    ) async throws(CCIDError) -> ResponseAPDU {
        var step = first
        while true {
            guard case .exchange(var tpdu) = step else { break }
            // It may hold a PIN, and has no other owner from here on.
            step = .exchange([])
            defer { tpdu.wipe() }
            let answer = try await exchangeTPDU(tpdu, reader)
            step = try Self.t0 { () throws(T0Error) in try mapper.received(answer) }
        }
        guard case .complete(let response) = step else { throw .noEnd(.transferBlock) }
        return response
    }

    /// Exchanges a T=0 TPDU: one XfrBlock, or a few at character level.
    private func exchangeTPDU(_ tpdu: [UInt8], _ reader: isolated CCIDReader) async throws(CCIDError) -> [UInt8] {
        guard reader.interface.descriptor.level == .character else {
            return try await transfer(tpdu, reader).payload()
        }
        return try await exchangeCharacters(tpdu, reader)
    }

    private static func t0<Value>(_ body: () throws(T0Error) -> Value) throws(CCIDError) -> Value {
        do throws(T0Error) {
            return try body()
        } catch {
            throw .t0(error)
        }
    }

    // MARK: T=1

    private func exchangeT1(
        _ command: CommandAPDU, _ reader: isolated CCIDReader
    ) async throws(CCIDError) -> ResponseAPDU {
        var apdu = command.bytes
        let first = reader.withT1(slot) { $0.transmit(apdu) } ?? .failed(.unrecoverable)
        apdu.wipe()
        return try Self.response(try await finishT1(consume first, reader))
    }

    /// Announces the longest block that the reader takes to a T=1 card (EMV Book 1 §9.2.4.2.1).
    func negotiateInformationFieldSize(_ reader: isolated CCIDReader) async throws(CCIDError) {
        let size = reader.interface.descriptor.usableIFSD
        let first = reader.withT1(slot) { $0.negotiateInformationFieldSize(size) } ?? .failed(.unrecoverable)
        _ = try await finishT1(first, reader)
    }

    /// Runs T=1 from `first` to the card's whole answer.
    ///
    /// - Parameters:
    ///   - first: the first step of the exchange.
    ///   - reader: the reader of the slot.
    ///   - mayRepeatCommand: false where the reader completed the command itself: the host cannot send again what the
    ///     card did not get.
    /// - Returns: the card's answer.
    /// - Throws: ``CCIDError``
    func finishT1(
        _ first: consuming T1InterfaceDevice.Step, _ reader: isolated CCIDReader, mayRepeatCommand: Bool = true
    ) async throws(CCIDError) -> [UInt8] {
        var step = first
        var isMute = false
        while true {
            switch step {
            case .complete(let answer): return answer
            case .failed(let error): throw isMute ? .cardMute : .t1(error)
            case .send(var block, let multiplier):
                // It may hold a PIN, and has no other owner from here on.
                step = .complete([])
                defer { block.wipe() }
                // The control byte of an I-block has no b8.
                guard mayRepeatCommand || block.dropFirst().first.map({ $0 & 0x80 != 0 }) ?? false else {
                    throw .t1(.unrecoverable)
                }
                step = try await exchangeBlock(block, multiplier, reader, &isMute)
            }
        }
    }

    /// Exchanges one block. A block that did not arrive, or arrived damaged, is handled by the protocol.
    private func exchangeBlock(
        _ block: [UInt8], _ multiplier: Int, _ reader: isolated CCIDReader, _ isMute: inout Bool
    ) async throws(CCIDError) -> T1InterfaceDevice.Step {
        let step: T1InterfaceDevice.Step?
        isMute = false
        do throws(CCIDError) {
            // bBWI 0 stands for the plain block waiting time.
            let answer = try await sendBlock(block, multiplier > 1 ? UInt8(clamping: multiplier) : 0, reader)
            step = reader.withT1(slot) { $0.received(answer) }
        } catch {
            switch error {
            case .failed(_, .cardMute):
                isMute = true
                step = reader.withT1(slot) { $0.timedOut() }
            case .failed(_, .parity), .failed(_, .overrun): step = reader.withT1(slot) { $0.received([]) }
            default: throw error
            }
        }
        // Without a session the reader was reset meanwhile.
        guard let step else { throw .cardNotPowered }
        return step
    }

    /// Exchanges a T=1 block: one XfrBlock, or two at character level.
    private func sendBlock(
        _ block: [UInt8], _ multiplier: UInt8, _ reader: isolated CCIDReader
    ) async throws(CCIDError) -> [UInt8] {
        guard reader.interface.descriptor.level == .character else {
            return try await transfer(block, reader, multiplier: multiplier).payload()
        }
        return try await exchangeBlockCharacters(block, multiplier, reader)
    }
}

/// Character level: the reader transports bytes without knowing their meaning. Each XfrBlock says how many bytes of the
/// card are expected (CCID 1.1 §6.1.4), so the host asks only for as many as are sure to come.
extension CCIDCardCommand {
    /// The length of a T=1 prologue: node address, control byte, length.
    private static let prologueLength = 3

    /// Exchanges a T=0 TPDU byte by byte: header, procedure bytes, data, status (ISO/IEC 7816-3 §10.3).
    private func exchangeCharacters(
        _ tpdu: [UInt8], _ reader: isolated CCIDReader
    ) async throws(CCIDError) -> [UInt8] {
        var exchange = try Self.t0 { () throws(T0Error) in try T0TPDUExchange(tpdu: tpdu) }
        var step = exchange.start()
        while true {
            let received: [UInt8]
            switch step {
            case .complete(let answer): return answer
            case .transmit(var bytes):
                // It may hold a PIN, and has no other owner from here on.
                step = .transmit([])
                defer { bytes.wipe() }
                received = try await transferCharacters(bytes, expecting: 1, reader)
            case .receive(let count): received = try await transferCharacters([], expecting: count, reader)
            }
            step = try Self.t0 { () throws(T0Error) in try exchange.received(received) }
        }
    }

    /// Exchanges a T=1 block: its prologue gives the length of the rest.
    ///
    /// - Returns: the card's block, or its beginning when the card stops sending.
    private func exchangeBlockCharacters(
        _ block: [UInt8], _ multiplier: UInt8, _ reader: isolated CCIDReader
    ) async throws(CCIDError) -> [UInt8] {
        var answer = try await transferCharacters(
            block, expecting: Self.prologueLength, reader, multiplier: multiplier)
        guard answer.count == Self.prologueLength, let length = answer.last else { return answer }
        let check = session.errorDetection == .crc ? 2 : 1
        answer += try await transferCharacters([], expecting: Int(length) + check, reader)
        return answer
    }

    /// Sends bytes to the card and takes up to `count` bytes from it.
    ///
    /// - Throws: ``CCIDError``; `failed` with `cardMute` when none came.
    private func transferCharacters(
        _ bytes: [UInt8], expecting count: Int, _ reader: isolated CCIDReader, multiplier: UInt8 = 0
    ) async throws(CCIDError) -> [UInt8] {
        let answer = try await transfer(
            .transferCharacters(bytes, expecting: UInt16(clamping: count), waitingTimeMultiplier: multiplier), reader,
            multiplier: multiplier
        ).payload()
        guard !answer.isEmpty else { throw .failed(.transferBlock, .cardMute) }
        return answer
    }
}
