import CCID
import Synchronization

/// The recovery steps that a reader told.
final class RecoveryLog: Sendable {
    private let stored = Mutex<[CCIDRecoveryStep]>([])
    var steps: [CCIDRecoveryStep] { stored.withLock { $0 } }
    func append(_ step: CCIDRecoveryStep) { stored.withLock { $0.append(step) } }
}
