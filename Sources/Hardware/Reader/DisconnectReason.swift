/// Why a reader is not connected any more, as far as Linux lets a program tell.
///
/// A reader that restarts by itself, to install firmware or for its own security, looks like one that was unplugged and
/// comes back: no CCID message announces it.
public enum DisconnectReason: Hashable, Sendable, CustomStringConvertible {
    /// The program asked for it.
    case requested
    /// The device was unplugged, or lost its power.
    case unplugged
    /// The machine slept, and the device was not there any more when it woke up. The kernel lets a device come back as
    /// a new one when it lost its power meanwhile.
    case suspended
    /// The device's port cut the power because too much current flowed.
    case overcurrent
    /// The system does not let the device be used any more (`authorized` in sysfs, for example by USBGuard).
    case deauthorized
    /// Another program or a driver of the kernel took the device; the text names it.
    case taken(by: String)
    /// The device answered nothing, not even after a reset.
    case unresponsive
    /// The device failed in another way; the text is the last error.
    case failed(String)

    public var description: String {
        switch self {
        case .requested: "disconnected on request"
        case .unplugged: "the reader was unplugged"
        case .suspended: "the reader was gone when the machine woke up"
        case .overcurrent: "the reader drew too much current, and its USB port cut the power"
        case .deauthorized: "the system does not let the reader be used any more"
        case .taken(let owner): "\(owner) took the reader"
        case .unresponsive: "the reader stopped answering, and a reset did not help"
        case .failed(let error): "the reader stopped answering: \(error)"
        }
    }

    /// A word for it: `unplugged`.
    public var code: String {
        switch self {
        case .requested: "requested"
        case .unplugged: "unplugged"
        case .suspended: "suspended"
        case .overcurrent: "overcurrent"
        case .deauthorized: "deauthorized"
        case .taken: "taken"
        case .unresponsive: "unresponsive"
        case .failed: "failed"
        }
    }
}
