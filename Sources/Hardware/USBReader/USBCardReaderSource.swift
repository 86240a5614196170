public import CCID
public import Determinism
public import USB

/// The card readers on a USB bus, driven by this program itself.
public struct USBCardReaderSource: CardReaderSource {
    private let bus: any USBBus
    private let quirks: ReaderQuirkTable
    private let time: any TimeSource

    /// - Parameters:
    ///   - bus: where readers are.
    ///   - quirks: what is known of readers besides their descriptors.
    ///   - time: measures the driver's waits.
    public init(_ bus: any USBBus, quirks: ReaderQuirkTable = .embedded, time: any TimeSource) {
        (self.bus, self.quirks, self.time) = (bus, quirks, time)
    }

    public var discoveryMethod: CardReaderDiscoveryMethod { .usb }

    public var readerTypes: Set<CardReaderType> { [.ccid] }

    public func readers() async throws(UnderlyingError) -> [CardReader] {
        try await devices().flatMap { CardReader.all(in: $0, quirks: quirks) }
    }

    public func changes() -> any AsyncSequence<CardReaderChange, Never> & Sendable {
        USBReaderChanges(events: bus.hotplugEvents(), quirks: quirks)
    }

    public func open(_ reader: CardReader) async throws(UnderlyingError) -> any CardReaderSession {
        for device in try await devices() {
            guard
                let found = CardReader.interfaces(of: device, quirks).first(where: { $0.reader.id == reader.id })
            else { continue }
            do throws(CCIDError) {
                let driver = try await CCIDReader.open(
                    device, on: bus, interface: found.interface, quirks: quirks, time: time)
                return CCIDReaderSession(driver, on: bus, battery: .of(reader.usbID))
            } catch {
                throw UnderlyingError(error)
            }
        }
        throw .readerDisconnected
    }

    private func devices() async throws(UnderlyingError) -> [USBDevice] {
        do throws(USBError) {
            return try await bus.devices()
        } catch {
            throw .readerCommunicationError(error.description)
        }
    }
}
