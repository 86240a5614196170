internal import CCID
public import Determinism
public import USB

/// The card readers on a USB bus, driven by this program itself.
public struct USBCardReaderSource: CardReaderSource {
    private let bus: any USBBus
    private let time: any TimeSource

    /// - Parameters:
    ///   - bus: where readers are.
    ///   - time: measures the driver's waits.
    public init(_ bus: any USBBus, time: any TimeSource) { (self.bus, self.time) = (bus, time) }

    public var discoveryMethod: CardReaderDiscoveryMethod { .usb }

    public var readerTypes: Set<CardReaderType> { [.ccid] }

    public func readers() async throws(UnderlyingError) -> [CardReader] {
        try await devices().compactMap { CardReader($0) }
    }

    public func changes() -> any AsyncSequence<CardReaderChange, Never> & Sendable {
        bus.hotplugEvents().compactMap { event in
            switch event {
            case .arrived(let device): CardReader(device).map(CardReaderChange.arrived)
            case .left(let device): CardReader(device).map(CardReaderChange.left)
            }
        }
    }

    public func open(_ reader: CardReader) async throws(UnderlyingError) -> any CardReaderSession {
        guard let device = try await devices().first(where: { CardReader($0)?.id == reader.id }) else {
            throw .readerDisconnected
        }
        do throws(CCIDError) {
            return CCIDReaderSession(
                try await CCIDReader.open(device, on: bus, time: time), on: bus, battery: .of(reader.usbID))
        } catch {
            throw UnderlyingError(error)
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
