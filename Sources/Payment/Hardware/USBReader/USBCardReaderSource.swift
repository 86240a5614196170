public import CCID
public import DFU
public import Determinism
import MagneticStripe
import Synchronization
public import USB

/// The card readers on a USB bus, with this program's own drivers.
///
/// A chip card reader also takes stripes when it has a stripe reader, or when a magnetic stripe reader is plugged in
/// beside it.
public struct USBCardReaderSource: CardReaderSource {
    let bus: any USBBus
    private let quirks: ReaderQuirkTable
    let firmware: ReaderFirmwareCatalog
    let time: any TimeSource
    private let magneticStripe: MagneticStripePolicy
    private let known = KnownReaders()

    /// - Parameters:
    ///   - bus: The USB bus.
    ///   - quirks: The known deviations of chip card readers from their descriptors.
    ///   - firmware: The available firmware for readers.
    ///   - time: The time source for the driver's waits.
    ///   - magneticStripe: Whether and how stripes are read.
    public init(
        _ bus: any USBBus, quirks: ReaderQuirkTable = .embedded,
        firmware: ReaderFirmwareCatalog = ReaderFirmwareCatalog(), time: any TimeSource,
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
            throw .readerIncompatible("it has no working firmware; connect it to finish the update")
        }
        if reader.readerType == .magneticStripe {
            guard let interface = stripe(in: device) else {
                throw .readerIncompatible(MagneticStripeReaderError.noReader.description)
            }
            return try await MagneticStripeReaderSession.open(device, interface, on: bus, path: magneticStripe.path)
        }
        let status = try? await bus.status(of: device)
        let interfaces = (try? CCIDInterface.all(in: device, quirks: quirks)) ?? []
        let interface = interfaces.dropFirst(CardReader.number(of: reader.id)).first
        let recovery = RecoveryObserver()
        let companion = interface.flatMap { companionInterface(of: $0, among: interfaces, in: device) }
        let chip: CCIDReaderSession
        do throws(CCIDError) {
            let driver = try await CCIDReader.open(
                device, on: bus, interface: interface, quirks: quirks, time: time, onRecovery: recovery.tell)
            // Without the other interface, the reader takes payments as well.
            var other: CCIDReader?
            if let companion {
                other = try? await CCIDReader.open(
                    device, on: bus, interface: companion, quirks: quirks, time: time, onRecovery: recovery.tell)
            }
            chip = CCIDReaderSession(
                driver, beside: other, on: bus, battery: .of(reader.usbID), status: status, recovery: recovery)
        } catch {
            guard error == .usb(.busy) || error == .usb(.accessDenied) else { throw UnderlyingError(error) }
            throw UnderlyingError(
                error, status: status, owners: await bus.owners(of: device, interface: interface?.number))
        }
        guard magneticStripe.isEnabled else { return chip }
        return CombinedReaderSession(chip: chip) { await stripe(beside: device) }
    }

    /// Returns the interface that gives the first reader of a device the input that it does not have: contacts or a
    /// field. Nil for other readers of the device, and where only one interface may be used at a time.
    private func companionInterface(
        of interface: CCIDInterface, among interfaces: [CCIDInterface], in device: USBDevice
    ) -> CCIDInterface? {
        guard interface == interfaces.first,
            !quirks.quirks(of: device.descriptor).contains(.oneInterfaceAtATime)
        else { return nil }
        return interfaces.dropFirst().first { $0.isContactless != interface.isContactless }
    }

    /// Opens the stripe reader in the same device as the chip reader, or one that is plugged in beside it. If that
    /// fails, chip cards still work.
    private func stripe(beside chip: USBDevice) async -> MagneticStripeReaderSearch {
        let devices = (try? await devices()) ?? []
        var fault: UnderlyingError?
        // The stripe reader in the same device comes first.
        let own = devices.filter { $0.bus == chip.bus && $0.address == chip.address }
        for device in own + devices.filter({ readers(in: $0).first?.inputs == .swipe }) {
            guard let interface = stripe(in: device) else { continue }
            do throws(UnderlyingError) {
                return .opened(
                    try await MagneticStripeReaderSession.open(device, interface, on: bus, path: magneticStripe.path))
            } catch {
                fault = fault ?? error
            }
        }
        return fault.map { .failed($0) } ?? .nothing
    }

    private func stripe(in device: USBDevice) -> MagneticStripeInterface? {
        MagneticStripeInterface.find(in: device, models: magneticStripe.readers)
    }

    /// Returns the readers in a device under the policy for magnetic stripes.
    func readers(in device: USBDevice) -> [CardReader] {
        if let update = firmware.update(awaitedBy: device) { return [CardReader(device, awaiting: update.firmware)] }
        return known.readers(in: device) { CardReader.all(in: $0, magneticStripe: magneticStripe, quirks: quirks) }
    }

    func devices() async throws(UnderlyingError) -> [USBDevice] {
        do throws(USBError) {
            guard magneticStripe.isEnabled else { return try await bus.devices() }
            return try await MagneticStripeInterface.devices(on: bus, models: magneticStripe.readers)
        } catch {
            throw .readerCommunicationError(error.description)
        }
    }
}

