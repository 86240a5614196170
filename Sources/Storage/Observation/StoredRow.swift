/// A record with the number of its row, which is the same as long as the record is there, and with its place.
public struct StoredRow<Record: KeyedObject>: Sendable {
    public let number: Int64
    public let record: Record
    public let place: SortedPlace
}
