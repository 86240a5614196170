public import Determinism
import SmartCard
public import USB

extension CCIDReader {
    /// Opens a reader and makes it idle, whatever state an earlier program left it in.
    ///
    /// - Parameters:
    ///   - device: one of the bus's devices.
    ///   - bus: the bus of the device.
    ///   - interface: which of the device's ``CCIDInterface/all(in:quirks:)``; nil takes the first.
    ///   - timing: how long to wait for what.
    ///   - quirks: what is known about readers besides their descriptors.
    ///   - time: the clock for deadlines that span several transfers, and for polling the slot.
    ///   - onRecovery: called with each recovery step as it begins. It must not block.
    /// - Returns: the reader, idle and listened to.
    /// - Throws: ``CCIDError/descriptor(_:)``, ``CCIDError/firmwareRefused(_:fix:)``, ``CCIDError/usb(_:)``,
    ///   ``CCIDError/timedOut(_:)``, ``CCIDError/canceled``, ``CCIDError/readerGone``, ``CCIDError/readerDead``
    public static func open(
        _ device: USBDevice, on bus: any USBBus, interface: CCIDInterface? = nil, timing: CCIDTiming = CCIDTiming(),
        quirks: ReaderQuirkTable = .embedded, time: any TimeSource,
        onRecovery: @escaping @Sendable (CCIDRecoveryStep) -> Void = { _ in }
    ) async throws(CCIDError) -> CCIDReader {
        let transport: any USBTransport
        do throws(USBError) {
            transport = try await bus.open(device)
        } catch {
            throw CCIDError(transfer: error)
        }
        do throws(CCIDError) {
            return try await start(
                transport, interface, timing, quirks.quirks(of: transport.device.descriptor), time, onRecovery)
        } catch {
            await transport.close()
            throw error
        }
    }

    private static func start(
        _ transport: any USBTransport, _ wanted: CCIDInterface?, _ timing: CCIDTiming, _ quirks: ReaderQuirks,
        _ time: any TimeSource, _ onRecovery: @escaping @Sendable (CCIDRecoveryStep) -> Void
    ) async throws(CCIDError) -> CCIDReader {
        if let fix = quirks.refusal {
            throw .firmwareRefused(ReaderRelease(rawValue: transport.device.descriptor.release), fix: fix)
        }
        let present: [CCIDInterface]
        do throws(CCIDDescriptorError) {
            present = try CCIDInterface.all(in: transport.device, quirks)
        } catch {
            throw .descriptor(error)
        }
        let chosen = wanted.map { wanted in present.first { $0.number == wanted.number } } ?? present.first
        guard let interface = chosen else { throw .descriptor(.noInterface) }
        let behavior = ReaderBehavior(quirks, timing)
        let others = behavior.takesEveryInterface ? present.map(\.number).filter { $0 != interface.number } : []
        do throws(USBError) {
            for number in [interface.number] + others { try await transport.claim(interface: number) }
        } catch {
            throw CCIDError(transfer: error)
        }
        let reader = CCIDReader(transport, interface, quirks, behavior, timing, time, onRecovery)
        try await reader.begin()
        return reader
    }
}

extension CCIDError {
    /// The error of the reader for a failed transfer.
    init(transfer error: USBError) {
        switch error {
        case .disconnected: self = .readerGone
        case .canceled: self = .canceled
        default: self = .usb(error)
        }
    }

    /// Whether a card that still moves on the contacts can fail so.
    var mayBeBouncing: Bool {
        switch self {
        case .cardMute, .answerToReset(.notAnATR): true
        case .failed(.powerOn, .hardware), .failed(.powerOn, .busyWithAutoSequence), .failed(.powerOn, .slotBusy): true
        default: false
        }
    }
}
