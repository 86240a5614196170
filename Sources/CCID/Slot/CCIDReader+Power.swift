internal import Determinism
internal import SmartCard

extension CCIDReader {
    /// How often a card is powered before it is given up.
    static let powerOnAttempts = 3

    /// Powers the card in a slot and agrees on a protocol with it: cold reset at the first voltage at
    /// which it answers, a warm reset if the answer breaks the rules (EMV Book 1 §8.4), PPS and parameters
    /// as far as the reader leaves them to the host. A card that was powered is reset; its channel is void.
    ///
    /// A card that does not answer, or not with an answer to reset, gets ``powerOnAttempts`` tries: one that was put in
    /// again quickly may still be moving. Then the cardholder has to insert it again.
    ///
    /// - Throws: ``CCIDError``; the card is without power then.
    public func powerOn(slot: UInt8 = 0) async throws(CCIDError) -> CCIDCardChannel {
        let index = try index(slot)
        try await enter(index)
        defer { slots[index].gate.release() }
        slots[index].session = nil
        do throws(CCIDError) {
            var attempt = 1
            while true {
                guard try await queryStatus(slot) != .absent else { throw .cardAbsent }
                do throws(CCIDError) {
                    return try await activate(slot)
                } catch {
                    guard attempt < Self.powerOnAttempts, error.mayBeBouncing else { throw error }
                }
                attempt += 1
                try await switchOff(slot)
                try await pause(timing.contactPause)
            }
        } catch {
            slots[index].session = nil
            // Also in a cancelled task no card stays half activated.
            if lifetime == .open, slots[index].card != .absent {
                await Task { _ = try? await exchange(.powerOff, slot: slot, wait: timing.command) }.value
            }
            throw error
        }
    }

    /// Takes the power from the card. Works in a cancelled task too.
    ///
    /// - Throws: ``CCIDError``; an empty slot is no error.
    public func powerOff(slot: UInt8 = 0) async throws(CCIDError) {
        let index = try index(slot)
        let result = await Task { () -> Result<Void, CCIDError> in
            do throws(CCIDError) {
                try await enter(index)
                defer { slots[index].gate.release() }
                // Off, every card looks alike: whether it was out has to be asked before.
                try? await settleDoubt(slot)
                slots[index].session = nil
                try await switchOff(slot)
                return .success(())
            } catch {
                return .failure(error)
            }
        }.value
        try result.get()
    }

    private func switchOff(_ slot: UInt8) async throws(CCIDError) {
        let status = try await exchange(.powerOff, slot: slot, wait: timing.command).header.status
        if case .failed(let error) = status.outcome, status.card == .active { throw .failed(.powerOff, error) }
    }

    private func activate(_ slot: UInt8) async throws(CCIDError) -> CCIDCardChannel {
        do throws(CCIDError) {
            return try await activate(slot, usesDefaults: !behaviour.selectsProtocol)
        } catch {
            guard error == .protocolSelectionRefused else { throw error }
            return try await activate(slot, usesDefaults: true)
        }
    }

    private func activate(_ slot: UInt8, usesDefaults: Bool) async throws(CCIDError) -> CCIDCardChannel {
        let index = Int(slot)
        // Power-on of an active card is a warm reset.
        if slots[index].card == .active { try await switchOff(slot) }
        var removals = slots[index].removals
        let atr = try await reset(slot)
        // What was told until here was before the card answered. A reader that powers cards by itself may have done so
        // with another one since.
        if !activatesByItself { removals = slots[index].removals }
        let agreed = try await agree(slot, atr, usesDefaults: usesDefaults)
        // The waiting time is the card's word, and may be most of an hour.
        let wait = min(max(timing.exchange, waitingTime(atr, agreed) + .seconds(1)), timing.total)
        slots[index].activations += 1
        slots[index].poweredRemovals = removals
        slots[index].session = CCIDCardSession(
            activation: slots[index].activations, removals: removals, transmissionProtocol: agreed,
            wait: wait, errorDetection: atr.errorDetection)
        if interface.descriptor.level.leavesProtocolToHost, agreed == 1 {
            slots[index].session?.t1 = T1InterfaceDevice(
                cardInformationFieldSize: atr.cardInformationFieldSize, errorDetection: atr.errorDetection)
            if !interface.descriptor.features.contains(.automaticIFSD) {
                try await negotiateInformationFieldSize(
                    slot, CCIDCommandTime(wait, total: timing.total, time))
            }
        }
        guard slots[index].removals == removals else { throw .cardAbsent }
        return CCIDCardChannel(
            reader: self, slot: slot, activation: slots[index].activations, atr: atr, transmissionProtocol: agreed)
    }

    /// The card's longest silence at the initial rate, with a clock that a reader may have got wrong.
    private func waitingTime(_ atr: ATR, _ transmissionProtocol: UInt8) -> Duration {
        let clock = Int(max(1_000, interface.descriptor.defaultClock)) * 1000
        return transmissionProtocol == 1
            ? atr.blockWaitingTime(clockHertz: clock) : atr.workWaitingTime(clockHertz: clock)
    }

    // MARK: Reset

