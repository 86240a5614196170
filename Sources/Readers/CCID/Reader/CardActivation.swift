import SmartCard

/// Activates a card: resets it and agrees on a protocol and its parameters, as far as the reader leaves them to the
/// host.
struct CardActivation {
    let slot: UInt8

    // MARK: Reset

    /// Resets the card: cold at the first voltage at which it answers, then warm if the answer breaks the rules (EMV
    /// Book 1 §8.4). The answer that a contactless reader makes for a card follows no such rule.
    ///
    /// - Throws: ``CCIDError``
    func reset(_ reader: isolated CCIDReader) async throws(CCIDError) -> ATR {
        var (bytes, power) = try await coldReset(reader)
        if reader.slots[Int(slot)].isContactless {
            do throws(ATRError) { return try ATR(bytes) } catch { throw .answerToReset(.notAnATR(error)) }
        }
        var verdict = EMVATRRules.verdict(on: bytes, after: .cold)
        if case .warmReset = verdict {
            bytes = try await warmReset(reader, power)
            verdict = EMVATRRules.verdict(on: bytes, after: .warm)
        }
        do throws(EMVATRRules.Reason) { return try verdict.atr(bytes) } catch { throw .answerToReset(error) }
    }

    /// Returns the ATR, which is empty when the reader itself found it wrong, and the voltage at which it came.
    private func coldReset(
        _ reader: isolated CCIDReader
    ) async throws(CCIDError) -> ([UInt8], CCIDPowerSelection) {
        for (position, power) in Self.voltages(of: reader.interface.descriptor).enumerated() {
            if position > 0 {
                try await reader.switchOff(slot)
                try await reader.pause(reader.timing.powerOffPause)
            }
            let reply = try await reader.exchange(.powerOn(power), slot: slot, wait: reader.timing.powerOn)
            guard reply.header.status.card != .absent else { throw .cardAbsent }
            // Readers append bytes to a failure: only a successful command has an ATR.
            guard case .failed(let error) = reply.header.status.outcome else { return (reply.payload(), power) }
            switch error {
            case .cardMute, .badField(offset: 7): continue
            case .badATRStart, .badATRCheck, .parity: return ([], power)
            default: throw .failed(.powerOn, error)
            }
        }
        throw .cardMute
    }

    private func warmReset(
        _ reader: isolated CCIDReader, _ power: CCIDPowerSelection
    ) async throws(CCIDError) -> [UInt8] {
        let reply = try await reader.exchange(.powerOn(power), slot: slot, wait: reader.timing.powerOn)
        guard reply.header.status.card != .absent else { throw .cardAbsent }
        guard case .failed(let error) = reply.header.status.outcome else { return reply.payload() }
        throw error == .cardMute ? .cardMute : .failed(.powerOn, error)
    }

    /// Returns the voltages to try, in order.
    static func voltages(of descriptor: CCIDClassDescriptor) -> [CCIDPowerSelection] {
        if descriptor.features.contains(.automaticVoltage) { return [.automatic] }
        let ladder: [(CCIDVoltages, CCIDPowerSelection)] = [
            (.volts5, .volts5), (.volts3, .volts3), (.volts1_8, .volts1_8),
        ]
        let supported = ladder.filter { descriptor.voltages.contains($0.0) }.map(\.1)
        return supported.isEmpty ? [.volts5] : supported
    }

    // MARK: Protocol and parameters

    /// Agrees on protocol and parameters.
    ///
    /// - Parameters:
    ///   - reader: the reader of the slot.
    ///   - atr: the card's answer to reset.
    ///   - usesDefaults: use the card's defaults, without a PPS.
    /// - Returns: the protocol that card and reader use from now on.
    /// - Throws: ``CCIDError``
    func agree(_ reader: isolated CCIDReader, _ atr: ATR, usesDefaults: Bool) async throws(CCIDError) -> UInt8 {
        let descriptor = reader.interface.descriptor
        var choice = try CCIDProtocolChoice(atr: atr, reader: descriptor, usesDefaults: usesDefaults)
        if descriptor.features.contains(.automaticNegotiation) {
            guard atr.specificMode == nil, atr.offeredProtocols.count > 1 else { return choice.transmissionProtocol }
            return try await currentProtocol(reader) ?? choice.transmissionProtocol
        }
        if choice.needsPPS, !descriptor.features.contains(.automaticPPS) {
            choice.rates = try await selectProtocol(reader, choice)
        }
        let status = try await reader.exchange(
            .setParameters(choice.parameters(atr)), slot: slot, wait: reader.timing.command
        ).header.status
        guard status.card != .absent else { throw .cardAbsent }
        if case .failed(let error) = status.outcome {
            // With automatic PPS the reader talks to the card here.
            if choice.needsPPS, !usesDefaults { throw .protocolSelectionRefused }
            guard error == .commandNotSupported, descriptor.features.contains(.automaticParameters) else {
                throw .failed(.setParameters, error)
            }
        }
        return choice.transmissionProtocol
    }

