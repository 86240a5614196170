import Storage

/// The objects that match a request, in order. It follows the database commit by commit.
struct ResultsList<Model: ObservableModel>: Sendable {
    /// A commit with more rows than this is followed by reading the whole list.
    private static var mostRowsOneByOne: Int { 500 }

    let request: ResultsRequest<Model>
    /// The current list.
    private(set) var snapshot = ResultsSnapshot<Model>([], hasSections: true)
    private var entries: [ResultsEntry<Model>] = []
    private var byRow: [Int64: ResultsEntry<Model>] = [:]
    private var lastNumber = 0

    init(_ request: ResultsRequest<Model>) { self.request = request }

    /// Returns the same objects, for another request.
    func with(_ request: ResultsRequest<Model>) -> ResultsList {
        var list = ResultsList(request)
        (list.byRow, list.lastNumber) = (byRow, lastNumber)
        return list
    }

    // MARK: Following the database

    /// Reads the whole list. If it throws, the list is unchanged.
    mutating func readAll(from storage: any StorageType) throws {
        let rows = try storage.rows(
            ofType: Model.Record.self, matching: request.predicate ?? .all, sortedBy: request.sortDescriptors,
            limit: request.limit, among: nil)
        entries = try rows.map { try entry(of: $0) }
        byRow = entries.reduce(into: Dictionary(minimumCapacity: entries.count)) { $0[$1.row] = $1 }
        group()
    }

    /// Reads the rows that a commit changed. If it throws, the list is unchanged.
    mutating func follow(_ changes: RowChanges, in storage: any StorageType) throws {
        guard !changes.isReset, changes.written.count <= Self.mostRowsOneByOne else {
            return try readAll(from: storage)
        }
        let rows = try storage.rows(
            ofType: Model.Record.self, matching: request.predicate ?? .all, sortedBy: request.sortDescriptors,
            limit: nil,
            among: changes.written)
        let touched = changes.written.union(changes.deleted).compactMap { byRow[$0] }
        // The objects beyond the limit are unknown: when one leaves or moves, the next one may move up.
        if let limit = request.limit, entries.count >= limit, touched.contains(where: { mayLeave($0, rows) }) {
            return try readAll(from: storage)
        }
        let written = try rows.map { try entry(of: $0) }
        for entry in touched { remove(entry) }
        for entry in written { insert(entry) }
        if let limit = request.limit {
            for entry in entries.dropFirst(max(0, limit)) { byRow[entry.row] = nil }
            entries.removeLast(max(0, entries.count - max(0, limit)))
        }
        group()
    }

    private mutating func group() {
        snapshot = ResultsSnapshot(entries, hasSections: request.sectionName != nil)
    }

    /// Whether an object leaves its place.
    private func mayLeave(_ entry: ResultsEntry<Model>, _ rows: [StoredRow<Model.Record>]) -> Bool {
        guard let row = rows.first(where: { $0.number == entry.row }) else { return true }
        return row.place != entry.place
    }

    // MARK: Entries

    /// Returns the entry for a row: the existing one when nothing changed.
    private mutating func entry(of row: StoredRow<Model.Record>) throws -> ResultsEntry<Model> {
        let model = try row.record.toReadOnly()
        let section = request.sectionName?(model) ?? ""
        lastNumber += 1
        var (identity, version) = (lastNumber, lastNumber)
        // SQLite reuses the number of a deleted row, so compare the keys.
        if let old = byRow[row.number], old.model.isReadOnlyRepresentation(of: row.record) {
            identity = old.identity
            if old.model == model {
                if old.section == section, old.place == row.place { return old }
                version = old.version
            }
        }
        return ResultsEntry(
            identity: identity, version: version, row: row.number, model: model, place: row.place, section: section)
    }

    private mutating func remove(_ entry: ResultsEntry<Model>) {
        let index = index(of: entry.place)
        guard entries.indices.contains(index), entries[index] === entry else { return }
        entries.remove(at: index)
        byRow[entry.row] = nil
    }

    private mutating func insert(_ entry: ResultsEntry<Model>) {
        entries.insert(entry, at: index(of: entry.place))
        byRow[entry.row] = entry
    }

    /// Returns the index of the first object that is not before `place`.
    private func index(of place: SortedPlace) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// One object of a list of results. Entries are immutable: the same entry is the same object with the same values in
/// the same place.
final class ResultsEntry<Model: Equatable & Sendable>: Sendable {
    /// The object's number, unique in its list, even if SQLite reuses its row.
    let identity: Int
    /// The number of these values, unique in the list.
    let version: Int
    let row: Int64
    let model: Model
    let place: SortedPlace
    /// The name of the section.
    let section: String

    init(identity: Int, version: Int, row: Int64, model: Model, place: SortedPlace, section: String) {
        (self.identity, self.version, self.row, self.model) = (identity, version, row, model)
        (self.place, self.section) = (place, section)
    }
}
