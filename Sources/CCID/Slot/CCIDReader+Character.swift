internal import CardSecrets
internal import SmartCard

/// Commands at character level: the reader carries bytes and knows nothing of what they mean. Each XfrBlock says how
/// many bytes of the card are wanted back (CCID 1.1 §6.1.4), so only as many are asked for as are sure to come.
extension CCIDReader {
    /// Bytes of a T=1 block before its information: node address, control byte, length.
    private static let prologueLength = 3

    /// Exchanges a T=0 TPDU byte by byte: header, procedure bytes, data, status (ISO/IEC 7816-3 §10.3).
    func exchangeCharacters(
        _ tpdu: [UInt8], _ slot: UInt8, _ time: CCIDCommandTime
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
                received = try await transferCharacters(bytes, expecting: 1, slot, time)
            case .receive(let count): received = try await transferCharacters([], expecting: count, slot, time)
            }
            step = try Self.t0 { () throws(T0Error) in try exchange.received(received) }
        }
    }

    /// Exchanges a T=1 block: its prologue tells how much more there is.
    ///
    /// - Returns: the card's block; less of it when the card falls silent.
    func exchangeBlockCharacters(
        _ block: [UInt8], _ multiplier: UInt8, _ slot: UInt8, _ time: CCIDCommandTime
    ) async throws(CCIDError) -> [UInt8] {
        var answer = try await transferCharacters(
            block, expecting: Self.prologueLength, slot, time, multiplier: multiplier)
        guard answer.count == Self.prologueLength, let length = answer.last else { return answer }
        let check = slots[Int(slot)].session?.errorDetection == .crc ? 2 : 1
        answer += try await transferCharacters([], expecting: Int(length) + check, slot, time)
        return answer
    }

    /// Sends bytes to the card and takes up to `count` of its bytes.
    ///
    /// - Throws: ``CCIDError``; `failed` with `cardMute` when none came.
    private func transferCharacters(
        _ bytes: [UInt8], expecting count: Int, _ slot: UInt8, _ time: CCIDCommandTime, multiplier: UInt8 = 0
    ) async throws(CCIDError) -> [UInt8] {
        let answer = try await transfer(
            .transferCharacters(bytes, expecting: UInt16(clamping: count), waitingTimeMultiplier: multiplier), slot,
            time, multiplier: multiplier
        ).payload()
        guard !answer.isEmpty else { throw .failed(.transferBlock, .cardMute) }
        return answer
    }

    private static func t0<Value>(_ body: () throws(T0Error) -> Value) throws(CCIDError) -> Value {
        do throws(T0Error) {
            return try body()
        } catch {
            throw .t0(error)
        }
    }
}
