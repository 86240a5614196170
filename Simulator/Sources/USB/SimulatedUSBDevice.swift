public import USB

/// A device as the wire sees it: it takes and gives bytes on its endpoints, at once, and never waits.
/// Standard requests on the control endpoint are answered by its port.
public protocol SimulatedUSBDevice: AnyObject, Sendable {
    /// What the device says of itself.
    var descriptors: SimulatedUSBDescriptors { get }

    /// Whether an endpoint that stalled stays halted until the host clears the halt, as USB 2.0 §9.4.5 has it. A device
    /// that does not so stalls one transfer, goes on, and refuses the request to clear.
    var keepsHalts: Bool { get }

    /// How long after it has left the bus the device comes back to the same port by itself, as one does that changes what
    /// it is. Nil for one that was pulled out.
    var returnsAfter: Duration? { get }

    /// The device was plugged in and has power. `unplug` pulls it out.
    func plugged(unplug: @escaping @Sendable () -> Void)

    /// The device was pulled out and lost its power.
    func unplugged()

    /// A host opened the device.
    func opened()

    /// A host closed it again.
    func closed()

    /// The host reset the port.
    func reset()

    /// The host chose a configuration (USB 2.0 §9.4.7): for most devices as good as a reset.
    func configured()

    /// Takes an OUT transfer.
    ///
    /// - Returns: false to stall.
    func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool

    /// Gives an IN transfer of up to `maximumLength` bytes.
    func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput

    /// Whether ``read(endpoint:maximumLength:)`` would give anything but NAK.
    func hasInput(endpoint: UInt8) -> Bool

    /// Answers a class or vendor request.
    ///
    /// - Returns: the bytes for the host, empty for an OUT request; nil to stall.
    func control(_ request: USBControlRequest) -> [UInt8]?
}

extension SimulatedUSBDevice {
    public func opened() {}
    public func closed() {}
    public func configured() { reset() }
    public var keepsHalts: Bool { true }
    public var returnsAfter: Duration? { nil }
}
