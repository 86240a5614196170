public import Determinism
public import Storage

/// Makes a journal a lane of a fleet.
public struct LaneEnrollment: Sendable {
    private let outbox: LaneOutbox
    private let office: BackOffice
    private let random: any RandomSource

    /// - Parameters:
    ///   - outbox: the outbox of the journal.
    ///   - office: the back office.
    ///   - random: draws the secret of the lane.
    public init(_ outbox: LaneOutbox, at office: BackOffice, random: any RandomSource) {
        (self.outbox, self.office, self.random) = (outbox, office, random)
    }

    /// Enrolls the journal with a token. When it was interrupted, the same token works again for the same journal.
    ///
    /// - Parameters:
    ///   - token: the token of an invitation.
    ///   - isReplacing: whether a journal that is a lane becomes another one.
    /// - Returns: the lane.
    /// - Throws: ``FleetError``
    public func enroll(token: String, replacing isReplacing: Bool = false) async throws(FleetError) -> Lane {
        let (lane, secret): (Lane?, LaneSecret)
        do throws(StorageError) {
            (lane, secret) = (try outbox.lane(), try outbox.secret(drawnFrom: random))
        } catch {
            throw .journal(error)
        }
        if let lane, !isReplacing { throw .enrolled(lane) }
        return try begin(try await office.enroll(token, secret))
    }

    /// Begins the next epoch of the lane, which ships everything anew: for a journal that was restored from a backup,
    /// and for a back office that was.
    ///
    /// - Returns: the lane in its new epoch.
    /// - Throws: ``FleetError``
    public func renew() async throws(FleetError) -> Lane {
        let batch: OutboxBatch?
        do throws(StorageError) { batch = try outbox.batch(atMost: 0) } catch { throw .journal(error) }
        guard let batch else { throw .notEnrolled }
        return try begin(try await office.renew(batch.lane, batch.secret))
    }

    private func begin(_ lane: Lane) throws(FleetError) -> Lane {
        do throws(StorageError) { try outbox.begin(lane) } catch { throw .journal(error) }
        return lane
    }
}
