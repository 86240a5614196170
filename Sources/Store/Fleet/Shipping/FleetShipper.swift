public import Determinism
import PostgreSQL
public import Storage

/// How a lane ships.
public struct ShippingOptions: Sendable {
    /// The most entries of a batch.
    public var entries: Int
    /// The most bytes of a batch.
    public var bytes: Int
    /// How long to wait before looking for new entries.
    public var pause: Duration
    /// After this time without a batch, an empty one tells the back office that the lane is there.
    public var silence: Duration
    /// The first pause after a failure, which doubles with each one more.
    public var firstRetry: Duration
    /// The longest pause after a failure.
    public var longestRetry: Duration

    /// Sets the values.
    public init(
        entries: Int = 500, bytes: Int = 1 << 20, pause: Duration = .milliseconds(200),
        silence: Duration = .seconds(10), firstRetry: Duration = .milliseconds(200),
        longestRetry: Duration = .seconds(30)
    ) {
        (self.entries, self.bytes, self.pause, self.silence) = (max(1, entries), bytes, pause, silence)
        (self.firstRetry, self.longestRetry) = (firstRetry, longestRetry)
    }

    /// The pause after so many failures in a row, at least 1: between half of its length and all of it, so that lanes
    /// do not come back at the same moment.
    func retryPause(_ failures: Int, _ random: any RandomSource) -> Duration {
        let whole = min(longestRetry, firstRetry * (1 << min(max(0, failures - 1), 20)))
        let part = random.number(in: 500...1000)
        return whole * Int(part) / 1000
    }
}

/// What happens while a lane ships.
public enum ShippingEvent: Sendable {
    /// The back office has so many more entries, and so many wait.
    case shipped(entries: Int, waiting: Int64)
    /// Something is in the way that can pass; the next try is after the pause.
    case interrupted(FleetError, pause: Duration)
}

/// Ships the outbox of a lane to its back office: in order, again after every interruption, until the back office has
/// acknowledged each entry.
///
/// An entry may be sent any number of times. The back office compares what it has with what is sent, in the transaction
/// that applies the rest, so each entry is applied once, and a lane that has other entries than before is noticed.
public struct FleetShipper: Sendable {
    private let outbox: LaneOutbox
    private let office: BackOffice
    private let options: ShippingOptions
    private let time: any TimeSource
    private let random: any RandomSource

    /// Makes a shipper. It connects when it ships.
    public init(
        _ outbox: LaneOutbox, to office: BackOffice, options: ShippingOptions = ShippingOptions(),
        time: any TimeSource, random: any RandomSource
    ) {
        (self.outbox, self.office, self.options) = (outbox, office, options)
        (self.time, self.random) = (time, random)
    }

    /// Ships one batch, which is empty when nothing waits.
    ///
    /// - Returns: the number of entries that this batch was the first to have acknowledged, and how many wait.
    /// - Throws: ``FleetError``
    func shipBatch() async throws(FleetError) -> (entries: Int, waiting: Int64) {
        let batch: OutboxBatch?
        do throws(StorageError) {
            batch = try outbox.batch(atMost: options.entries, bytes: options.bytes)
        } catch {
            throw .journal(error)
        }
        guard let batch else { throw .notEnrolled }
        let rows = try await office.run(batch.statement(clock: time.now().milliseconds))
        let answer = try BackOffice.reading { () throws(PostgreSQLError) in try ShippingAnswer(rows) }
        let (lane, position) = (batch.lane, batch.position)
        switch answer.verdict {
        case .applied: break
        case .restored: throw .restored(lane, written: position.written, applied: answer.applied)
        case .lost: throw .officeRestored(lane, acknowledged: position.acknowledged, applied: answer.applied)
        case .epoch: throw .otherEpoch(lane, office: answer.epoch)
        }
        // Not what else the back office has: that is compared before it is deleted.
        let last = batch.entries.last?.sequence ?? position.acknowledged
        do throws(StorageError) {
            let entries = try outbox.acknowledge(through: last, in: lane.epoch)
            return (entries, try outbox.position().waiting)
        } catch {
            throw .journal(error)
        }
    }

    /// Ships until nothing waits.
    ///
    /// - Parameters:
    ///   - patience: how long to try again while something is in the way. Progress begins it anew.
    ///   - onEvent: hears of each batch and each interruption.
    /// - Returns: the number of entries.
    /// - Throws: ``FleetError``
    public func ship(
        patience: Duration, onEvent: @Sendable (ShippingEvent) -> Void = { _ in }
    ) async throws(FleetError) -> Int {
        var (total, failures) = (0, 0)
        var began = time.reading()
        while true {
            do throws(FleetError) {
                let (entries, waiting) = try await shipBatch()
                total += entries
                (failures, began) = (0, time.reading())
                onEvent(.shipped(entries: entries, waiting: waiting))
                guard waiting > 0 else { return total }
            } catch {
                failures += 1
                let pause = options.retryPause(failures, random)
                guard error.isTransient, time.elapsed(since: began) + pause < patience else { throw error }
                onEvent(.interrupted(error, pause: pause))
                try await sleep(pause)
            }
        }
    }

    /// Ships what waits and all that comes, until the task is canceled or a person is needed.
    ///
    /// - Parameter onEvent: hears of each batch with entries and each interruption.
    /// - Throws: ``FleetError``; always, at last.
    public func follow(onEvent: @Sendable (ShippingEvent) -> Void = { _ in }) async throws(FleetError) {
        var failures = 0
        var heard: Duration?
        while true {
            do throws(FleetError) {
                let isSilent = heard.map { time.elapsed(since: $0) >= options.silence } ?? true
                if try isSilent ? true : isAnythingWaiting() {
                    let (entries, waiting) = try await shipBatch()
                    (failures, heard) = (0, time.reading())
                    if entries > 0 { onEvent(.shipped(entries: entries, waiting: waiting)) }
                    if waiting > 0 { continue }
                }
                try await sleep(options.pause)
            } catch {
                guard error.isTransient else { throw error }
                failures += 1
                let pause = options.retryPause(failures, random)
                onEvent(.interrupted(error, pause: pause))
                try await sleep(pause)
            }
        }
    }

    private func isAnythingWaiting() throws(FleetError) -> Bool {
        do throws(StorageError) { return try outbox.position().waiting > 0 } catch { throw .journal(error) }
    }

    private func sleep(_ pause: Duration) async throws(FleetError) {
        do throws(CancellationError) { try await time.sleep(for: pause) } catch { throw .canceled }
    }
}
