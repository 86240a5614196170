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
        let status = try? await bus.status(of: device)
        let recovery = RecoveryObserver()
        do throws(CCIDError) {
            let driver = try await CCIDReader.open(device, on: bus, time: time, onRecovery: recovery.tell)
            return CCIDReaderSession(
                driver, on: bus, battery: .of(reader.usbID), status: status, recovery: recovery)
        } catch {
            guard error == .usb(.busy) || error == .usb(.accessDenied) else { throw UnderlyingError(error) }
            let interface = (try? CCIDInterface.all(in: device))?.first?.number
            throw UnderlyingError(
                error, status: status, owners: await bus.owners(of: device, interface: interface))
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