    private func reset(_ slot: UInt8) async throws(CCIDError) -> ATR {
        var (bytes, power) = try await coldReset(slot)
        var verdict = EMVATRRules.verdict(on: bytes, after: .cold)
        if case .warmReset = verdict {
            bytes = try await warmReset(slot, power)
            verdict = EMVATRRules.verdict(on: bytes, after: .warm)
        }
        switch verdict {
        case .accept: break
        case .warmReset(let reason), .deactivate(let reason): throw .answerToReset(reason)
        }
        do throws(ATRError) {
            return try ATR(bytes)
        } catch {
            throw .answerToReset(.notAnATR(error))
        }
    }

    /// The voltages to try, in order.
    private var voltages: [CCIDPowerSelection] {
        let descriptor = interface.descriptor
        if descriptor.features.contains(.automaticVoltage) { return [.automatic] }
        let ladder: [(CCIDVoltages, CCIDPowerSelection)] = [
            (.volts5, .volts5), (.volts3, .volts3), (.volts1_8, .volts1_8),
        ]
        let supported = ladder.filter { descriptor.voltages.contains($0.0) }.map(\.1)
        return supported.isEmpty ? [.volts5] : supported
    }

    /// The ATR, which is empty when the reader itself found it wrong, and the voltage at which it came.
    private func coldReset(_ slot: UInt8) async throws(CCIDError) -> ([UInt8], CCIDPowerSelection) {
        for (position, power) in voltages.enumerated() {
            if position > 0 {
                try await switchOff(slot)
                try await pause(timing.powerOffPause)
            }
            let reply = try await exchange(.powerOn(power), slot: slot, wait: timing.powerOn)
            guard reply.header.status.card != .absent else { throw .cardAbsent }
            // Readers append bytes to a failure: only a command that is done has an ATR.
            guard case .failed(let error) = reply.header.status.outcome else { return (reply.payload(), power) }
            switch error {
            case .cardMute, .badField(offset: 7): continue
            case .badATRStart, .badATRCheck, .parity: return ([], power)
            default: throw .failed(.powerOn, error)
            }
        }
        throw .cardMute
    }

    private func warmReset(_ slot: UInt8, _ power: CCIDPowerSelection) async throws(CCIDError) -> [UInt8] {
        let reply = try await exchange(.powerOn(power), slot: slot, wait: timing.powerOn)
        guard reply.header.status.card != .absent else { throw .cardAbsent }
        guard case .failed(let error) = reply.header.status.outcome else { return reply.payload() }
        throw error == .cardMute ? .cardMute : .failed(.powerOn, error)
    }

    // MARK: Protocol and parameters

    /// Returns the protocol that card and reader use from now on.
    private func agree(_ slot: UInt8, _ atr: ATR, usesDefaults: Bool) async throws(CCIDError) -> UInt8 {
        let descriptor = interface.descriptor
        var choice = try CCIDProtocolChoice(atr: atr, reader: descriptor, usesDefaults: usesDefaults)
        if descriptor.features.contains(.automaticNegotiation) {
            guard atr.specificMode == nil, atr.offeredProtocols.count > 1 else { return choice.transmissionProtocol }
            return try await currentProtocol(slot) ?? choice.transmissionProtocol
        }
        if choice.needsPPS, !descriptor.features.contains(.automaticPPS) {
            choice.rates = try await selectProtocol(slot, choice)
        }
        let status = try await exchange(
            .setParameters(choice.parameters(atr)), slot: slot, wait: timing.command
        ).header.status
        guard status.card != .absent else { throw .cardAbsent }
        if case .failed(let error) = status.outcome {
            // With automatic PPS the reader speaks to the card here.
            if choice.needsPPS, !usesDefaults { throw .protocolSelectionRefused }
            guard error == .commandNotSupported, descriptor.features.contains(.automaticParameters) else {
                throw .failed(.setParameters, error)
            }
        }
        return choice.transmissionProtocol
    }

    /// The protocol that a reader settled on by itself; nil when it does not say.
    private func currentProtocol(_ slot: UInt8) async throws(CCIDError) -> UInt8? {
        let reply = try await exchange(.getParameters, slot: slot, wait: timing.command)
        guard reply.header.type == .parameters, reply.header.status.outcome == .done, reply.header.specific < 2
        else { return nil }
        return reply.header.specific
    }

    /// Sends a PPS as a block and returns the rates that the card agreed to.
    private func selectProtocol(_ slot: UInt8, _ choice: CCIDProtocolChoice) async throws(CCIDError) -> UInt8 {
        let request = ProtocolParameterSelection(
            transmissionProtocol: choice.transmissionProtocol, pps1: choice.rates == 0x11 ? nil : choice.rates)
        let reply = try await exchange(.transferBlock(request.bytes), slot: slot, wait: timing.exchange)
        let status = reply.header.status
        guard status.card != .absent else { throw .cardAbsent }
        guard status.outcome == .done, let response = try? ProtocolParameterSelection(bytes: reply.payload()),
            request.agreedRate(response) != nil
        else { throw .protocolSelectionRefused }
        return response.pps1 ?? 0x11
    }
}

extension CCIDError {
    /// Whether a card that is not at rest on the contacts fails so.
    fileprivate var mayBeBouncing: Bool {
        switch self {
        case .cardMute, .answerToReset(.notAnATR): true
        case .failed(.powerOn, .hardware), .failed(.powerOn, .busyWithAutoSequence), .failed(.powerOn, .slotBusy): true
        default: false
        }
    }
}