extension USBCardReaderSource: FirmwareSource {
    public func update(for reader: CardReader) async -> ReaderFirmwareUpdate? {
        guard let device = try? await device(of: reader) else { return nil }
        if let awaited = firmware.update(awaitedBy: device) { return awaited }
        guard DFUInterface.find(in: device)?.canDownload == true else { return nil }
        return firmware.update(for: device.descriptor)
    }

    public func install(
        _ update: ReaderFirmwareUpdate, on reader: CardReader, commitment: DFUCommitment,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws(UnderlyingError) -> CardReader {
        let file = try ReaderFirmwareCatalog.load(update)
        guard let device = try await device(of: reader) else { throw .readerDisconnected }
        // Checked before the reader enters update mode: without the permission, this user could not finish the update
        // either.
        let numbers = update.firmware
        guard await bus.mayOpen(vendorID: numbers.updateVendorID, productID: numbers.updateProductID) else {
            throw .readerAccessDenied(
                "in update mode the reader is \(numbers.updateUSBID), which only root may open; run the update as root, or "
                    + "add a udev rule for it (docs/readers.md, Firmware)")
        }
        let updated: USBDevice
        do throws(DFUError) {
            updated = try await DFUInstaller(bus: bus, time: time).install(
                file, on: device,
                updateMode: (update.firmware.updateVendorID, update.firmware.updateProductID),
                commitment: commitment, onProgress: onProgress)
        } catch {
            throw UnderlyingError(error)
        }
        guard let found = readers(in: updated).first else {
            throw .readerSoftwareUpdateFailedReader("the device came back, but not as a card reader")
        }
        guard found.softwareVersion == update.version else {
            throw .readerSoftwareUpdateFailedReader(
                "the reader reports firmware \(found.softwareVersion ?? "none") after the update to \(update.version)"
            )
        }
        return found
    }

    private func device(of reader: CardReader) async throws(UnderlyingError) -> USBDevice? {
        try await devices().first { readers(in: $0).contains { $0.id == reader.id } }
    }
}

/// The readers in the devices that were asked for last. They depend on the descriptors alone, and each step of a
/// connection asks for them again.
private final class KnownReaders: Sendable {
    private static let most = 16

    private let found = Mutex<[(device: USBDevice, readers: [CardReader])]>([])

    func readers(in device: USBDevice, _ find: (USBDevice) -> [CardReader]) -> [CardReader] {
        if let known = found.withLock({ $0.first { $0.device == device } }) { return known.readers }
        let readers = find(device)
        found.withLock { found in
            found = found.suffix(Self.most - 1) + [(device, readers)]
        }
        return readers
    }
}

/// The result of the search for a magnetic stripe reader to use with a chip reader.
enum MagneticStripeReaderSearch: Sendable {
    /// There is no stripe reader.
    case nothing
    case opened(MagneticStripeReaderSession)
    /// There is a stripe reader, and it cannot be used.
    case failed(UnderlyingError)
}

/// Converts the arrivals and departures of a USB bus to those of the readers in its devices: a device with several
/// reader interfaces has several readers.
struct USBReaderChanges: AsyncSequence, Sendable {
    typealias Element = CardReaderChange
    typealias Failure = Never

    let events: AsyncStream<USBHotplugEvent>
    /// Returns the readers in a device.
    let readers: @Sendable (USBDevice) -> [CardReader]

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: AsyncStream<USBHotplugEvent>.Iterator
        fileprivate let readers: @Sendable (USBDevice) -> [CardReader]
        /// The changes of the last event that were not returned yet.
        private var pending: ArraySlice<CardReaderChange> = []

        fileprivate init(
            _ events: AsyncStream<USBHotplugEvent>, _ readers: @escaping @Sendable (USBDevice) -> [CardReader]
        ) {
            (self.events, self.readers) = (events.makeAsyncIterator(), readers)
        }

        mutating func next() async -> CardReaderChange? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> CardReaderChange? {
            while pending.isEmpty {
                guard let event = await events.next(isolation: actor) else { return nil }
                switch event {
                case .arrived(let device):
                    pending = readers(device).map(CardReaderChange.arrived)[...]
                case .left(let device):
                    pending = readers(device).map(CardReaderChange.left)[...]
                }
            }
            return pending.popFirst()
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(events, readers) }
}
