internal import USB

/// The host's side of a download, without I/O: what was answered goes in, what is to be done comes out
/// (DFU 1.1 §6.1, §7, appendix A).
struct DFUDownload: Sendable {
    private enum Phase: Hashable {
        /// The device is brought to rest, whatever an earlier download left it in.
        case preparing
        /// A block was sent.
        case downloading
        /// All blocks were sent, and the device takes the firmware in.
        case manifesting
    }

    /// How often a device is brought out of the state of an earlier attempt.
    private static let mostPreparations = 8
    /// How long the device may be busy with one thing.
    private static let longestWait = Duration.seconds(60)

    private let interface: DFUInterface
    private let firmware: [UInt8]
    private var phase = Phase.preparing
    private var preparations = 0
    private var waited = Duration.zero
    /// Bytes that the device has.
    private var sent = 0
    private var block: UInt16 = 0
    /// Bytes in the block that is on its way.
    private var pending = 0

    /// - Parameters:
    ///   - firmware: what the device gets.
    ///   - interface: the device's, in update mode.
    init(_ firmware: [UInt8], to interface: DFUInterface) { (self.firmware, self.interface) = (firmware, interface) }

    /// How much of the firmware the device has, 0...1.
    var progress: Double { firmware.isEmpty ? 1 : Double(sent) / Double(firmware.count) }

    /// Whether the device has everything, so that its leaving the bus is no fault.
    var isManifesting: Bool { phase == .manifesting }

    /// What to do first.
    var first: DFUAction { .ask }

    /// What to do after a request was sent, or a wait is over.
    var afterwards: DFUAction { .ask }

    /// Takes in an answer to GETSTATUS.
    ///
    /// - Returns: what to do next.
    /// - Throws: ``DFUError``
    mutating func take(_ status: DFUStatus) throws(DFUError) -> DFUAction {
        switch phase {
        case .preparing: try prepare(status)
        case .downloading: try goOn(status)
        case .manifesting: try finish(status)
        }
    }

    /// The device has stopped answering while it takes the firmware in, as one may that does not survive that (§7).
    ///
    /// - Returns: what to do next; nil when that is a fault.
    func silence() -> DFUAction? { phase == .manifesting ? .reset : nil }

    private mutating func prepare(_ status: DFUStatus) throws(DFUError) -> DFUAction {
        preparations += 1
        guard preparations <= Self.mostPreparations else { throw .noEnd(status.state) }
        switch status.state {
        case .idle: return next()
        case .error: return .send(DFURequest.clearStatus(interface))
        case .downloadSync, .downloadIdle, .manifestSync, .uploadIdle: return .send(DFURequest.abort(interface))
        case .downloadBusy, .manifest: return try wait(status)
        // An earlier download is complete; what is in the device is for it to say when it runs.
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

    /// The next block, or the empty one that ends them.
    private mutating func next() -> DFUAction {
        let end = min(firmware.count, sent + interface.transferSize)
        let bytes = Array(firmware[sent..<end])
        defer { block &+= 1 }
        pending = bytes.count
        phase = bytes.isEmpty ? .manifesting : .downloading
        return .write(DFURequest.download(bytes, block: block, interface))
    }

    private mutating func wait(_ status: DFUStatus) throws(DFUError) -> DFUAction {
        // A device that asks for no pause is not asked again and again without one.
        let pause = max(status.pollTimeout, .milliseconds(1))
        waited += pause
        guard waited <= Self.longestWait else { throw .noEnd(status.state) }
        return .wait(pause)
    }
}