    /// Returns the protocol that a reader selected by itself; nil when it does not say.
    private func currentProtocol(_ reader: isolated CCIDReader) async throws(CCIDError) -> UInt8? {
        let reply = try await reader.exchange(.getParameters, slot: slot, wait: reader.timing.command)
        guard reply.header.type == .parameters, reply.header.status.outcome == .done, reply.header.specific < 2
        else { return nil }
        return reply.header.specific
    }

    /// Sends a PPS as a block and returns the rates that the card agreed to.
    private func selectProtocol(
        _ reader: isolated CCIDReader, _ choice: CCIDProtocolChoice
    ) async throws(CCIDError) -> UInt8 {
        let request = ProtocolParameterSelection(
            transmissionProtocol: choice.transmissionProtocol, pps1: choice.rates == 0x11 ? nil : choice.rates)
        let reply = try await reader.exchange(.transferBlock(request.bytes), slot: slot, wait: reader.timing.exchange)
        let status = reply.header.status
        guard status.card != .absent else { throw .cardAbsent }
        guard status.outcome == .done, let response = try? ProtocolParameterSelection(bytes: reply.payload()),
            request.agreedRate(response) != nil
        else { throw .protocolSelectionRefused }
        return response.pps1 ?? 0x11
    }

    /// Returns the longest time that the card may take to answer, at the initial rate and with a plausible clock.
    static func waitingTime(_ atr: ATR, _ transmissionProtocol: UInt8, _ descriptor: CCIDClassDescriptor) -> Duration {
        let clock = Int(max(1_000, descriptor.defaultClock)) * 1000
        return transmissionProtocol == 1
            ? atr.blockWaitingTime(clockHertz: clock) : atr.workWaitingTime(clockHertz: clock)
    }
}

/// The transmission protocol and rate for a card in a reader (ISO/IEC 7816-3 §6.3; CCID 1.1 §5.1).
struct CCIDProtocolChoice: Hashable, Sendable {
    /// 0 or 1.
    let transmissionProtocol: UInt8
    /// FI and DI as in TA1.
    var rates: UInt8
    /// Whether the card has to agree by a PPS first.
    let needsPPS: Bool

    private static let initialRates: UInt8 = 0x11

    /// Chooses the protocol of TA2 in specific mode; otherwise the first offered one that the reader supports, at the
    /// rate of TA1 if the reader is fast enough. Without a way to send a PPS, chooses the card's defaults.
    ///
    /// - Parameters:
    ///   - atr: the card's answer to reset.
    ///   - reader: the reader's class descriptor.
    ///   - usesDefaults: use the card's defaults, because it refused the PPS.
    /// - Throws: ``CCIDError/noCommonProtocol``
    init(atr: ATR, reader: CCIDClassDescriptor, usesDefaults: Bool = false) throws(CCIDError) {
        func isSupported(_ number: UInt8) -> Bool {
            number < 2 && reader.protocols.rawValue >> UInt32(number) & 1 != 0
        }
        if let mode = atr.specificMode {
            guard isSupported(mode.transmissionProtocol) else { throw .noCommonProtocol }
            transmissionProtocol = mode.transmissionProtocol
            rates = mode.usesImplicitParameters ? Self.initialRates : atr.rateByte
            needsPPS = false
            return
        }
        let canSelect = reader.features.contains(.automaticPPS) || reader.level == .tpdu
        guard canSelect, !usesDefaults else {
            guard isSupported(atr.defaultProtocol) else { throw .noCommonProtocol }
            (transmissionProtocol, rates, needsPPS) = (atr.defaultProtocol, Self.initialRates, false)
            return
        }
        guard let offered = atr.offeredProtocols.first(where: isSupported) else { throw .noCommonProtocol }
        transmissionProtocol = offered
        rates = Self.isFastEnough(reader, for: atr) ? atr.rateByte : Self.initialRates
        needsPPS = offered != atr.defaultProtocol || rates != Self.initialRates
    }

    private static func isFastEnough(_ reader: CCIDClassDescriptor, for atr: ATR) -> Bool {
        guard let rate = atr.offeredRate else { return false }
        let bitsPerSecond =
            Int(reader.defaultClock) * 1000 * rate.baudRateAdjustment / rate.clockRateConversion
        return bitsPerSecond <= Int(reader.maximumDataRate)
    }

    /// Returns the parameters for SetParameters.
    func parameters(_ atr: ATR) -> CCIDParameters {
        let inverse: UInt8 = atr.convention == .inverse ? 2 : 0
        guard transmissionProtocol == 1 else {
            return .t0(
                CCIDT0Parameters(
                    rates: rates, convention: inverse, guardTime: atr.extraGuardTime,
                    waitingInteger: atr.waitingTimeInteger, clockStop: atr.clockStop.rawValue))
        }
        let check: UInt8 = atr.errorDetection == .crc ? 1 : 0
        return .t1(
            CCIDT1Parameters(
                rates: rates, convention: 0x10 | inverse | check, guardTime: atr.extraGuardTime,
                waitingIntegers: atr.blockWaitingTimeInteger << 4 | atr.characterWaitingTimeInteger,
                clockStop: atr.clockStop.rawValue, informationFieldSize: atr.cardInformationFieldSize))
    }
}
