/// How the kernel manages a device's power while the machine runs (Documentation/driver-api/usb/power-management).
public struct USBPower: Hashable, Sendable {
    /// `power/control`
    public enum Control: String, Hashable, Sendable {
        /// The device is suspended when it was idle for the delay.
        case automatic = "auto"
        /// The device is kept awake.
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
    /// `power/persist`: whether the kernel takes a device that lost its power in a suspend for the same one afterwards.
    /// Nil when the kernel does not say.
    public var persists: Bool?

    public init(
        control: Control, state: State? = nil, autosuspendDelay: Duration? = nil, wakesHost: Bool? = nil,
        persists: Bool? = nil
    ) {
        (self.control, self.state, self.autosuspendDelay) = (control, state, autosuspendDelay)
        (self.wakesHost, self.persists) = (wakesHost, persists)
    }
}
