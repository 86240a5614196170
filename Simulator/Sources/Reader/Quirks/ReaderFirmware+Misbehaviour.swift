internal import Determinism
internal import SmartCard

/// Where the firmware goes wrong before it has looked at a command.
extension ReaderFirmware {
    /// Whether the firmware takes a command; it may hang on this one.
    mutating func isAwake(for command: ReaderCommand, at now: Timestamp) -> Bool {
        let fault = model.misbehaviour
        if now < started.advanced(by: fault.deafTime) || hangs(on: command) { isHanging = true }
        if command.type == 0x72, fault.diesOnAbort { isDead = true }
        return !isHanging && !isDead
    }

    private func hangs(on command: ReaderCommand) -> Bool {
        let fault = model.misbehaviour
        guard command.type == 0x6F, model.actualLevel == .tpdu else { return false }
        // A PPS begins with FF, which is no class byte; S(IFS request) has the control byte C1.
        return fault.hangsOnProtocolSelection && command.data.first == 0xFF
            || fault.hangsOnIFSDNegotiation && command.data.count == 5 && command.data[1] == 0xC1
    }

    /// The host let go of the device a while ago, and the kernel suspended it.
    mutating func wake(afterClosedFor pause: Duration) {
        if let limit = model.misbehaviour.losesItselfWhenClosed, pause >= limit { isHanging = true }
    }

    /// Whether an exchange with a card goes wrong at the rate that the host has set.
    static func isTooFast(_ parameters: ReaderParameters, _ model: SimulatedReaderModel) -> Bool {
        guard let limit = model.misbehaviour.reliableDataRate, let byte = parameters.bytes.first,
            let rate = TransmissionRate(rateByte: byte)
        else { return false }
        return Int(SimulatedReaderModel.clock) * 1000 * rate.baudRateAdjustment / rate.clockRateConversion > limit
    }
}
