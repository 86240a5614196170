import CCID
import USB

/// Why a reader was disconnected, as far as Linux reports it.
///
/// A reader that restarts by itself, to install firmware or for security, looks like one that was unplugged and comes
/// back: no CCID message announces a restart.
public enum DisconnectReason: Hashable, Sendable, CustomStringConvertible {
    /// The program disconnected the reader.
    case requested
    /// The device was unplugged or lost power.
    case unplugged
    /// The device was gone when the machine woke up from sleep. The kernel treats a device that lost power during sleep
    /// as a new device.
    case suspended
    /// The port was switched off because of an overcurrent.
    case overcurrent
    /// The system deauthorized the device (`authorized` in sysfs, for example by USBGuard).
    case deauthorized
    /// Another program or a kernel driver took the device; the text is its name.
    case taken(by: String)
    /// The device stopped answering, even after a reset.
    case unresponsive
    /// The device failed for another reason; the text is the last error.
    case failed(String)

    public var description: String {
        switch self {
        case .requested: "disconnected on request"
        case .unplugged: "the reader was unplugged"
        case .suspended: "the reader was gone when the machine woke up"
        case .overcurrent: "the reader drew too much current, and its USB port cut the power"
        case .deauthorized: "the system no longer allows the use of the reader"
        case .taken(let owner): "\(owner) took the reader"
        case .unresponsive: "the reader stopped answering, and a reset did not help"
        case .failed(let error): "the reader stopped answering: \(error)"
        }
    }

    /// The machine-readable code: `unplugged`.
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

extension DisconnectReason {
    /// Determines why a USB reader was lost, from the kernel's status of its device.
    ///
    /// - Parameters:
    ///   - error: The error that ended the driver.
    ///   - before: The device when it was opened; nil when unknown.
    ///   - now: The device after the end; nil when unknown.
    ///   - hasSlept: Whether the machine slept between the last answer and the end.
    ///   - owners: The other users of the reader's interface now.
    init(
        _ error: CCIDError, before: USBDeviceStatus?, now: USBDeviceStatus?, hasSlept: Bool, owners: [USBDeviceOwner]
    ) {
        guard let now else {
            self = .failed(error.description)
            return
        }
        guard now.isPresent else {
            if let count = now.overcurrents, let earlier = before?.overcurrents, count > earlier {
                self = .overcurrent
            } else {
                self = hasSlept ? .suspended : .unplugged
            }
            return
        }
        if now.isAuthorized == false {
            self = .deauthorized
        } else if let owner = owners.first {
            self = .taken(by: owner.description)
        } else {
            self = error == .readerDead ? .unresponsive : .failed(error.description)
        }
    }
}
