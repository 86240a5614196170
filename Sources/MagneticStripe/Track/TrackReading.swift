/// What a reader gave of one track.
public enum TrackReading: ~Copyable, Sendable {
    /// Nothing is on the track, or the reader has no head for it.
    case absent
    /// Something is wrong that the reader knows of.
    case failed(TrackError.Fault)
    case read(TrackDelivery)
}
