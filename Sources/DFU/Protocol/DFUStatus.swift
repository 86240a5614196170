/// What a device answers to GETSTATUS (DFU 1.1 §6.1.2).
struct DFUStatus: Hashable, Sendable {
    /// nil when all is well.
    var fault: DFUFault?
    /// How long to leave the device alone before it is asked again (bwPollTimeout).
    var pollTimeout: Duration
    var state: DFUState

    /// - Parameter bytes: the answer.
    /// - Throws: ``DFUError/malformedStatus(_:)``
    init(parsing bytes: [UInt8]) throws(DFUError) {
        guard bytes.count >= 6, let state = DFUState(rawValue: bytes[4]) else { throw .malformedStatus(bytes) }
        fault = DFUFault(status: bytes[0])
        pollTimeout = .milliseconds(Int(bytes[1]) | Int(bytes[2]) << 8 | Int(bytes[3]) << 16)
        self.state = state
    }

    init(fault: DFUFault? = nil, pollTimeout: Duration = .zero, state: DFUState) {
        (self.fault, self.pollTimeout, self.state) = (fault, pollTimeout, state)
    }
}
