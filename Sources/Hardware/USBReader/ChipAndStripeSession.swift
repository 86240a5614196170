internal import MSR
internal import SmartCard
internal import Synchronization

/// A chip card reader and a magnetic stripe reader that take cards together: in one device, or side by side on the
/// counter. The chip reader is the reader; the stripe reader may come and go.
final class ChipAndStripeSession: CardReaderSession {
    private struct State {
        var stripe: StripeReaderSession?
        /// Why the one that is there cannot be used.
        var fault: UnderlyingError?
        var isClosed = false
    }

    private let chip: any CardReaderSession
    private let findStripe: @Sendable () async -> StripeSearch
    private let state = Mutex(State())

    /// - Parameters:
    ///   - chip: the open chip reader.
    ///   - findStripe: opens a stripe reader. Asked before each payment, as long as there is none.
    init(chip: any CardReaderSession, findStripe: @escaping @Sendable () async -> StripeSearch) {
        (self.chip, self.findStripe) = (chip, findStripe)
    }

    func inputs() async -> CardReaderInput {
        let present = state.withLock { $0.stripe }
        if let present, !present.isLost { return [.insert, .swipe] }
        await present?.close()
        var found: StripeReaderSession?
        var fault: UnderlyingError?
        switch await findStripe() {
        case .nothing: break
        case .opened(let session): found = session
        case .failed(let error): fault = error
        }
        let isTaken = state.withLock { [found, fault] state in
            (state.stripe, state.fault) = (state.isClosed ? nil : found, fault)
            return !state.isClosed
        }
        if !isTaken { await found?.close() }
        return isTaken && found != nil ? [.insert, .swipe] : .insert
    }

    var stripeFault: UnderlyingError? { state.withLock { $0.fault } }

    func expectSwipe() { state.withLock { $0.stripe }?.expectSwipe() }

    func swipe() async throws(UnderlyingError) -> Swipe {
        guard let stripe = state.withLock({ $0.stripe }) else {
            throw .featureNotAvailable("there is no magnetic stripe reader")
        }
        return try await stripe.swipe()
    }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        try await chip.waitForCard(present: present, timeout: timeout)
    }

    func powerOn() async throws(UnderlyingError) -> any CardChannel { try await chip.powerOn() }

    func powerOff() async { await chip.powerOff() }

    func batteryLevel() async -> Double? { await chip.batteryLevel() }

    func loss() async -> DisconnectReason? { await chip.loss() }

    func onRecovery(_ observe: @escaping @Sendable (ReaderRecoveryStep) -> Void) { chip.onRecovery(observe) }

    func close() async {
        let stripe = state.withLock { state in
            state.isClosed = true
            return state.stripe.take()
        }
        await stripe?.close()
        await chip.close()
    }
}
