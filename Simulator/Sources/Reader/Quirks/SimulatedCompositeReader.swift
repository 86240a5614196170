public import USB

/// A USB device with an interface for each of its readers, as makers build readers with a contact and a contactless
/// slot. With ``hangsWhenShared`` all of them hang when one gets a command while another is at work.
public final class SimulatedCompositeReader: SimulatedUSBDevice {
    /// The readers, in the order of their interfaces.
    public let readers: [SimulatedCCIDReader]
    private let hangsWhenShared: Bool

    /// - Parameters:
    ///   - model: of each reader, and of the device.
    ///   - count: how many interfaces, 1...6.
    ///   - hangsWhenShared: whether they cannot be used at a time.
    ///   - clock: the time of the simulated world.
    public init(model: SimulatedReaderModel, count: Int = 2, hangsWhenShared: Bool = false, clock: SimulationClock) {
        readers = (0..<min(max(count, 1), 6)).map { _ in SimulatedCCIDReader(model: model, clock: clock) }
        self.hangsWhenShared = hangsWhenShared
    }

    public var descriptors: SimulatedUSBDescriptors {
        var descriptors = readers[0].descriptors
        descriptors.configuration.interfaces = readers.enumerated().flatMap { index, reader in
            reader.descriptors.configuration.interfaces.map { interface in
                var interface = interface
                interface.number = UInt8(index)
                for endpoint in interface.endpoints.indices {
                    interface.endpoints[endpoint].address += Self.endpointsEach * UInt8(index)
                }
                return interface
            }
        }
        return descriptors
    }

    /// Endpoint numbers that each interface has to itself.
    private static let endpointsEach: UInt8 = 2

    /// The reader with an endpoint, and the endpoint's address there.
    private func place(_ endpoint: UInt8) -> (index: Int, endpoint: UInt8)? {
        let number = endpoint & 0x0F
        guard number >= Self.endpointsEach else { return nil }
        let index = (number - Self.endpointsEach) / Self.endpointsEach
        guard readers.indices.contains(Int(index)) else { return nil }
        return (Int(index), endpoint - index * Self.endpointsEach)
    }

    public func plugged(unplug: @escaping @Sendable () -> Void) {
        for reader in readers { reader.plugged(unplug: unplug) }
    }

    public func unplugged() { for reader in readers { reader.unplugged() } }

    public func opened() { for reader in readers { reader.opened() } }

    public func closed() { for reader in readers { reader.closed() } }

    public func reset() { for reader in readers { reader.reset() } }

    public func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
        guard let place = place(endpoint) else { return false }
        let isShared = readers.indices.contains { $0 != place.index && readers[$0].isAnswering }
        if hangsWhenShared, isShared { for reader in readers { reader.hang() } }
        return readers[place.index].write(bytes, endpoint: place.endpoint)
    }

    public func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        guard let place = place(endpoint) else { return .stall }
        return readers[place.index].read(endpoint: place.endpoint, maximumLength: maximumLength)
    }

    public func hasInput(endpoint: UInt8) -> Bool {
        place(endpoint).map { readers[$0.index].hasInput(endpoint: $0.endpoint) } ?? false
    }

    public func control(_ request: USBControlRequest) -> [UInt8]? {
        let index = Int(request.index & 0xFF)
        return readers.indices.contains(index) ? readers[index].control(request) : nil
    }
}
