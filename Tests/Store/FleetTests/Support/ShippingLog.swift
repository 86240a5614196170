import PostgreSQL
import Synchronization

@testable import Fleet

/// What shippers told.
final class ShippingLog: Sendable {
    private let log = Mutex<(shipped: Int, interruptions: [FleetError])>((0, []))

    /// How many entries were shipped.
    var shipped: Int { log.withLock { $0.shipped } }

    var interruptions: [FleetError] { log.withLock { $0.interruptions } }

    /// The codes of the server's refusals.
    var states: [String] {
        interruptions.compactMap { error in
            if case .office(let cause) = error { cause.report?.state.rawValue } else { nil }
        }
    }

    func note(_ event: ShippingEvent) {
        log.withLock { log in
            switch event {
            case .shipped(let entries, _): log.shipped += entries
            case .interrupted(let error, _): log.interruptions.append(error)
            }
        }
    }
}
