/// A source of USB devices: the machine's own bus, or a simulated one.
public protocol USBBus: Sendable {
    /// Returns the devices that are plugged in now, with their descriptors.
    func devices() async throws(USBError) -> [USBDevice]

    /// Returns arrivals and departures from now on. The stream ends when its consumer stops.
    func hotplugEvents() -> AsyncStream<USBHotplugEvent>

    /// Opens a device.
    ///
    /// - Throws: ``USBError/accessDenied``, ``USBError/notFound``, ``USBError/disconnected``
    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport

    /// Returns the status of a device that is or was plugged in, without waking it.
    func status(of device: USBDevice) async throws(USBError) -> USBDeviceStatus

    /// Returns the other users of a device, or of one of its interfaces; nil stands for all interfaces.
    func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner]

    /// Returns whether this process may open a device with these numbers once it is plugged in, as far as that can be
    /// known beforehand.
    func mayOpen(vendorID: UInt16, productID: UInt16) async -> Bool
}

extension USBBus {
    /// Returns only whether the device is plugged in. A bus that knows more implements this itself.
    public func status(of device: USBDevice) async throws(USBError) -> USBDeviceStatus {
        USBDeviceStatus(
            isPresent: try await devices().contains { $0.bus == device.bus && $0.address == device.address })
    }

    /// Returns no owners, on a bus that does not know them.
    public func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner] { [] }

    /// Returns true, on a bus without permissions.
    public func mayOpen(vendorID: UInt16, productID: UInt16) async -> Bool { true }
}

/// The arrival or departure of a device.
public enum USBHotplugEvent: Hashable, Sendable {
    case arrived(USBDevice)
    case left(USBDevice)
}

/// The kernel's information about a device beyond its descriptors.
public struct USBDeviceStatus: Hashable, Sendable {
    /// Whether the device is plugged in, at its earlier address.
    public var isPresent: Bool
    /// Whether the system authorizes the device; nil when that is not known. An unauthorized device keeps its place and
    /// has no interfaces.
    public var isAuthorized: Bool?
    /// How many times the device's port cut the power because of overcurrent; nil when the hub does not count.
    public var overcurrents: Int?
    /// nil when the kernel does not manage the device's power.
    public var power: USBPower?
    /// The group whose members may open the device; nil when no group may, or there is no device node.
    public var group: String?

    /// Takes what the kernel tells; nil is not known.
    public init(
        isPresent: Bool, isAuthorized: Bool? = nil, overcurrents: Int? = nil, power: USBPower? = nil,
        group: String? = nil
    ) {
        (self.isPresent, self.isAuthorized) = (isPresent, isAuthorized)
        (self.overcurrents, self.power, self.group) = (overcurrents, power, group)
    }
}

/// How the kernel manages a device's power while the machine runs (Documentation/driver-api/usb/power-management).
public struct USBPower: Hashable, Sendable {
    /// `power/control`
    public enum Control: String, Hashable, Sendable {
        /// The kernel suspends the device after it was idle for the delay.
        case automatic = "auto"
        /// The kernel keeps the device awake.
        case on
    }

    /// `power/runtime_status`
    public enum State: String, Hashable, Sendable {
        case active, suspended, suspending, resuming, error, unsupported
    }

    public var control: Control
    /// nil when the kernel does not say.
    public var state: State?
    /// `power/autosuspend_delay_ms`; nil when the kernel does not say.
    public var autosuspendDelay: Duration?
    /// `power/wakeup`: whether the device may wake the machine. Nil for a device that cannot.
    public var wakesHost: Bool?
    /// `power/persist`: whether the kernel treats a device that lost power in a suspend as the same one afterward.
    /// Nil when the kernel does not say.
    public var persists: Bool?

    /// Takes what the kernel tells; nil is not known.
    public init(
        control: Control, state: State? = nil, autosuspendDelay: Duration? = nil, wakesHost: Bool? = nil,
        persists: Bool? = nil
    ) {
        (self.control, self.state, self.autosuspendDelay) = (control, state, autosuspendDelay)
        (self.wakesHost, self.persists) = (wakesHost, persists)
    }
}
