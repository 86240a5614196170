/// What one swipe gave: every track that could be read, and what is wrong with the others.
public struct MagneticStripe: ~Copyable, Sendable {
    public let trackOne: AccountTrack?
    public let trackTwo: AccountTrack?
    public let trackThree: FinancialTrack?
    /// In the order of the tracks; none for a track that is empty.
    public let faults: [TrackError]

    /// Reads what a reader gave of each track.
    public init(
        one: consuming TrackReading = .absent, two: consuming TrackReading = .absent,
        three: consuming TrackReading = .absent
    ) {
        var faults: [TrackError] = []
        trackOne = Self.account(.one, one, &faults)
        trackTwo = Self.account(.two, two, &faults)
        trackThree = Self.financial(three, &faults)
        self.faults = faults
    }

    private static func account(
        _ track: StripeTrack, _ reading: borrowing TrackReading, _ faults: inout [TrackError]
    ) -> AccountTrack? {
        do throws(TrackError) {
            switch reading {
            case .absent: return nil
            case .failed(let fault): throw TrackError(track, fault)
            case .read(let delivery): return try AccountTrack(track, delivery)
            }
        } catch {
            faults.append(error)
            return nil
        }
    }

    private static func financial(
        _ reading: borrowing TrackReading, _ faults: inout [TrackError]
    ) -> FinancialTrack? {
        do throws(TrackError) {
            switch reading {
            case .absent: return nil
            case .failed(let fault): throw TrackError(.three, fault)
            case .read(let delivery): return try FinancialTrack(delivery)
            }
        } catch {
            faults.append(error)
            return nil
        }
    }
}
