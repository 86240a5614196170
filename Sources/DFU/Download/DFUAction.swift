internal import USB

/// What is to be done next for a download.
enum DFUAction: Hashable, Sendable {
    /// Send this request. Nothing is changed in the device by it.
    case send(USBControlRequest)
    /// Send this block: from the first one on the device may have no firmware that runs.
    case write(USBControlRequest)
    /// Ask for the status.
    case ask
    /// Leave the device alone for so long, then ask for the status.
    case wait(Duration)
    /// Reset the device: the firmware in it begins to run.
    case reset
}
