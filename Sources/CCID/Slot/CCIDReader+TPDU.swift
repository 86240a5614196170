internal import CardSecrets
internal import SmartCard

/// Commands at TPDU level and below: the host runs T=0 and T=1.
extension CCIDReader {
    func exchangeT0(
        _ command: CommandAPDU, _ slot: UInt8, _ time: CCIDCommandTime
    ) async throws(CCIDError) -> ResponseAPDU {
        var mapper: T0CommandMapper
        do throws(T0Error) {
            mapper = try T0CommandMapper(command)
        } catch {
            throw .t0(error)
        }
        let first = mapper.start()
        return try await finishT0(&mapper, consume first, slot, time)
    }

    /// Exchanges a T=0 TPDU: one XfrBlock, or a few at character level.
    private func exchangeTPDU(
        _ tpdu: [UInt8], _ slot: UInt8, _ time: CCIDCommandTime
    ) async throws(CCIDError) -> [UInt8] {
        guard interface.descriptor.level == .character else {
            return try await transfer(tpdu, slot, time).payload()
        }
        return try await exchangeCharacters(tpdu, slot, time)
    }

    /// Exchanges a T=1 block: one XfrBlock, or two at character level.
    private func sendBlock(
        _ block: [UInt8], _ multiplier: UInt8, _ slot: UInt8, _ time: CCIDCommandTime
    ) async throws(CCIDError) -> [UInt8] {
        guard interface.descriptor.level == .character else {
            return try await transfer(block, slot, time, multiplier: multiplier).payload()
        }
        return try await exchangeBlockCharacters(block, multiplier, slot, time)
    }

    /// Runs T=0 from `first` to the card's whole answer.
    func finishT0(
        _ mapper: inout T0CommandMapper, _ first: consuming T0CommandMapper.Step, _ slot: UInt8,
        _ time: CCIDCommandTime
    ) async throws(CCIDError) -> ResponseAPDU {
        var step = first
        while true {
            guard case .exchange(var tpdu) = step else { break }
            // It may hold a PIN, and has no other owner from here on.
            step = .exchange([])
            defer { tpdu.wipe() }
            let answer = try await exchangeTPDU(tpdu, slot, time)
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
        _ command: CommandAPDU, _ slot: UInt8, _ time: CCIDCommandTime
    ) async throws(CCIDError) -> ResponseAPDU {
        var apdu = command.bytes
        let first = slots[Int(slot)].session?.t1?.transmit(apdu) ?? .failed(.unrecoverable)
        apdu.wipe()
        return try Self.response(try await finishT1(consume first, slot, time))
    }

    /// Tells a T=1 card how long the blocks may be that it sends (EMV Book 1 §9.2.4.2.1).
    func negotiateInformationFieldSize(_ slot: UInt8, _ time: CCIDCommandTime) async throws(CCIDError) {
        let size = interface.descriptor.usableIFSD
        let first = slots[Int(slot)].session?.t1?.negotiateInformationFieldSize(size) ?? .failed(.unrecoverable)
        _ = try await finishT1(first, slot, time)
    }

    /// Runs T=1 from `first` to the card's whole answer. Where a reader completed the command itself, this side
    /// has nothing that it could send again when the card did not get it (`mayRepeatCommand`).
    func finishT1(
        _ first: consuming T1InterfaceDevice.Step, _ slot: UInt8, _ time: CCIDCommandTime,
        mayRepeatCommand: Bool = true
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
                step = try await exchangeBlock(block, multiplier, slot, time, &isMute)
            }
        }
    }

    /// Exchanges one block. A block that did not come, or came spoiled, is the protocol's business.
    private func exchangeBlock(
        _ block: [UInt8], _ multiplier: Int, _ slot: UInt8, _ time: CCIDCommandTime, _ isMute: inout Bool
    ) async throws(CCIDError) -> T1InterfaceDevice.Step {
        let index = Int(slot)
        let step: T1InterfaceDevice.Step?
        isMute = false
        do throws(CCIDError) {
            // bBWI 0 stands for the plain block waiting time.
            let answer = try await sendBlock(block, multiplier > 1 ? UInt8(clamping: multiplier) : 0, slot, time)
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
