import USB

/// The host's side of a download, without I/O: it takes the device's answers and returns the next action
/// (DFU 1.1 §6.1, §7, appendix A).
struct DFUDownload: Sendable {
    private enum Phase: Hashable {
        /// The device is made idle, whatever state an earlier download left it in.
        case preparing
        /// A block was sent.
        case downloading
        /// All blocks were sent, and the device installs the firmware.
        case manifesting
    }

    /// The most attempts to bring a device out of the state of an earlier download.
    private static let mostPreparations = 8
    /// How long the device may stay busy with one step.
    private static let longestWait = Duration.seconds(60)

    private let interface: DFUInterface
    private let firmware: [UInt8]
    private var phase = Phase.preparing
    private var preparations = 0
    private var waited = Duration.zero
    /// Bytes that the device has received.
    private var sent = 0
    private var block: UInt16 = 0
    /// Bytes in the block in transfer.
    private var pending = 0

    /// - Parameters:
    ///   - firmware: the bytes for the device.
    ///   - interface: the device's interface in update mode.
    init(_ firmware: [UInt8], to interface: DFUInterface) { (self.firmware, self.interface) = (firmware, interface) }

    /// The part of the firmware that the device has received, 0...1.
    var progress: Double { firmware.isEmpty ? 1 : Double(sent) / Double(firmware.count) }

    /// Whether the device has everything, so that it may leave the bus.
    var isManifesting: Bool { phase == .manifesting }

    /// The first action.
    var first: DFUAction { .ask }

    /// The action after a request or a wait.
    var afterwards: DFUAction { .ask }

    /// Takes an answer to GETSTATUS.
    ///
    /// - Returns: the next action.
    /// - Throws: ``DFUError``
    mutating func take(_ status: DFUStatus) throws(DFUError) -> DFUAction {
        switch phase {
        case .preparing: try prepare(status)
        case .downloading: try goOn(status)
        case .manifesting: try finish(status)
        }
    }

    /// Returns the next action when the device stops answering; nil when that is an error. A device that is not
    /// manifestation tolerant may stop while it installs the firmware (§7).
    func silence() -> DFUAction? { phase == .manifesting ? .reset : nil }

    private mutating func prepare(_ status: DFUStatus) throws(DFUError) -> DFUAction {
        preparations += 1
        guard preparations <= Self.mostPreparations else { throw .noEnd(status.state) }
        switch status.state {
        case .idle: return next()
        case .error: return .send(DFURequest.clearStatus(interface))
        case .downloadSync, .downloadIdle, .manifestSync, .uploadIdle: return .send(DFURequest.abort(interface))
        case .downloadBusy, .manifest: return try wait(status)
        // An earlier download is complete: the reset starts its firmware.
        case .manifestWaitReset: return .reset
        case .appIdle, .appDetach: throw .unexpectedState(status.state)
        }
    }

    private mutating func goOn(_ status: DFUStatus) throws(DFUError) -> DFUAction {
        if let fault = status.fault { throw .refused(fault) }
        switch status.state {
        case .downloadIdle:
            sent += pending
            waited = .zero
            return next()
        case .downloadSync, .downloadBusy: return try wait(status)
        default: throw .unexpectedState(status.state)
        }
    }

    private mutating func finish(_ status: DFUStatus) throws(DFUError) -> DFUAction {
        if let fault = status.fault { throw .refused(fault) }
        switch status.state {
        case .manifestSync, .manifest: return try wait(status)
        case .idle, .manifestWaitReset, .appIdle: return .reset
        default: throw .unexpectedState(status.state)
        }
    }

    /// Returns the next block, or the empty one that ends the download.
    private mutating func next() -> DFUAction {
        let end = min(firmware.count, sent + interface.transferSize)
        let bytes = Array(firmware[sent..<end])
        defer { block &+= 1 }
        pending = bytes.count
        phase = bytes.isEmpty ? .manifesting : .downloading
        return .write(DFURequest.download(bytes, block: block, interface))
    }

    private mutating func wait(_ status: DFUStatus) throws(DFUError) -> DFUAction {
        // Pause also for a device that does not ask for a pause.
        let pause = max(status.pollTimeout, .milliseconds(1))
        waited += pause
        guard waited <= Self.longestWait else { throw .noEnd(status.state) }
        return .wait(pause)
    }
}

/// The next action of a download.
enum DFUAction: Hashable, Sendable {
    /// Send this request, which changes nothing in the device.
    case send(USBControlRequest)
    /// Send this block: from the first one on, the device may have no working firmware.
    case write(USBControlRequest)
    /// Request the status.
    case ask
    /// Wait this long, then request the status.
    case wait(Duration)
    /// Reset the device, which starts its firmware.
    case reset
}
