import DFU
import Simulator
import Synchronization
import USB

@testable import Hardware

/// The readers of a simulated bus, with actions at certain moments of an update.
final class MeddlingSource: FirmwareSource {
    typealias Action = @Sendable (DFUCommitment) async -> Void

    /// When something is done.
    enum Moment: Hashable { case before, after, opening(Int) }

    private struct State {
        var source: USBCardReaderSource?
        var commitment: DFUCommitment?
        var actions: [Moment: Action] = [:]
        var openings = 0
    }

    private let state = Mutex(State())
    /// Whether the reader may be opened in update mode.
    let mayOpen: Bool

    init(mayOpen: Bool = true) { self.mayOpen = mayOpen }

    /// Sets an action: before an update, after it, or when the bus opens a device for it, counted from 1.
    func at(_ moment: Moment, _ action: @escaping Action) { state.withLock { $0.actions[moment] = action } }

    /// Goes between the service and its readers.
    func wrap(_ source: USBCardReaderSource) -> MeddlingSource {
        state.withLock { $0.source = source }
        return self
    }

    /// Goes between the readers and their bus.
    func wrap(_ bus: SimulatedUSBBus) -> any USBBus {
        WatchedBus(bus: bus, isOpen: mayOpen) { [weak self] in
            guard let self else { return }
            let opening = state.withLock { state -> Int? in
                guard state.commitment != nil else { return nil }
                state.openings += 1
                return state.openings
            }
            if let opening { await meddle(.opening(opening)) }
        }
    }

    private func meddle(_ moment: Moment) async {
        let (action, commitment) = state.withLock { ($0.actions.removeValue(forKey: moment), $0.commitment) }
        if let action, let commitment { await action(commitment) }
    }

    private var source: USBCardReaderSource {
        get throws(UnderlyingError) {
            guard let source = state.withLock({ $0.source }) else { throw .internalServiceError("nothing is wrapped") }
            return source
        }
    }

    // MARK: FirmwareSource

    func install(
        _ update: ReaderFirmwareUpdate, on reader: CardReader, commitment: DFUCommitment,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws(UnderlyingError) -> CardReader {
        state.withLock { ($0.commitment, $0.openings) = (commitment, 0) }
        defer { state.withLock { $0.commitment = nil } }
        await meddle(.before)
        let updated = try await source.install(update, on: reader, commitment: commitment, onProgress: onProgress)
        await meddle(.after)
        return updated
    }

    func update(for reader: CardReader) async -> ReaderFirmwareUpdate? {
        await state.withLock { $0.source }?.update(for: reader)
    }

    var discoveryMethod: CardReaderDiscoveryMethod { .usb }
    var readerTypes: Set<CardReaderType> { [.ccid] }
    func readers() async throws(UnderlyingError) -> [CardReader] { try await source.readers() }
    func open(_ reader: CardReader) async throws(UnderlyingError) -> any CardReaderSession {
        try await source.open(reader)
    }

    func changes() -> any AsyncSequence<CardReaderChange, Never> & Sendable {
        state.withLock { $0.source }?.changes() ?? AsyncStream<CardReaderChange> { nil }
    }
}

/// A bus that calls a closure before it opens a device.
private struct WatchedBus: USBBus {
    let bus: SimulatedUSBBus
    let isOpen: Bool
    let onOpening: @Sendable () async -> Void

    func mayOpen(vendorID: UInt16, productID: UInt16) async -> Bool { isOpen || productID != 0x000E }
    func devices() async throws(USBError) -> [USBDevice] { try await bus.devices() }
    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { bus.hotplugEvents() }
    func status(of device: USBDevice) async throws(USBError) -> USBDeviceStatus { try await bus.status(of: device) }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        await onOpening()
        return try await bus.open(device)
    }
}
