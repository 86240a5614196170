internal import Determinism
internal import SmartCard

/// Commands at TPDU level and below: the host runs T=0 and T=1.
extension CCIDReader {
    func exchangeT0(
        _ command: CommandAPDU, _ slot: UInt8, _ wait: Duration
    ) async throws(CCIDError) -> ResponseAPDU {
        var mapper: T0CommandMapper
        do throws(T0Error) {
            mapper = try T0CommandMapper(command)
        } catch {
            throw .t0(error)
        }
        let first = mapper.start()
        return try await finishT0(&mapper, first, slot, wait)
    }

    /// Exchanges a T=0 TPDU: one XfrBlock, or a few at character level.
    private func exchangeTPDU(_ tpdu: [UInt8], _ slot: UInt8, _ wait: Duration) async throws(CCIDError) -> [UInt8] {
        guard interface.descriptor.level == .character else {
            return try await transfer(tpdu, slot, wait: wait).payload()
        }
        return try await exchangeCharacters(tpdu, slot, wait)
    }

    /// Exchanges a T=1 block: one XfrBlock, or two at character level.
    private func sendBlock(
        _ block: [UInt8], _ multiplier: UInt8, _ slot: UInt8, _ wait: Duration
    ) async throws(CCIDError) -> [UInt8] {
        guard interface.descriptor.level == .character else {
            return try await transfer(block, slot, wait: wait, multiplier: multiplier).payload()
        }
        return try await exchangeBlockCharacters(block, multiplier, slot, wait)
    }

    /// Runs T=0 from `first` to the card's whole answer.
    func finishT0(
        _ mapper: inout T0CommandMapper, _ first: T0CommandMapper.Step, _ slot: UInt8, _ wait: Duration
    ) async throws(CCIDError) -> ResponseAPDU {
        let start = time.reading()
        var step = first
        while true {
            guard case .exchange(let tpdu) = step else { break }
            guard time.elapsed(since: start) < timing.total else { throw .timedOut(.transferBlock) }
            let answer = try await exchangeTPDU(tpdu, slot, wait)
            do throws(T0Error) {
                step = try mapper.received(answer)
            } catch {
                throw .t0(error)
            }
        }
        guard case .complete(let response) = step else { throw .noEnd(.transferBlock) }
        return response
    }

    func exchangeT1(
        _ command: CommandAPDU, _ slot: UInt8, _ wait: Duration
    ) async throws(CCIDError) -> ResponseAPDU {
        let first = slots[Int(slot)].session?.t1?.transmit(command.bytes) ?? .failed(.unrecoverable)
        return try Self.response(try await finishT1(first, slot, wait))
    }

    /// Tells a T=1 card how long the blocks may be that it sends (EMV Book 1 §9.2.4.2.1).
    func negotiateInformationFieldSize(_ slot: UInt8, _ wait: Duration) async throws(CCIDError) {
        let size = interface.descriptor.usableIFSD
        let first = slots[Int(slot)].session?.t1?.negotiateInformationFieldSize(size) ?? .failed(.unrecoverable)
        _ = try await finishT1(first, slot, wait)
    }

    /// Runs T=1 from `first` to the card's whole answer. Where a reader completed the command itself, this side
    /// has nothing that it could send again when the card did not get it (`mayRepeatCommand`).
    func finishT1(
        _ first: T1InterfaceDevice.Step, _ slot: UInt8, _ wait: Duration, mayRepeatCommand: Bool = true
    ) async throws(CCIDError) -> [UInt8] {
        let start = time.reading()
        var step = first
        var isMute = false
        while true {
            switch step {
            case .complete(let answer): return answer
            case .failed(let error): throw isMute ? .cardMute : .t1(error)
            case .send(let block, let multiplier):
                // The control byte of an I-block has no b8.
                guard mayRepeatCommand || block.dropFirst().first.map({ $0 & 0x80 != 0 }) ?? false else {
                    throw .t1(.unrecoverable)
                }
                guard time.elapsed(since: start) < timing.total else { throw .timedOut(.transferBlock) }
                step = try await exchangeBlock(block, multiplier, slot, wait, &isMute)
            }
        }
    }

    /// Exchanges one block. A block that did not come, or came spoiled, is the protocol's business.
    private func exchangeBlock(
        _ block: [UInt8], _ multiplier: Int, _ slot: UInt8, _ wait: Duration, _ isMute: inout Bool
    ) async throws(CCIDError) -> T1InterfaceDevice.Step {
        let index = Int(slot)
        let step: T1InterfaceDevice.Step?
        isMute = false
        do throws(CCIDError) {
            // bBWI 0 stands for the plain block waiting time.
            let answer = try await sendBlock(
                block, multiplier > 1 ? UInt8(clamping: multiplier) : 0, slot,
                min(wait * max(1, multiplier), max(wait, timing.total)))
            step = slots[index].session?.t1?.received(answer)
        } catch {
            switch error {
            case .failed(_, .cardMute):
                isMute = true
                step = slots[index].session?.t1?.timedOut()
            case .failed(_, .parity), .failed(_, .overrun): step = slots[index].session?.t1?.received([])
            default: throw error
            }
        }
        // Without a session the reader was reset meanwhile.
        guard let step else { throw .cardNotPowered }
        return step
    }
}
