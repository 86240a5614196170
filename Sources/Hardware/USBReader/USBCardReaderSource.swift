public import CCID
public import Determinism
internal import MSR
public import USB

/// The card readers on a USB bus, driven by this program itself.
///
/// A chip card reader takes stripes too when it has a head for them, or when a magnetic stripe reader is plugged in
/// beside it.
public struct USBCardReaderSource: CardReaderSource {
    private let bus: any USBBus
    private let quirks: ReaderQuirkTable
    private let time: any TimeSource
    private let magneticStripe: MagneticStripePolicy

    /// - Parameters:
    ///   - bus: where readers are.
    ///   - quirks: what is known of chip card readers besides their descriptors.
    ///   - time: measures the driver's waits.
    ///   - magneticStripe: whether stripes are read, and how.
    public init(
        _ bus: any USBBus, quirks: ReaderQuirkTable = .embedded, time: any TimeSource,
        magneticStripe: MagneticStripePolicy = MagneticStripePolicy()
    ) {
        (self.bus, self.quirks, self.time, self.magneticStripe) = (bus, quirks, time, magneticStripe)
    }

    public var discoveryMethod: CardReaderDiscoveryMethod { .usb }

    public var readerTypes: Set<CardReaderType> { magneticStripe.isEnabled ? [.ccid, .magneticStripe] : [.ccid] }

    public func readers() async throws(UnderlyingError) -> [CardReader] {
        try await devices().flatMap { readers(in: $0) }
    }

    public func changes() -> any AsyncSequence<CardReaderChange, Never> & Sendable {
        USBReaderChanges(events: bus.hotplugEvents()) { readers(in: $0) }
    }

    public func open(_ reader: CardReader) async throws(UnderlyingError) -> any CardReaderSession {
        let device = try await devices().first { readers(in: $0).contains { $0.id == reader.id } }
        guard let device else { throw .readerDisconnected }
        if reader.readerType == .magneticStripe {
            guard let interface = stripe(in: device) else { throw .readerIncompatible(MSRError.noReader.description) }
            return try await StripeReaderSession.open(device, interface, on: bus, path: magneticStripe.path)
        }
        let status = try? await bus.status(of: device)
        let interfaces = (try? CCIDInterface.all(in: device, quirks: quirks)) ?? []
        let interface = interfaces.dropFirst(CardReader.number(of: reader.id)).first
        let recovery = RecoveryObserver()
        let chip: CCIDReaderSession
        do throws(CCIDError) {
            let driver = try await CCIDReader.open(
                device, on: bus, interface: interface, quirks: quirks, time: time, onRecovery: recovery.tell)
            chip = CCIDReaderSession(
                driver, on: bus, battery: .of(reader.usbID), status: status, recovery: recovery)
        } catch {
            guard error == .usb(.busy) || error == .usb(.accessDenied) else { throw UnderlyingError(error) }
            throw UnderlyingError(
                error, status: status, owners: await bus.owners(of: device, interface: interface?.number))
        }
        guard magneticStripe.isEnabled else { return chip }
        return ChipAndStripeSession(chip: chip, stripe: await stripe(beside: device)) { await stripe(beside: device) }
    }

    /// Opens the stripe reader in the same device as the chip reader, or one that is plugged in beside it.
    ///
    /// - Returns: nil when there is none, or none that can be opened: chip cards are taken all the same.
    private func stripe(beside chip: USBDevice) async -> StripeReaderSession? {
        let devices = (try? await devices()) ?? []
        // Its own first.
        let own = devices.filter { $0.bus == chip.bus && $0.address == chip.address }
        for device in own + devices.filter({ readers(in: $0).first?.inputs == .swipe }) {
            guard let interface = stripe(in: device) else { continue }
            let session = try? await StripeReaderSession.open(device, interface, on: bus, path: magneticStripe.path)
            if let session { return session }
        }
        return nil
    }

    private func stripe(in device: USBDevice) -> MSRInterface? {
        MSRInterface.find(in: device, models: magneticStripe.readers)
    }

    /// The readers in a device, as far as their cards are taken.
    private func readers(in device: USBDevice) -> [CardReader] {
        CardReader.all(in: device, stripeReaders: magneticStripe.readers, quirks: quirks).compactMap { reader in
            var reader = reader
            if !magneticStripe.isEnabled { reader.inputs.remove(.swipe) }
            return reader.inputs.isEmpty ? nil : reader
        }
    }

    private func devices() async throws(UnderlyingError) -> [USBDevice] {
        do throws(USBError) {
            return try await bus.devices()
        } catch {
            throw .readerCommunicationError(error.description)
        }
    }
}
