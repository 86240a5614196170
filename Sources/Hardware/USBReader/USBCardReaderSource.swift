public import CCID
public import Determinism
internal import MSR
public import USB

/// The card readers on a USB bus, driven by this program itself.
///
/// A chip card reader takes stripes too when it has a head for them, or when a magnetic stripe reader is plugged in
/// beside it.
public struct USBCardReaderSource: CardReaderSource {
    let bus: any USBBus
    private let quirks: ReaderQuirkTable
    let firmware: ReaderFirmwareCatalogue
    let time: any TimeSource
    private let magneticStripe: MagneticStripePolicy

    /// - Parameters:
    ///   - bus: where readers are.
    ///   - quirks: what is known of chip card readers besides their descriptors.
    ///   - firmware: what there is for readers that take firmware.
    ///   - time: measures the driver's waits.
    ///   - magneticStripe: whether stripes are read, and how.
    public init(
        _ bus: any USBBus, quirks: ReaderQuirkTable = .embedded,
        firmware: ReaderFirmwareCatalogue = ReaderFirmwareCatalogue(), time: any TimeSource,
        magneticStripe: MagneticStripePolicy = MagneticStripePolicy()
    ) {
        (self.bus, self.quirks, self.firmware) = (bus, quirks, firmware)
        (self.time, self.magneticStripe) = (time, magneticStripe)
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
        guard firmware.update(awaitedBy: device) == nil else {
            throw .readerIncompatible("it has no firmware that runs; connecting it finishes the update")
        }
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
        return ChipAndStripeSession(chip: chip) { await stripe(beside: device) }
    }

    /// Opens the stripe reader in the same device as the chip reader, or one that is plugged in beside it. Where that
    /// fails chip cards are taken all the same.
    private func stripe(beside chip: USBDevice) async -> StripeSearch {
        let devices = (try? await devices()) ?? []
        var fault: UnderlyingError?
        // Its own first.
        let own = devices.filter { $0.bus == chip.bus && $0.address == chip.address }
        for device in own + devices.filter({ readers(in: $0).first?.inputs == .swipe }) {
            guard let interface = stripe(in: device) else { continue }
            do throws(UnderlyingError) {
                return .opened(
                    try await StripeReaderSession.open(device, interface, on: bus, path: magneticStripe.path))
            } catch {
                fault = fault ?? error
            }
        }
        return fault.map { .failed($0) } ?? .nothing
    }

    private func stripe(in device: USBDevice) -> MSRInterface? {
        MSRInterface.find(in: device, models: magneticStripe.readers)
    }

    /// The readers in a device, as far as their cards are taken.
    func readers(in device: USBDevice) -> [CardReader] {
        if let update = firmware.update(awaitedBy: device) { return [CardReader(device, awaiting: update.firmware)] }
        return CardReader.all(in: device, magneticStripe: magneticStripe, quirks: quirks)
    }

    func devices() async throws(UnderlyingError) -> [USBDevice] {
        do throws(USBError) {
            guard magneticStripe.isEnabled else { return try await bus.devices() }
            return try await MSRInterface.devices(on: bus, models: magneticStripe.readers)
        } catch {
            throw .readerCommunicationError(error.description)
        }
    }
}
