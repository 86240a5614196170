public import USB

/// Several devices combined in one: each keeps its interfaces and endpoints, renumbered after those of the device
/// before it (USB 2.0 §5.2.3).
public final class SimulatedUSBComposite: SimulatedUSBDevice {
    /// A device with its renumbered interfaces and endpoints.
    private struct Function {
        let device: any SimulatedUSBDevice
        let interfaces: Range<Int>
        /// The first endpoint number and the number of endpoints.
        let firstEndpoint: UInt8
        let endpointCount: UInt8

        /// Returns the device's own address of an endpoint; nil if another device has it.
        func own(_ endpoint: UInt8) -> UInt8? {
            let number = endpoint & 0x0F
            guard number >= firstEndpoint, number - firstEndpoint < endpointCount else { return nil }
            return endpoint & 0x80 | (number - firstEndpoint + 1)
        }
    }

    public let descriptors: SimulatedUSBDescriptors
    private let functions: [Function]
    private let hangsWhenShared: Bool

    /// Combines devices.
    ///
    /// - Parameters:
    ///   - first: the device that gives the product its names and IDs.
    ///   - others: the other devices. A device has fifteen endpoint numbers; a function that exceeds them is left
    ///     out.
    ///   - hangsWhenShared: whether the readers hang if one gets a command while another is busy.
    public init(
        _ first: any SimulatedUSBDevice, _ others: [any SimulatedUSBDevice], hangsWhenShared: Bool = false
    ) {
        self.hangsWhenShared = hangsWhenShared
        var descriptors = first.descriptors
        descriptors.configuration.interfaces = []
        var functions: [Function] = []
        var interface = 0
        var endpoint: UInt8 = 1
        for device in [first] + others {
            let own = device.descriptors.configuration.interfaces
            let interfaceCount = Int(own.map(\.number).max() ?? 0) + 1
            let endpointCount = own.flatMap(\.endpoints).map { $0.address & 0x0F }.max() ?? 0
            guard endpoint + endpointCount <= 16, interface + interfaceCount <= 256 else { continue }
            for var part in own {
                part.number += UInt8(interface)
                for index in part.endpoints.indices { part.endpoints[index].address += endpoint - 1 }
                descriptors.configuration.interfaces.append(part)
            }
            functions.append(
                Function(
                    device: device, interfaces: interface..<interface + interfaceCount, firstEndpoint: endpoint,
                    endpointCount: endpointCount))
            interface += interfaceCount
            endpoint += endpointCount
        }
        (self.descriptors, self.functions) = (descriptors, functions)
    }

    public func plugged(unplug: @escaping @Sendable () -> Void) {
        for function in functions { function.device.plugged(unplug: unplug) }
    }

    public func unplugged() { for function in functions { function.device.unplugged() } }

    public func opened() { for function in functions { function.device.opened() } }

    public func closed() { for function in functions { function.device.closed() } }

    public func reset() { for function in functions { function.device.reset() } }

    public func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
        guard let (device, own) = find(endpoint) else { return false }
        if hangsWhenShared {
            let readers = functions.compactMap { $0.device as? SimulatedCCIDReader }
            if readers.contains(where: { $0 !== device && $0.isAnswering }) { for reader in readers { reader.hang() } }
        }
        return device.write(bytes, endpoint: own)
    }

    public func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        find(endpoint).map { $0.read(endpoint: $1, maximumLength: maximumLength) } ?? .stall
    }

    public func hasInput(endpoint: UInt8) -> Bool { find(endpoint).map { $0.hasInput(endpoint: $1) } ?? false }

    /// Passes a request for an interface or endpoint to the device that has it, and all others to the first device.
    public func control(_ request: USBControlRequest) -> [UInt8]? {
        var request = request
        let (high, low) = (request.index & 0xFF00, UInt8(request.index & 0xFF))
        switch request.requestType & 0x1F {
        case 1:
            guard let function = functions.first(where: { $0.interfaces.contains(Int(low)) }) else { return nil }
            request.index = high | UInt16(Int(low) - function.interfaces.lowerBound)
            return function.device.control(request)
        case 2:
            guard let (device, own) = find(low) else { return nil }
            request.index = high | UInt16(own)
            return device.control(request)
        default: return functions.first?.device.control(request)
        }
    }

    private func find(_ endpoint: UInt8) -> (any SimulatedUSBDevice, UInt8)? {
        for function in functions {
            if let own = function.own(endpoint) { return (function.device, own) }
        }
        return nil
    }
}
