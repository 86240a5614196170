public import USB

/// A chip card reader and a magnetic stripe reader in one USB device, each in an interface of its own.
public final class SimulatedCombinedReader: SimulatedUSBDevice {
    /// The interface and the endpoint of the stripe reader, behind those of the chip reader.
    private static let stripeInterface: UInt8 = 1
    private static let stripeEndpoint: UInt8 = 0x84

    public let chip: SimulatedCCIDReader
    public let stripe: SimulatedMagneticStripeReader

    public init(chip: SimulatedReaderModel, stripe: SimulatedMSRModel, clock: SimulationClock) {
        self.chip = SimulatedCCIDReader(model: chip, clock: clock)
        self.stripe = SimulatedMagneticStripeReader(
            model: stripe, clock: clock, interface: Self.stripeInterface, endpoint: Self.stripeEndpoint)
    }

    public var descriptors: SimulatedUSBDescriptors {
        var descriptors = chip.descriptors
        descriptors.device.productID = 0x0007
        descriptors.product = "Simulated chip and magnetic stripe reader"
        descriptors.configuration.interfaces.append(
            stripe.model.interface(Self.stripeInterface, endpoint: Self.stripeEndpoint))
        return descriptors
    }

    public func plugged(unplug: @escaping @Sendable () -> Void) {
        chip.plugged(unplug: unplug)
        stripe.plugged(unplug: unplug)
    }

    public func unplugged() {
        chip.unplugged()
        stripe.unplugged()
    }

    public func reset() {
        chip.reset()
        stripe.reset()
    }

    public func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool { chip.write(bytes, endpoint: endpoint) }

    public func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        endpoint == Self.stripeEndpoint
            ? stripe.read(endpoint: endpoint, maximumLength: maximumLength)
            : chip.read(endpoint: endpoint, maximumLength: maximumLength)
    }

    public func hasInput(endpoint: UInt8) -> Bool {
        endpoint == Self.stripeEndpoint ? stripe.hasInput(endpoint: endpoint) : chip.hasInput(endpoint: endpoint)
    }

    public func control(_ request: USBControlRequest) -> [UInt8]? {
        request.index == UInt16(Self.stripeInterface) ? stripe.control(request) : chip.control(request)
    }
}
