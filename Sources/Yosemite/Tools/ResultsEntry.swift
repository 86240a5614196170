internal import Storage

/// One object of a list of results. It is replaced and never changed: the same entry is the same object with the
/// same values at the same place.
final class ResultsEntry<Model: Equatable & Sendable>: Sendable {
    /// The object's number in its list, which no other one gets, not even in the same row of the database.
    let identity: Int
    /// The number of these values, which others do not get.
    let version: Int
    let row: Int64
    let model: Model
    let place: SortedPlace
    /// The name of its section.
    let section: String

    init(identity: Int, version: Int, row: Int64, model: Model, place: SortedPlace, section: String) {
        (self.identity, self.version, self.row, self.model) = (identity, version, row, model)
        (self.place, self.section) = (place, section)
    }
}
