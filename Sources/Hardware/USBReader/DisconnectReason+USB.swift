internal import CCID
internal import USB

extension DisconnectReason {
    /// Why a USB reader is lost, from what the kernel tells of its device.
    ///
    /// - Parameters:
    ///   - error: what the driver ended with.
    ///   - before: the device when it was opened; nil when that is not known.
    ///   - now: the device after the end; nil when that is not known.
    ///   - hasSlept: the machine slept between the last sign of life and the end.
    ///   - owners: who else works with the reader's interface now.
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
